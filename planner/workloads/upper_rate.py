"""The external rate to be ready for: the upper quantile of the highest step ahead.

    h = argmax (λ̂ + 2σ),   upper = λ̂_h + z_q σ_h           (after Imai et al., eq. 14 and section III-B)

The model is the ARMA model of lowest AIC over the newest intervals. Where none can be used,
planner.workloads.arma_fallback stands in, and a diagnostic says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from planner.values import Diagnostic
from planner.workloads.arma import ArmaModel, ArmaOrder, forecast_arma
from planner.workloads.arma_fallback import (
    StandIn,
    describe_stand_in,
    fit_or_stand_in,
    stand_in_if_constant,
)
from planner.workloads.peak_rate import ARMA_WINDOW
from planner.workloads.series import Measurement, regularise_workload

# On fewer intervals a forecast is worse than the newest rate.
FEWEST_INTERVALS = 30


@dataclass(frozen=True, slots=True)
class RateForecast:
    """The rates at the step ahead with the highest λ̂ + 2σ; `history` is the number of intervals learnt from.

    `upper_rates`: λ̂_h + z_q σ_h of each step ahead, as far as was asked for.
    """

    expected_rate: float
    upper_rate: float
    step: int
    model: str
    history: int
    diagnostics: tuple[Diagnostic, ...]
    upper_rates: tuple[float, ...]


def forecast_rate(
    measurements: Sequence[Measurement], step_seconds: float, steps: int, quantile: float, *, reach: int = 0
) -> RateForecast:
    """The rate to be ready for over `steps` steps, and the upper rate of each of the next max(steps, reach) steps.

    Raises WorkloadTooShort where too few intervals are known.
    """
    reach = max(reach, steps)
    workload = regularise_workload(measurements, step_seconds)
    rates = workload.series[-ARMA_WINDOW:]
    z = float(ndtri(quantile))
    model = stand_in_if_constant(rates, FEWEST_INTERVALS) or fit_or_stand_in(rates, rates)
    if isinstance(model, StandIn):
        return _stand_in(model, z, reach, len(rates), workload.diagnostics)
    ahead = forecast_arma(model, rates, reach)
    peak = int(np.argmax((ahead.means + 2.0 * ahead.deviations)[:steps]))
    uppers = np.maximum(ahead.means + z * ahead.deviations, 0.0)
    return RateForecast(
        expected_rate=max(float(ahead.means[peak]), 0.0),
        upper_rate=float(uppers[peak]),
        step=peak + 1,
        model=name_model(model),
        history=len(rates),
        diagnostics=workload.diagnostics,
        upper_rates=tuple(map(float, uppers)),
    )


def _stand_in(
    found: StandIn, z: float, reach: int, history: int, diagnostics: tuple[Diagnostic, ...]
) -> RateForecast:
    upper = found.rate + max(z, 0.0) * found.deviation
    said = describe_stand_in(found)
    return RateForecast(found.rate, upper, 1, found.source, history, (*diagnostics, said), (upper,) * reach)


def name_model(model: ArmaModel) -> str:
    """The model's name: `ARMA(1, 2), with mean`."""
    return name_order(model.order)


def name_order(order: ArmaOrder) -> str:
    """The name of the models of an order."""
    return f"ARMA({order.ar}, {order.ma}), {'with mean' if order.with_mean else 'zero mean'}"
