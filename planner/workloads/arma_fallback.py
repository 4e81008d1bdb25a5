"""What stands in for an ARMA model that cannot be used; every forecast takes its fallback from here.

    the series is constant      its rate, without deviation
    no model can be fitted      the 95% quantile of the last day's rates, with their standard deviation
    no order can be ranked      ARMA(1, 2) without a mean, the order of Imai et al. (Table I)

A series that is too short has no stand-in: WorkloadTooShort is raised.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from planner.arrays import Floats
from planner.values import Diagnostic
from planner.workloads.arma import ArmaModel, ArmaOrder
from planner.workloads.arma_fit import ArmaFitFailed, Fit, fit_arma, rank_orders
from planner.workloads.errors import ConstantWorkload
from planner.workloads.series import check_forecastable

FALLBACK_QUANTILE = 0.95
FALLBACK_NAME = "the last day's 95% quantile"
USUAL_ORDER = ArmaOrder(1, 2)


@dataclass(frozen=True, slots=True)
class StandIn:
    """The rate and deviation of every step ahead, where they come from, and why no model gives them."""

    rate: float
    deviation: float
    source: Literal["constant", "quantile"]
    why: str


def fit_or_stand_in(recent: Floats, day: Floats) -> ArmaModel | StandIn:
    """The ARMA model of lowest AIC on `recent`, else the quantile of `day`, the rates of the last day."""
    try:
        return rank_orders(recent)[0]
    except ArmaFitFailed as failure:
        return stand_in_for_model(day, failure)


def stand_in_for_model(day: Floats, failure: ArmaFitFailed) -> StandIn:
    """The quantile of the last day's rates, for a model that could not be fitted."""
    return StandIn(float(np.quantile(day, FALLBACK_QUANTILE)), float(np.std(day)), "quantile", str(failure))


def stand_in_if_constant(rates: Floats, needed: int) -> StandIn | None:
    """The rate of a series without variation; None where it varies. Raises WorkloadTooShort below `needed` steps."""
    try:
        check_forecastable(rates, needed)
    except ConstantWorkload as error:
        return StandIn(float(rates[-1]), 0.0, "constant", str(error))
    return None


def choose_order(rates: Floats, orders: tuple[ArmaOrder, ...], fit: Fit = fit_arma) -> ArmaOrder:
    """The order of lowest AIC, else USUAL_ORDER."""
    try:
        return rank_orders(rates, orders, fit)[0].order
    except ArmaFitFailed:
        return USUAL_ORDER


def describe_stand_in(found: StandIn) -> Diagnostic:
    """The diagnostic of a rate to be ready for that is a stand-in."""
    if found.source == "constant":
        return Diagnostic("constant-rate", found.why)
    return Diagnostic("no-model", f"No ARMA model could be fitted: {found.why}.")


def describe_quantile(why: str) -> Diagnostic:
    """The diagnostic of a forecast that the quantile stands in for."""
    return Diagnostic(
        "forecast-fallback", f"{why}: the 95% quantile of the last day stands in for a forecast."
    )
