"""/v1/topologies/{name}/report: verdict, operators and evidence on one page, for a ticket or an archive."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from sqlalchemy.orm import Session

from app.database.transactions import SessionDep
from app.deciding.decisions.history import find_latest, find_topology_of
from app.deciding.decisions.schemas import DecisionAnswer
from app.deciding.promises import choose_promise
from app.rendering import reports
from app.web.fields import TopologyName
from app.web.routing import StrictJsonRoute, declare
from app.web.security import may_read
from planner.values import Topology
from planner.wording import UNBOUNDED, write_number, write_seconds


def describe_decision(name: str, decision: DecisionAnswer, topology: Topology) -> list[reports.Block]:
    """Verdict, reasons, operators, alternatives, evidence and diagnostics."""
    counts = decision.processors
    return [
        reports.Heading(f"{name}: {decision.verdict}", 1),
        reports.Paragraph(
            f"Decided on data until {decision.decided_for:%Y-%m-%d %H:%M:%S} UTC, at "
            f"{write_number(decision.external_rate)} tuples/s: {counts.current_total} processors run, "
            f"{counts.recommended_total} are recommended."
        ),
        reports.Paragraph(describe_times(decision)),
        reports.Heading("Why"),
        reports.Bullets([f"{one.detail} ({one.code})" for one in [*decision.reasons, *decision.constraints]]),
        reports.Paragraph(decision.counterfactuals.one_fewer_detail),
        *reports.draw_operators(topology, decision.current, counts.recommended),
        *reports.list_operators(decision.current, counts.recommended),
        *list_outcome(decision),
        *reports.list_evidence(decision.current),
        *reports.list_diagnostics(decision.diagnostics),
        reports.Paragraph(
            f"From {decision.basis.snapshots} snapshots of revision {decision.basis.revision}, the first of "
            f"{decision.basis.first_observed_at:%Y-%m-%d %H:%M:%S} UTC. Decision {decision.id}."
        ),
    ]


def describe_times(decision: DecisionAnswer) -> str:
    """E[T] now and as recommended, and the rate up to which the recommendation holds."""
    measured = decision.measured_sojourn_seconds
    now = decision.current.expected_sojourn_seconds if measured is None else measured
    kind = "estimated" if measured is None else "measured"
    then = write_seconds(
        choose_promise(decision.expected_sojourn_seconds, decision.corrected_sojourn_seconds), UNBOUNDED
    )
    text = f"E[T] is {write_seconds(now, UNBOUNDED)} as {kind}, and {then} as recommended"
    holds = decision.counterfactuals.holds_up_to_rate
    return text + (
        "." if holds is None else f", which holds up to {write_number(holds, down=True)} tuples/s."
    )


def list_outcome(decision: DecisionAnswer) -> list[reports.Block]:
    """The outcome of the decision: as reported, and as observed in snapshots."""
    outcome, seen, said = decision.outcome, decision.observed, []
    if outcome is not None and outcome.source == "reported":
        text = f"It was reported as {outcome.state}."
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
    return write(describe_decision(name, decision, find_topology_of(session, decision))), media_type


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
