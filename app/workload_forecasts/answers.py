"""The planner's forecast of a workload as JSON and as a picture."""

from datetime import UTC, datetime

from app.described.answers import DiagnosticAnswer
from app.workload_forecasts.schemas import (
    ExpectedRateAnswer,
    MeasuredRateAnswer,
    WorkloadForecastAnswer,
    WorkloadModelAnswer,
)
from planner.workloads.arma import ArmaModel
from planner.workloads.arma_fallback import FALLBACK_NAME
from planner.workloads.intervals import WorkloadForecast
from planner.workloads.series import Workload


def to_answer(
    workload: Workload, forecast: WorkloadForecast, level: float, history_steps: int
) -> WorkloadForecastAnswer:
    """The newest measured steps and the expected ones."""

    def at(step: int) -> datetime:
        return datetime.fromtimestamp(workload.start_seconds + step * workload.step_seconds, UTC)

    count = len(workload.rates)
    filled = set(workload.filled_steps)
    return WorkloadForecastAnswer(
        step_seconds=workload.step_seconds,
        level=level,
        model=to_model_answer(forecast.model) if forecast.model else None,
        measured=[
            MeasuredRateAnswer(at=at(step), rate=workload.rates[step], filled=step in filled)
            for step in range(max(count - history_steps, 0), count)
        ],
        expected=[
            ExpectedRateAnswer(at=at(count + ahead), rate=float(rate), lower=float(lower), upper=float(upper))
            for ahead, (rate, lower, upper) in enumerate(
                zip(forecast.expected, forecast.lower, forecast.upper, strict=True)
            )
        ],
        diagnostics=[
            DiagnosticAnswer.model_validate(one) for one in (*workload.diagnostics, *forecast.diagnostics)
        ],
    )


def to_model_answer(model: ArmaModel) -> WorkloadModelAnswer:
    """An ARMA model; one without a mean has null for it."""
    return WorkloadModelAnswer(
        kind="arma",
        ar=list(model.ar),
        ma=list(model.ma),
        mean=model.mean if model.order.with_mean else None,
        innovation_variance=model.innovation_variance,
        aic=model.aic,
    )


def draw_answer(answer: WorkloadForecastAnswer, form: str, name: str) -> bytes:
    """The answer as a PNG or SVG."""
    from app.drawing import pictures  # noqa: PLC0415  (matplotlib is loaded when the first picture is asked for)

    model = answer.model
    by = f"ARMA({len(model.ar)}, {len(model.ma)})" if model else FALLBACK_NAME
    return pictures.draw_forecast(
        pictures.ForecastPicture(
            f"{name}: the next {len(answer.expected)} steps by {by}",
            answer.measured[0].at,
            answer.step_seconds,
            [one.rate for one in answer.measured],
            [one.filled for one in answer.measured],
            [one.rate for one in answer.expected],
            [one.lower for one in answer.expected],
            [one.upper for one in answer.expected],
            f"{100.0 * answer.level:.4g}% interval",
        ),
        form,
    )
