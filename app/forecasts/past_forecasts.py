"""/v1/topologies/{name}/past-forecasts compares rates that decisions expected with the highest measured rates."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from math import ceil, fsum
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Response
from pydantic import Field, JsonValue, computed_field
from sqlalchemy import Row, func, select, true
from sqlalchemy.orm import Session

from app.database.connections.transactions import SessionDep
from app.database.tables import DecisionRow, SnapshotRow
from app.load.measurements.snapshots import ended
from app.load.measurements.stored_topologies import StoredTopology, find_topology
from app.rendering.charts import BAND, DASHED, DOTTED, SOLID, Chart, Line, Panel, Sign, draw_chart
from app.rendering.picture_files import write_picture
from app.rendering.picture_shapes import Key
from app.web.callers.security import may_read
from app.web.fields import Answer, TopologyName, UtcTime, show_example
from app.web.negotiation import FORMS, Accept, answer_in_form, choose_form
from app.web.overload.admission import draws
from app.web.routing import StrictJsonRoute, declare
from planner.wording import write_percent, write_rate
from planner.workloads.accuracy import JudgedForecast, LeadAccuracy, falls_short, judge_lead

MOST_COMPARED = 200
"""The newest decisions whose forecasts are compared, if a request does not say how many."""
EXAMPLE: dict[str, JsonValue] = {
    "decision_id": "0b1f7c62-6f0c-4b7e-9a53-9d3c1c3c7f10",
    "decided_for": "2026-11-18T00:10:00Z",
    "until": "2026-11-18T00:16:00Z",
    "expected_rate": 322.0,
    "upper_rate": 351.0,
    "quantile": 0.95,
    "model": "average-of-three",
    "came_rate": 329.4,
    "is_complete": True,
    "covered": True,
}


class PastForecast(Answer):
    """The highest rate that a decision expected for the coming cooldown, and the highest rate measured then."""

    decision_id: UUID
    decided_for: UtcTime
    until: Annotated[UtcTime, Field(description="The end of the time that was forecast.")]
    expected_rate: float
    upper_rate: float
    quantile: float
    model: str
    came_rate: Annotated[
        float | None, Field(description="The highest rate measured in that time; null: nothing was measured.")
    ]
    is_complete: Annotated[bool, Field(description="Whether snapshots reach to the end of that time.")]
    covered: Annotated[
        bool | None,
        Field(
            description="Whether came_rate is at most upper_rate; null: the time is not over, or nothing was measured."
        ),
    ]


class PastForecasts(Answer):
    """The forecasts of the newest decisions, oldest first, and how often they covered the measured rate."""

    model_config = show_example(
        {
            "judged": 1,
            "covered": 1,
            "coverage": 1.0,
            "least_coverage": 0.207,
            "most_coverage": 1.0,
            "falls_short": False,
            "wanted": 0.95,
            "mean_error": -0.0225,
            "items": [EXAMPLE],
        }
    )

    judged: Annotated[int, Field(description="Forecasts whose whole time was measured.")]
    covered: int
    coverage: Annotated[float | None, Field(description="covered / judged; null: none was judged.")]
    least_coverage: Annotated[
        float | None,
        Field(description="Its 95% interval, by forecasts that do not overlap."),
    ]
    most_coverage: float | None
    falls_short: Annotated[bool, Field(description="All of that interval is below `wanted`.")]
    wanted: Annotated[
        float | None, Field(description="The mean quantile of the judged forecasts: coverage should be this.")
    ]
    mean_error: Annotated[
        float | None,
        Field(description="Sum of (expected_rate - came_rate) / sum of came_rate; above 0: too high."),
    ]
    items: list[PastForecast]

    @computed_field  # type: ignore[prop-decorator]  # as Pydantic documents it
    @property
    def detail(self) -> str:
        """How many forecasts covered what came, in a sentence."""
        if not self.judged:
            return "No earlier forecast can be judged yet: for none of them is the whole time measured."
        return (
            f"{write_percent(self.coverage)} of earlier forecasts covered the highest rate that came ({self.covered} "
            f"of {self.judged} whose time is over and was measured); the aim is {write_percent(self.wanted)}. "
            "From these the true share can only be told to lie between "
            f"{write_percent(self.least_coverage)} and {write_percent(self.most_coverage)}"
            f"{', which is below the aim' if self.falls_short else ''}; forecasts whose times overlap count as one "
            "here."
        )


def to_past_forecasts(rows: Sequence[Row[Any]], newest_end: datetime | None) -> PastForecasts:
    """Returns the forecasts of decisions, oldest first, and how often they covered the measured rate."""
    items = [to_past_forecast(row, newest_end) for row in reversed(rows)]
    # A miss is known before its time is over and a hit only then, so only forecasts whose time is over are counted.
    judged = [one for one in items if one.covered is not None and one.is_complete]
    wanted = fsum(one.quantile for one in judged) / len(judged) if judged else None
    found = judge_items(judged)
    return PastForecasts(
        judged=found.judged,
        covered=found.covered,
        coverage=found.coverage,
        least_coverage=found.least_coverage,
        most_coverage=found.most_coverage,
        falls_short=wanted is not None and falls_short(found.most_coverage, wanted),
        wanted=wanted,
        mean_error=found.mean_error,
        items=items,
    )


def judge_items(items: Sequence[PastForecast]) -> LeadAccuracy:
    """Returns the accuracy of forecasts, oldest first, in steps of a second: all as long as the longest."""
    lengths = [ceil((one.until - one.decided_for).total_seconds()) for one in items]
    judged = [
        JudgedForecast(int(one.decided_for.timestamp()), one.expected_rate, one.came_rate, bool(one.covered))
        for one in items
        if one.came_rate is not None
    ]
    return judge_lead(max(lengths, default=1), judged)


def to_past_forecast(row: Row[Any], newest_end: datetime | None) -> PastForecast:
    """Returns a decision's forecast. Whether it covered what came is known when its whole time was measured, or when a
    higher rate came.
    """
    is_complete = newest_end is not None and newest_end >= row.until
    is_exceeded = row.came is not None and row.came > row.upper_rate
    covered = None if row.came is None or not (is_complete or is_exceeded) else not is_exceeded
    return PastForecast(
        decision_id=row.id,
        decided_for=row.decided_for,
        until=row.until,
        expected_rate=row.expected_rate,
        upper_rate=row.upper_rate,
        quantile=row.quantile,
        model=row.model,
        came_rate=row.came,
        is_complete=is_complete,
        covered=covered,
    )


def draw_past_forecasts(answer: PastForecasts, form: str, name: str) -> bytes:
    """Draws the highest rates of each cooldown as expected, covered and measured; a cross marks uncovered ones."""
    items = answer.items
    expected = [one.expected_rate for one in items]
    upper = [one.upper_rate for one in items]
    lines = [
        Line("came", [one.came_rate for one in items], SOLID),
        Line("expected", expected, DOTTED),
        Line("covered up to", upper, DASHED),
    ]
    missed = [
        Sign(one.decided_for.timestamp(), one.came_rate, "cross", say_missed(one))
        for one in items
        if one.covered is False and one.came_rate is not None
    ]
    keys = [
        Key("expected to covered", BAND),
        *([Key("✕ a higher rate came than was covered")] if missed else []),
    ]
    chart = Chart(
        f"{name}: the highest rate until the next change is possible, as forecast and as measured",
        [answer.detail],
        [one.decided_for.timestamp() for one in items],
        [Panel("Tuples per second", lines, band=(expected, upper), signs=missed, keys=keys)],
        "UTC",
        nothing="No decision has made a forecast yet.",
    )
    return write_picture(draw_chart(chart), form)


def say_missed(one: PastForecast) -> str:
    """Says when a forecast did not cover the measured rate, and both rates."""
    rates = f"{write_rate(one.came_rate)} came, {write_rate(one.upper_rate)} covered"
    return f"{one.decided_for:%Y-%m-%d %H:%M} UTC: {rates}"


def gather_forecasts(session: Session, stored: StoredTopology, most: int) -> Sequence[Row[Any]]:
    """Returns the newest decisions with a forecast, newest first; `came` is null if nothing was measured since."""
    looked = (
        select(
            DecisionRow.id,
            DecisionRow.decided_for,
            DecisionRow.ahead_expected_rate.label("expected_rate"),
            DecisionRow.ahead_upper_rate.label("upper_rate"),
            DecisionRow.ahead_quantile.label("quantile"),
            DecisionRow.ahead_model.label("model"),
            DecisionRow.ahead_steps.label("steps"),
        )
        .where(DecisionRow.topology_id == stored.id, DecisionRow.ahead_steps >= 0, ~DecisionRow.is_trial)
        .order_by(DecisionRow.decided_for.desc(), DecisionRow.created_at.desc(), DecisionRow.id)
        .limit(most)
        .subquery("looked")
    )
    before = (
        select(SnapshotRow.window_seconds.label("window"))
        .where(SnapshotRow.topology_id == stored.id, SnapshotRow.observed_at < looked.c.decided_for)
        .order_by(SnapshotRow.observed_at.desc(), SnapshotRow.window_seconds)
        .limit(1)
        .lateral("before")
    )
    until = looked.c.decided_for + func.make_interval(0, 0, 0, 0, 0, 0, looked.c.steps * before.c.window)
    came = (
        select(func.max(SnapshotRow.external_rate).label("came"))
        .where(
            SnapshotRow.topology_id == stored.id,
            SnapshotRow.observed_at >= looked.c.decided_for,
            SnapshotRow.observed_at < until,
            SnapshotRow.window_seconds == before.c.window,
            *ended(session),
        )
        .lateral("came")
    )
    joined = looked.join(before, true()).join(came, true())
    query = select(looked, until.label("until"), came.c.came).select_from(joined)
    return session.execute(query.order_by(looked.c.decided_for.desc())).all()


def find_newest_end(session: Session, stored: StoredTopology) -> datetime | None:
    """Returns the end of the topology's newest snapshot; None if there is no snapshot."""
    length = func.make_interval(0, 0, 0, 0, 0, 0, SnapshotRow.window_seconds)
    return session.scalar(
        select(SnapshotRow.observed_at + length)
        .where(SnapshotRow.topology_id == stored.id, SnapshotRow.window_seconds < 1e9, *ended(session))
        .order_by(SnapshotRow.observed_at.desc(), SnapshotRow.window_seconds.desc())
        .limit(1)
    )


def read_past_forecasts(session: Session, name: str, most: int) -> PastForecasts:
    """Returns the forecasts of the newest `most` decisions about a topology, with the rates measured since."""
    stored = find_topology(session, name)
    return to_past_forecasts(gather_forecasts(session, stored, most), find_newest_end(session, stored))


router = APIRouter(
    prefix="/v1/topologies/{name}/past-forecasts", tags=["decisions"], route_class=StrictJsonRoute
)


@router.get(
    "",
    response_model=PastForecasts,
    **declare(may_read, "Compare past forecasts with measured rates", "unknown-topology", pictures=True),
)
@draws
def get_past_forecasts(
    name: TopologyName,
    session: SessionDep,
    limit: Annotated[int, Query(ge=1, le=1000, description="Of the newest decisions.")] = MOST_COMPARED,
    accept: Accept = None,
) -> Response:
    """For each decision with a forecast: the highest rate that was expected, and the highest that was measured.

    JSON, PNG or SVG, by `Accept`.
    """
    form = choose_form(accept, FORMS)
    answer = read_past_forecasts(session, name, limit)
    return answer_in_form(answer, form, partial(draw_past_forecasts, name=name))
