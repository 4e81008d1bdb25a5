"""Makes the patch of a stored decision for a platform, and writes it as JSON or YAML."""

import json
import shlex
from typing import Annotated, Any, Literal, cast
from uuid import UUID

import yaml
from pydantic import Field
from sqlalchemy.orm import Session

from app.deciding.decisions.schemas import DecisionAnswer
from app.deciding.fleet_turns import say_turn
from app.deciding.patches.gathering import GatheredPatch, gather_patch
from app.engines.answers import load_part
from app.engines.kubernetes import KedaTerms, make_flink_operator_patch, make_keda_patch, make_scale_patch
from app.engines.patches import EnginePatch
from app.load.measurements.freshness import find_age
from app.settings import Settings
from app.web.fields import Answer, write_time
from app.web.negotiation import JSON
from app.web.problems.errors import NotAcceptable
from app.web.problems.stored_data_errors import PatchWithheld, find_address
from planner.wording import join_names, write_seconds

PatchFormat = Literal["flink", "storm", "heron", "keda", "kubernetes", "flink-operator", "json"]


class PatchAnswer(Answer):
    """The request, command or documents that make the recommended processors run; this service sends nothing."""

    decision_id: UUID
    topology: str
    action: Annotated[str, Field(description="The decision's action; `hold` changes nothing.")]
    format: PatchFormat
    method: Annotated[str | None, Field(description="null: not an HTTP request.")]
    path: Annotated[str | None, Field(description="The path at the engine's, or Kubernetes', address.")]
    content_type: Annotated[str | None, Field(description="The type of the body; null: not an HTTP request.")]
    body: Annotated[Any, Field(description="A list: each item is one document, or one request.")]
    command: Annotated[
        str | None, Field(description="The request as shell commands, one per line; null: none.")
    ]
    notes: Annotated[list[str], Field(description="Needs and costs of the change.")]
    placeholders: Annotated[list[str], Field(description="The parts to fill in before sending; empty: none.")]


YAML = "application/yaml"
IN_YAML = ("keda", "kubernetes", "flink-operator")
ENGINE_URL = "<address of the engine>"
ENGINE_OF = {"flink": "flink", "flink-operator": "flink", "storm": "storm", "heron": "heron"}
"""The engine whose own names each format needs."""
HOLDS = (
    "The decision is to hold: the running processors are the recommended ones, and there is nothing to send."
)

WAITS = (
    "The decision is to wait for the last change, which the newest snapshot does not show yet: the patch has the "
    "processors of that change."
)


def to_patch_answer(gathered: GatheredPatch, form: PatchFormat, patch: EnginePatch) -> PatchAnswer:
    """Returns the patch as an answer, with notes about the decision that it carries out."""
    decision = gathered.decision
    assert decision.id is not None, "a stored decision has an id"
    is_request = patch.method is not None
    is_plain = is_request and patch.command is None
    return PatchAnswer(
        decision_id=decision.id,
        topology=decision.basis.topology,
        action=decision.action,
        format=form,
        method=patch.method,
        path=patch.path,
        content_type=(patch.content_type or JSON) if is_request else None,
        body=patch.body,
        command=write_curl(patch) if is_plain else patch.command,
        notes=[*describe_decision(gathered), *patch.notes, *describe_marks(gathered, form)],
        placeholders=[*([ENGINE_URL] if is_plain else []), *patch.placeholders],
    )


def write_curl(patch: EnginePatch) -> str:
    """Writes the patch as a curl command; every part is quoted, because names of operators may hold any character."""
    words = ["curl", "-X", patch.method or "GET", ENGINE_URL + (patch.path or "")]
    if patch.body is not None:
        words += ["-H", f"Content-Type: {patch.content_type or JSON}", "-d", json.dumps(patch.body)]
    return shlex.join(words)


def describe_decision(gathered: GatheredPatch) -> list[str]:
    """Returns the notes about a decision that should be read before its patch is sent."""
    decision = gathered.decision
    is_waiting = decision.wanted is not None and decision.wanted != decision.processors.recommended
    notes = [WAITS if is_waiting else HOLDS] if decision.action == "hold" else []
    if decision.after:
        notes.append(f"Nothing grows {say_turn(decision.after)}: these are the processors that run.")
    if decision.trial:
        notes.append("The decision is a trial: it does not stand for the topology, and begins no cooldown.")
    if gathered.standing not in {None, decision.id}:
        notes.append(
            f"Decision {gathered.standing} replaces this one, because of newer data or for the present revision "
            "and policy: send its patch."
        )
    if decision.basis.revision != gathered.revision:
        notes.append(
            f"The decision was made for revision {decision.basis.revision} of the topology, which now is at "
            f"{gathered.revision}: operators may have other names."
        )
    notes += describe_bounds(gathered)
    moved = {
        name: one.repartition_seconds
        for name, one in decision.moving.migrations.items()
        if one.moved_key_groups > 0
    }
    if moved:
        told = ", ".join(
            name if seconds is None else f"{name} ({write_seconds(seconds)})"
            for name, seconds in moved.items()
        )
        notes.append(f"The change moves state of {told}: tuples wait during the move.")
    return notes


