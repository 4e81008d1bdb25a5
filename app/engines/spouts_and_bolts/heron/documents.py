"""The documents of Heron's tracker, recognised by their form.

Trackers before 0.20.5 wrap each answer as {"status", "message", "result"}; later ones do not. The forms are those of
heron/tools/tracker (topology.py, metricstimeline.py and routers/metrics.py).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from pydantic import JsonValue

from app.engines.answers import EngineAnswer, read_parameters, sort_by_time
from app.engines.numbers import read_list, read_name, read_number, read_object, read_text

Document = Mapping[str, JsonValue]
MOST_DEPTH = 4
IDENTITY = ("cluster", "role", "environ", "topology")


class MetricsAnswer(NamedTuple):
    """An answer of /topologies/metrics: `interval` as asked, values by metric and instance."""

    component: str
    interval: float | None
    values: Document
    at: datetime | None


class TimelineAnswer(NamedTuple):
    """An answer of /topologies/metricstimeline: values by metric, instance and second of the epoch."""

    component: str
    ends: float | None
    values: Document


@dataclass
class HeronAnswers:
    """All documents of the answers; of each plan, the newest."""

    logical: Document = field(default_factory=dict)
    physical: Document = field(default_factory=dict)
    identity: dict[str, str] = field(default_factory=dict)
    metrics: list[MetricsAnswer] = field(default_factory=list)
    timelines: list[TimelineAnswer] = field(default_factory=list)


def sort_documents(answers: Sequence[EngineAnswer]) -> HeronAnswers:
    """The documents that the answers of Heron's tracker hold, in the order of their times."""
    found = HeronAnswers()
    for answer in sort_by_time(answers):
        asked = read_parameters(answer.path)
        note_identity(found, asked)
        for body in unfold(answer.body):
            take(found, body, asked, answer.at)
    return found


def unfold(body: JsonValue, depth: int = 0) -> Iterator[Document]:
    """The documents in a body: the body itself, or those in its lists and objects, such as `result` and
    `logical_plan`.
    """
    if isinstance(body, dict) and (
        "timeline" in body or "metrics" in body or {"spouts", "bolts"} <= body.keys()
    ):
        yield body
    elif isinstance(body, dict | list) and depth < MOST_DEPTH:
        if isinstance(body, dict) and {"cluster", "environ"} <= body.keys():
            yield {"metadata": body}
        for one in body.values() if isinstance(body, dict) else body:
            yield from unfold(one, depth + 1)


def take(found: HeronAnswers, body: Document, asked: Mapping[str, str], at: datetime | None) -> None:
    """Adds a document to those of its kind in `found`; `asked` are the parameters of the request, `at` is the
    answer's time.
    """
    component = read_name(body.get("component")) or read_name(asked.get("component"))
    if "metadata" in body:
        info = read_object(body["metadata"])
        known = {key: read_text(info.get(key)) or "" for key in IDENTITY}
        known["topology"] = (
            known["topology"] or read_text(info.get("jobname")) or read_text(info.get("name")) or ""
        )
        note_identity(found, known)
    elif "timeline" in body and component:
        ends = read_number(body.get("endtime"))
        found.timelines.append(TimelineAnswer(component, ends, read_object(body["timeline"])))
    elif "metrics" in body and component:
        interval = read_number(body.get("interval"))
        interval = read_number(asked.get("interval")) if interval is None else interval
        found.metrics.append(MetricsAnswer(component, interval, read_object(body["metrics"]), at))
    elif is_physical(body):
        found.physical = body
    elif {"spouts", "bolts"} <= body.keys() and (body["spouts"] or body["bolts"]):
        found.logical = body  # an empty plan may be the physical plan of a topology without instances yet


def is_physical(body: Document) -> bool:
    """Whether a plan lists instances; a logical plan lists inputs and outputs."""
    kinds = [*read_object(body.get("bolts")).values(), *read_object(body.get("spouts")).values()]
    return "instances" in body or (bool(kinds) and all(isinstance(one, list) for one in kinds))


def note_identity(found: HeronAnswers, known: Mapping[str, str]) -> None:
    """Notes the names of the topology, its cluster, role and environ, from the parameters of a path or from its
    metadata.
    """
    found.identity.update({key: known[key] for key in IDENTITY if known.get(key)})


def list_instances(physical: Document, component: str) -> list[str]:
    """The instances of a component in the physical plan."""
    for kind in ("bolts", "spouts"):
        listed = read_list(read_object(physical.get(kind)).get(component))
        names = [name for one in listed if (name := read_name(one))]
        if names:
            return list(dict.fromkeys(names))
    return []
