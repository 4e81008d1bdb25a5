"""Turns the planner's forecast of a workload into JSON and into a picture."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from app.forecasts.workload.schemas import (
    ExpectedRateAnswer,
    ForecastAccuracyAnswer,
    LeadAccuracyAnswer,
    MeasuredRateAnswer,
    WorkloadForecastAnswer,
    WorkloadModelAnswer,
)
from app.load.bodies.answers import DiagnosticAnswer
from app.rendering.charts import BAND, SOLID, Chart, Line, Panel, Upright, draw_chart
from app.rendering.picture_files import write_picture
from app.rendering.picture_shapes import BLUE, ORANGE, Ink, Key
from app.web.fields import find_time
from planner.wording import write_counted, write_number
from planner.workloads.accuracy import LeadAccuracy, RollingAccuracy, RollingTerms, falls_short
from planner.workloads.arma.models import ArmaModel
from planner.workloads.series import Workload
from planner.workloads.workload_forecast import FALLBACK_NAME, WorkloadForecast

EXPECTED, CAME = Ink(stroke=ORANGE, width=1.8), Ink(stroke=BLUE, width=1.4, dash=(6.0, 3.0))


def to_answer(
    workload: Workload,
    forecast: WorkloadForecast,
    level: float,
    history_steps: int,
    came: Sequence[float | None] = (),
) -> WorkloadForecastAnswer:
    """Returns the newest measured steps, and the expected steps beside the rates that were measured later (`came`)."""

    def at(step: int) -> datetime:
        return find_step_time(workload, step)

    count = len(workload.rates)
    filled = set(workload.filled_steps)
    return WorkloadForecastAnswer(
        step_seconds=workload.step_seconds,
        level=level,
        model=describe_model(forecast),
        measured=[
            MeasuredRateAnswer(at=at(step), rate=workload.rates[step], filled=step in filled)
            for step in range(max(count - history_steps, 0), count)
        ],
        expected=[
            ExpectedRateAnswer(
                at=at(count + ahead),
                rate=float(rate),
                lower=float(lower),
                upper=float(upper),
                came_rate=came[ahead] if came else None,
            )
            for ahead, (rate, lower, upper) in enumerate(
                zip(forecast.expected, forecast.lower, forecast.upper, strict=True)
            )
        ],
        diagnostics=[
            DiagnosticAnswer.model_validate(one) for one in (*workload.diagnostics, *forecast.diagnostics)
        ],
    )


def find_step_time(workload: Workload, step: int) -> datetime:
    """Returns the time at which a step of the workload begins; steps count from 0."""
    return find_time(workload.start_seconds + step * workload.step_seconds)


def to_accuracy_answer(
    workload: Workload, terms: RollingTerms, found: RollingAccuracy, as_of: datetime | None
) -> ForecastAccuracyAnswer:
    """Returns how accurate forecasts were, for each number of steps ahead, as an answer."""

    def list_leads(leads: Sequence[LeadAccuracy], wanted: float) -> list[LeadAccuracyAnswer]:
        return [
            LeadAccuracyAnswer(
                seconds=one.steps * workload.step_seconds,
                falls_short=falls_short(one.most_coverage, wanted),
                **asdict(one),
            )
            for one in leads
        ]

    ends = (found.origins[0], found.origins[-1]) if found.origins else (None, None)
    first, last = (None if end is None else find_step_time(workload, end) for end in ends)
    return ForecastAccuracyAnswer(
        as_of=as_of,
        step_seconds=workload.step_seconds,
        origins=len(found.origins),
        first_origin=first,
        last_origin=last,
        level=terms.level,
        rates=list_leads(found.rates, terms.level),
        quantile=terms.quantile,
        peaks=list_leads(found.peaks, terms.quantile),
        diagnostics=[DiagnosticAnswer.model_validate(one) for one in found.diagnostics],
    )


def describe_model(forecast: WorkloadForecast) -> WorkloadModelAnswer | None:
    """Returns the model of a forecast as an answer; None if a simpler forecast was used instead of a model."""
    if forecast.kind != "arma":
        return WorkloadModelAnswer.model_validate({"kind": forecast.kind})
    return to_model_answer(forecast.model) if forecast.model else None


def to_model_answer(model: ArmaModel) -> WorkloadModelAnswer:
    """Returns an ARMA model as an answer; the mean is null in a model without one."""
    return WorkloadModelAnswer(
        kind="arma",
        ar=list(model.ar),
        ma=list(model.ma),
        mean=model.mean if model.order.with_mean else None,
        innovation_variance=model.innovation_variance,
        aic=model.aic,
    )


def name_model(model: WorkloadModelAnswer) -> str:
    """Returns the name of a model for the title of a picture."""
    return f"ARMA({len(model.ar)}, {len(model.ma)})" if model.kind == "arma" else model.kind


def draw_answer(answer: WorkloadForecastAnswer, form: str, name: str) -> bytes:
    """Draws a forecast as PNG or SVG; `name` is the name of the topology.

    Expected rates begin at the last measured one. Steps that were filled in are a gap.
    """
    model = answer.model
    by = name_model(model) if model else FALLBACK_NAME
    title = f"{name}: the next {write_counted(len(answer.expected), 'step')} by {by}"
    last, ahead = answer.measured[-1], answer.expected
    before: list[float | None] = [None] * (len(answer.measured) - 1)
    nothing: list[float | None] = [None] * len(ahead)
    measured = [None if one.filled else one.rate for one in answer.measured]
    lines = [
        Line("measured", measured + nothing, SOLID),
        Line("expected", [*before, last.rate, *(one.rate for one in ahead)], EXPECTED),
        Line("came since", [*before, None, *(one.came_rate for one in ahead)], CAME),
    ]
    edges = [
        [*before, last.rate, *rates] for rates in ([one.lower for one in ahead], [one.upper for one in ahead])
    ]
    key = Key(f"{write_number(100.0 * answer.level, digits=4)}% interval", BAND)
    begin = answer.measured[0].at.timestamp()
    times = [begin + step * answer.step_seconds for step in range(len(answer.measured) + len(ahead))]
    since = Upright(times[len(before)], "forecast from here")
    panel = Panel("Rate per second", lines, band=(edges[0], edges[1]), uprights=[since], keys=[key])
    return write_picture(draw_chart(Chart(title, [], times, [panel], "UTC", description=title)), form)
