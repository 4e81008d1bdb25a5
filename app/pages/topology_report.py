"""/v1/topologies/{name}/report: verdict, operators and evidence on one page, for a ticket or an archive."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from sqlalchemy.orm import Session

from app.database.transactions import SessionDep
from app.deciding.decisions.history import find_latest, find_topology_of
from app.deciding.decisions.schemas import DecisionAnswer
from app.load.measurements.freshness import Withheld
from app.load.measurements.stored_topologies import find_topology
from app.rendering import reports
from app.web.fields import TopologyName
from app.web.routing import StrictJsonRoute, declare
from app.web.security import may_read
from planner.decisions.wording import describe_change, describe_effect
from planner.values import Topology
from planner.wording import UNBOUNDED, write_counted, write_rate, write_seconds

GENERATED = "The numbers of this demo are generated; no real platform was measured."


def describe_decision(name: str, decision: DecisionAnswer, topology: Topology) -> list[reports.Block]:
    """Verdict, reasons, operators, alternatives, evidence and diagnostics."""
    if decision.withheld is not None:
        return describe_withheld(name, decision, decision.withheld, topology)
    recommended = decision.processors.recommended
    wanted = decision.wanted or recommended
    change = describe_change(decision.running, recommended) if wanted == recommended else decision.verdict
    return [
        reports.Heading(f"{name}: {change}", 1),
        reports.Paragraph(describe_effect(decision.running, recommended, decision.outlook)),
        reports.Heading("The numbers"),
        reports.ReportTable(["what", "value"], list_numbers(decision)),
        reports.Heading("Why"),
        reports.Bullets([f"{one.detail} ({one.code})" for one in [*decision.reasons, *decision.constraints]]),
        reports.Paragraph(describe_alternatives(decision)),
        *reports.draw_operators(topology, decision.current, wanted),
        *reports.list_operators(decision.current, wanted),
        *list_outcome(decision),
        *reports.list_evidence(decision.current),
        *reports.list_diagnostics(decision.diagnostics),
        reports.Paragraph(
            f"From {decision.basis.snapshots} snapshots of revision {decision.basis.revision}, the first of "
            f"{decision.basis.first_observed_at:%Y-%m-%d %H:%M:%S} UTC. Decision {decision.id}."
        ),
    ]


def describe_withheld(
    name: str, decision: DecisionAnswer, withheld: Withheld, topology: Topology
) -> list[reports.Block]:
    """Why nothing is recommended now, and what ran when the last decision was made."""
    return [
        reports.Heading(f"{name}: {decision.verdict}", 1),
        reports.Paragraph(f"{withheld.detail} {withheld.remedy}"),
        reports.Paragraph(
            f"The last decision was made on data until {decision.decided_for:%Y-%m-%d %H:%M:%S} UTC. These operators "
            "ran then:"
        ),
        *reports.draw_operators(topology, decision.current, decision.running),
        *reports.list_operators(decision.current, decision.running),
        *list_outcome(decision),
        reports.Paragraph(f"Decision {decision.id}."),
    ]


def list_numbers(decision: DecisionAnswer) -> list[tuple[str, str]]:
    """Each number of the decision: of which time and of which processors it is, and its value."""
    counts, span = decision.processors, describe_span(decision)
    runs = write_counted(counts.current_total, "processor")
    wanted = write_counted(counts.recommended_total, "processor")
    rows = [
        ("Decided on data until", f"{decision.decided_for:%Y-%m-%d %H:%M:%S} UTC"),
        (f"Rate, {span}", write_rate(decision.external_rate)),
        (f"Measured E[T] of the {runs} that run, {span}", write_seconds(decision.measured_sojourn_seconds)),
        (
            f"Estimated E[T] of the {runs} that run, at that rate",
            write_seconds(decision.current.expected_sojourn_seconds, UNBOUNDED),
        ),
    ]
    if decision.action != "hold":
        then = write_seconds(decision.outlook.then_seconds, UNBOUNDED)
        rows.append((f"Expected E[T] of the {wanted} recommended, at that rate", then))
    if decision.outlook.target is not None:
        rows.append(("Target", write_seconds(decision.outlook.target.seconds)))
    holds = decision.counterfactuals.holds_up_to_rate
    rows.append((f"{wanted} {decision.outlook.meets} up to".capitalize(), write_rate(holds, down=True)))
    return rows


def describe_span(decision: DecisionAnswer) -> str:
    """The time that the measured numbers of a decision are of: `mean of the newest 5 snapshots`."""
    many = decision.basis.snapshots
    return "newest snapshot" if many == 1 else f"mean of the newest {many:,} snapshots"


def describe_alternatives(decision: DecisionAnswer) -> str:
    """The rate that the processors are for, and what one fewer would do."""
    sized = "" if decision.sized_for is None else f"{decision.sized_for.detail} "
    return f"{sized}{decision.counterfactuals.one_fewer_detail}"


def list_outcome(decision: DecisionAnswer) -> list[reports.Block]:
    """The outcome of the decision: as reported, and as observed in snapshots."""
    outcome, seen, said = decision.outcome, decision.observed, []
    if outcome is not None and outcome.source == "reported":
        text = f"The change was reported as {outcome.state}."
        if outcome.measured_seconds is not None:
            promised = write_seconds(outcome.expected_seconds, UNBOUNDED)
            text += (
                f" E[T] was {write_seconds(outcome.measured_seconds)} afterwards, for {promised} promised."
            )
        said.append(text)
    if seen is not None and (said or seen.state != "waiting"):
        said += [seen.detail, *[one.detail for one in seen.diagnostics]]
    return [reports.Heading("Outcome"), *[reports.Paragraph(text) for text in said]] if said else []


FORMATS: dict[str, tuple[Callable[[Sequence[reports.Block]], str], str]] = {
    "html": (reports.write_html, "text/html; charset=utf-8"),
    "markdown": (reports.write_markdown, "text/markdown; charset=utf-8"),
}
"""The writer and the media type of each format."""


def write_report(session: Session, name: str, form: str) -> tuple[str, str]:
    """The report and its media type."""
    write, media_type = FORMATS[form]
    decision = find_latest(session, name)
    blocks = describe_decision(name, decision, find_topology_of(session, decision))
    if find_topology(session, name).source == "demo":
        blocks.insert(1, reports.Paragraph(GENERATED))
    return write(blocks), media_type


router = APIRouter(prefix="/v1/topologies/{name}/report", tags=["decisions"], route_class=StrictJsonRoute)
PAGES: dict[int | str, Any] = {200: {"content": {"text/html": {}, "text/markdown": {}}}}


@router.get(
    "",
    response_class=Response,
    **declare(may_read, "Read a report", "unknown-topology", "unknown-decision", also=PAGES),
)
def get_report(
    name: TopologyName,
    session: SessionDep,
    form: Annotated[Literal["html", "markdown"], Query(alias="format")] = "html",
) -> Response:
    """The standing decision as one self-contained page; it runs no script and loads nothing."""
    text, media_type = write_report(session, name, form)
    return Response(text, media_type=media_type)
