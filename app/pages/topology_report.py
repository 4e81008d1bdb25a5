"""/v1/topologies/{name}/report: verdict, operators and evidence on one page, for a ticket or an archive."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query, Response
from sqlalchemy.orm import Session

from app.database.connections.transactions import SessionDep
from app.deciding.advised import UNSEEN, describe_newer
from app.deciding.decisions.history import find_latest, find_topology_of
from app.deciding.decisions.schemas import DecisionAnswer
from app.forecasts.past_forecasts import MOST_COMPARED, read_past_forecasts
from app.load.measurements.freshness import Withheld
from app.load.measurements.stored_topologies import find_topology
from app.rendering import reports
from app.web.callers.security import may_read
from app.web.fields import TopologyName
from app.web.routing import StrictJsonRoute, declare
from planner.decisions.wording import describe_effect, write_target
from planner.values import Topology
from planner.wording import UNBOUNDED, name_reach, write_counted, write_rate, write_seconds

GENERATED = "The numbers of this demo are generated; no real platform was measured."


def describe_decision(
    name: str, decision: DecisionAnswer, topology: Topology, covered: str = ""
) -> list[reports.Block]:
    """Verdict, reasons, operators, alternatives, evidence and diagnostics; `covered` says how often forecasts were
    right.
    """
    if decision.withheld is not None:
        return describe_withheld(name, decision, decision.withheld, topology)
    wanted = decision.advised.wanted
    effect = describe_effect(decision.running, decision.processors.recommended, decision.outlook)
    return [
        reports.Heading(f"{name}: {decision.change}", 1),
        reports.Paragraph(effect if decision.waits_for is None else f"{UNSEEN} {effect}"),
        reports.Paragraph(reports.WORDS),
        *[reports.Paragraph(text) for text in [describe_newer(decision, decision.decided_for)] if text],
        reports.Heading("The numbers"),
        reports.ReportTable(["what", "value"], list_numbers(decision)),
        reports.Heading("Why"),
        reports.Bullets([f"{one.detail} ({one.code})" for one in [*decision.reasons, *decision.constraints]]),
        *[reports.Paragraph(text) for text in describe_alternatives(decision, covered) if text],
        *reports.draw_operators(topology, decision.current, wanted),
        *reports.list_operators(decision.current, wanted),
        *list_outcome(decision),
        *reports.list_evidence(decision.current),
        *reports.list_diagnostics(decision.diagnostics),
        reports.Paragraph(
            f"The decision was made from {write_counted(decision.basis.snapshots, 'snapshot')}, measured from "
            f"{write_time(decision.basis.first_observed_at)} until {write_time(decision.decided_for)} UTC, and from "
            f"the description of the topology with number {decision.basis.revision} (the first is 1, each change adds "
            "1)."
        ),
        *link_pages(name, decision),
    ]


def link_pages(name: str, decision: DecisionAnswer) -> list[reports.Block]:
    """Where the service shows the topology as it is now, and the decision as JSON."""
    return [
        reports.PageLink("The topology now, in the dashboard", f"/ui/#/topologies/{quote(name, safe='')}"),
        reports.PageLink("This decision as JSON", f"/v1/decisions/{decision.id}"),
    ]


def write_time(at: datetime) -> str:
    """A time in UTC, without the name of the zone."""
    return f"{at:%Y-%m-%d %H:%M:%S}"


def describe_withheld(
    name: str, decision: DecisionAnswer, withheld: Withheld, topology: Topology
) -> list[reports.Block]:
    """Why nothing is recommended now, and what ran when the last decision was made."""
    return [
        reports.Heading(f"{name}: {decision.verdict}", 1),
        reports.Paragraph(f"{withheld.detail} {withheld.remedy}"),
        reports.Paragraph(
            f"The last decision was made on data until {write_time(decision.decided_for)} UTC. What ran then:"
        ),
        *reports.draw_operators(topology, decision.current, decision.processors.current),
        *reports.list_operators(decision.current, decision.processors.current),
        *list_outcome(decision),
        reports.Paragraph(reports.WORDS),
        *link_pages(name, decision),
    ]


def list_numbers(decision: DecisionAnswer) -> list[tuple[str, str]]:
    """Each number of the decision: of which time and of which processors it is, and its value."""
    advised, span = decision.advised, describe_span(decision)
    runs = write_counted(decision.processors.current_total, "processor")
    wanted, rate = write_counted(advised.total, "processor"), write_rate(decision.external_rate)
    estimated = write_seconds(decision.current.expected_sojourn_seconds, UNBOUNDED)
    rows = [
        ("Decided on data until", f"{write_time(decision.decided_for)} UTC"),
        (f"Rate, {span}", rate),
        (f"Measured E[T] of the {runs} that run, {span}", write_seconds(decision.measured_sojourn_seconds)),
        (f"Estimated E[T] of the {runs} that run, at {rate}", estimated),
    ]
    if decision.waits_for is not None:
        at = write_time(decision.waits_for.decided_for)
        name = f"Expected E[T] of the {wanted} recommended, as decided on data until {at} UTC"
        rows.append((name, write_seconds(advised.seconds)))
    elif decision.action != "hold":
        then = write_seconds(advised.seconds, UNBOUNDED)
        corrected = "" if decision.corrected_sojourn_seconds is None else ", corrected by measured waits"
        rows.append((f"Expected E[T] of the {wanted} recommended, at {rate}{corrected}", then))
    target = decision.outlook.target
    if target is not None:
        rows.append(("Target", write_target(target)))
    reach = name_reach(advised.total, has_target=target is not None)
    return [*rows, (reach, write_rate(advised.holds_up_to_rate, down=True))]


def describe_span(decision: DecisionAnswer) -> str:
    """The time that the measured numbers of a decision are of: `mean of the newest 5 snapshots`."""
    many, whose = (
        decision.basis.snapshots,
        "decision's" if describe_newer(decision, decision.decided_for) else "newest",
    )
    return f"{whose} snapshot" if many == 1 else f"mean of the {whose} {many:,} snapshots"


def describe_alternatives(decision: DecisionAnswer, covered: str) -> tuple[str, str]:
    """The rate that the processors are for, with how often such forecasts were right; and what one fewer would do.

    A decision that waits for the last change says neither of the processors of that change.
    """
    if decision.waits_for is not None:
        return "", ""
    sized = "" if decision.sized_for is None else f"{decision.sized_for.detail} {covered}".strip()
    return sized, decision.counterfactuals.one_fewer_detail


def list_outcome(decision: DecisionAnswer) -> list[reports.Block]:
    """The outcome of the decision: as reported, and as observed in snapshots."""
    outcome, seen, said = decision.outcome, decision.observed, []
    if outcome is not None and outcome.source == "reported":
        text = f"The change was reported as {outcome.state}."
        if outcome.measured_seconds is not None:
            expected = write_seconds(outcome.expected_seconds, UNBOUNDED)
            measured = write_seconds(outcome.measured_seconds)
            text += f" E[T] was {measured} afterwards, where {expected} was expected."
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
    is_ahead = decision.sized_for is not None and decision.sized_for.source == "forecast"
    covered = read_past_forecasts(session, name, MOST_COMPARED).detail if is_ahead else ""
    blocks = describe_decision(name, decision, find_topology_of(session, decision), covered)
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