def describe_bounds(gathered: GatheredPatch) -> list[str]:
    """Returns a note if the topology or the policy now allow other processors than when the decision was made."""
    recommended, broken = gathered.decision.processors.recommended, []
    for name, (least, most) in gathered.bounds_now.items():
        count = recommended.get(name)
        if count is not None and (count < least or (most is not None and count > most)):
            allowed = f"at least {least}" if count < least else f"at most {most}"
            broken.append(f"{name} {count} ({allowed})")
    if not broken:
        return []
    listed = join_names(broken, 10)
    again = f"POST {find_address(gathered.decision.basis.topology)}/decisions"
    return [
        f"Topology and policy no longer allow these processors: {listed}. Ask for a new decision ({again})."
    ]


def is_read(gathered: GatheredPatch, form: PatchFormat) -> bool:
    """Tells whether the service has read the names that the engine itself uses."""
    return gathered.engine != "" and gathered.engine == ENGINE_OF.get(form)


def describe_marks(gathered: GatheredPatch, form: PatchFormat) -> list[str]:
    """Says when the names that the engine uses were read, or how to send these names to the service."""
    engine = ENGINE_OF.get(form)
    if engine is None:
        return []
    if is_read(gathered, form) and gathered.seen_at is not None:
        at = write_time(gathered.seen_at)
        return [f"Ids and names are from {engine}'s answer at {at}: a job that was restarted has others."]
    address = f"{find_address(gathered.decision.basis.topology)}/snapshots/from/{engine}"
    return [f"No answer of {engine} about this topology is stored: POST one to {address} and ask again."]


def write_yaml(answer: PatchAnswer) -> str:
    """Writes the documents of the patch as YAML for kubectl, with the notes as comments."""
    if answer.format not in IN_YAML:
        why = (
            f"format={answer.format} has no documents for kubectl and is not written in YAML (as=yaml, Accept); "
            f"{', '.join(IN_YAML)} are"
        )
        raise NotAcceptable(YAML, (JSON,), why)
    documents = answer.body if isinstance(answer.body, list) else [answer.body]
    lines = [f"# {line}" for note in answer.notes for line in note.splitlines()]
    if answer.placeholders:
        lines.append(f"# Fill in: {', '.join(answer.placeholders)}")
    if answer.command:
        lines += [f"# $ {line}" for line in answer.command.splitlines()]
    text: str = yaml.safe_dump_all(documents, sort_keys=False, allow_unicode=True, width=1000)
    return "\n".join(lines) + "\n" + text


def find_patch(
    session: Session, decision_id: UUID, form: PatchFormat, service_url: str | None, settings: Settings
) -> PatchAnswer:
    """Returns the patch of a stored decision in the given format."""
    gathered = gather_patch(session, decision_id)
    refuse_withheld(gathered.decision)
    return to_patch_answer(gathered, form, make_patch(gathered, form, service_url, settings))


def refuse_withheld(decision: DecisionAnswer) -> None:
    """Raises PatchWithheld if the decision should not be acted on now, for example because its data are too old."""
    withheld, data = decision.withheld, decision.data
    if withheld is not None and data is not None:
        name, ended_at = decision.basis.topology, decision.decided_for
        why = f"{withheld.detail} {withheld.remedy}"
        raise PatchWithheld(name, ended_at, find_age(ended_at), data.limit_seconds, why=why)


def make_patch(
    gathered: GatheredPatch, form: PatchFormat, service_url: str | None, settings: Settings
) -> EnginePatch:
    """Makes the patch with the wanted processors of every operator, since engines refuse a patch for some operators
    only.
    """
    wanted = gathered.decision.wanted or gathered.decision.processors.recommended
    counts = {one.name: wanted[one.name] for one in gathered.decision.current.operators}
    marks = gathered.marks if is_read(gathered, form) else {}
    if form == "json":
        return EnginePatch(format="json", body=dict(counts))
    if form == "kubernetes":
        return make_scale_patch(counts)
    if form == "keda":
        topology = gathered.decision.basis.topology
        return make_keda_patch(counts, KedaTerms(topology, service_url, gathered.bounds, settings.has_keys))
    if form == "flink-operator":
        return make_flink_operator_patch(counts, marks)
    return cast("EnginePatch", load_part(form, "patch").make_patch(counts, marks))
