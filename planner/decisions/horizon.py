"""Which external rate must be expected during the coming cooldown, and how long will a change last?

Both are forecast by lines and seasons (planner.workloads.weighed_forecast). A change lasts until the allocation that it
makes would itself be changed. For each step h of the forecast the decision is made again at the upper quantile of that
step. The recommended processors are taken to run, and the cooldown of this change counts:

    horizon = min { h·step : decide(λ0 = upper_h) is not to hold },   and no more than the policy's horizon_seconds

The papers do not weigh a change against its cost (DRS, section IV-C).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf
from typing import Literal, NamedTuple

from planner.decisions.policy import Policy
from planner.errors import PlannerError
from planner.situations.situation import Situation
from planner.topology.loads import MOST_PROCESSORS
from planner.values import Diagnostic
from planner.wording import write_counted, write_percent, write_rate, write_seconds
from planner.workloads.rates_ahead import RateAhead, find_constant, read_history
from planner.workloads.series import Measurement
from planner.workloads.weighed_forecast import forecast_near, look_ahead

Source = Literal["forecast", "policy", "none"]
SizedBy = Literal["smoothed", "newest", "forecast"]
SIZED_FOR: Mapping[SizedBy, str] = {
    "smoothed": "The number of processors is computed for {rate}, the mean rate of the snapshots of the decision.",
    "newest": "The number of processors is computed for {rate}, the rate of the newest snapshot: it is above the mean "
    "rate.",
    "forecast": "The number of processors is computed for {rate}, to which the rate may rise before the next change is "
    "possible. The forecast, from {history}, aims at a probability of {quantile} that the rate stays below "
    "{rate} for the next {time}.",
}
WEIGHED_FOR = "The processors are weighed for the rates that may come in the next hour; {rate} come in now."

MOST_COOLDOWN_STEPS = 1_000
# A forecast further ahead is of little use, and every step costs a decision.
MOST_STEPS_AHEAD = 100
# Operators times steps: the decisions about them take some seconds. Large topologies have shorter forecasts.
MOST_OPERATORS_DECIDED = 200_000


@dataclass(frozen=True)
class RateHistory:
    """The external rates of the newest intervals, oldest first; all intervals are `step_seconds` long."""

    measurements: Sequence[Measurement]
    step_seconds: float


@dataclass(frozen=True)
class RateOutlook:
    """The rate to be ready for over the coming cooldown.

    The rate is None if the policy wants no forecast, or if it is unknown for the reason `missing`.
    """

    rate: RateAhead | None = None
    missing: str = ""

    @property
    def upper_rate(self) -> float | None:
        """The rate that the coming cooldown exceeds only with a small probability; None if it is not known."""
        return self.rate.upper_rate if self.rate else None

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The diagnostics of the forecast of rates, or the reason why a wanted forecast is missing."""
        if self.rate is not None:
            return self.rate.diagnostics
        if not self.missing:
            return ()
        return (Diagnostic("no-look-ahead", f"There is no forecast of the rate. {self.missing}"),)


NO_OUTLOOK = RateOutlook()


class ChangeHorizon(NamedTuple):
    """The time within which a change must have paid back, its source and the reason; None: no limit is known."""

    seconds: float | None
    source: Source
    detail: str


@dataclass(frozen=True, slots=True)
class RatesAhead:
    """The external rate to be ready for at each coming step; if there are no rates, `missing` is the reason."""

    rates: Sequence[float] = ()
    step_seconds: float = 0.0
    missing: str = ""


def look_out(history: RateHistory, policy: Policy, steps: int | None = None) -> RateOutlook:
    """Forecasts the upper quantile of the external rate over `steps` intervals, by default over
    those of the cooldown.
    """
    steps = steps or count_cooldown_steps(policy, history.step_seconds)
    try:
        return RateOutlook(look_ahead(history.measurements, history.step_seconds, steps, policy.qos_target))
    except PlannerError as error:
        return RateOutlook(missing=str(error))


def count_cooldown_steps(policy: Policy, step_seconds: float) -> int:
    """Returns the number of intervals in a cooldown, during which nothing else can be changed; it is at least 1."""
    return min(max(1, ceil(policy.cooldown_seconds / step_seconds)), MOST_COOLDOWN_STEPS)


def count_steps_ahead(step_seconds: float, limit_seconds: float | None, operators: int) -> int:
    """How many steps of `step_seconds` to forecast: up to the limit of the policy, within bounds on computing time."""
    most = min(MOST_STEPS_AHEAD, max(1, MOST_OPERATORS_DECIDED // max(1, operators)))
    return max(1, ceil(min(most, (limit_seconds or inf) / step_seconds)))


def forecast_each_step(history: RateHistory, policy: Policy, operators: int) -> RatesAhead:
    """Forecasts the upper rate of each coming step, as far as the policy's horizon; else says why rates are unknown.

    The upper rate is the q-quantile for the policy's probability q: the upper bound of a band of probability 2q − 1.
    """
    step_seconds = history.step_seconds
    steps = count_steps_ahead(step_seconds, policy.horizon_seconds, operators)
    level = 2.0 * policy.qos_target - 1.0
    try:
        known = read_history(history.measurements, step_seconds)
        if find_constant(known.rates):
            return RatesAhead((float(known.rates[-1]),) * steps, step_seconds)
        forecast = forecast_near(known.workload, steps, level)
    except PlannerError as error:
        return RatesAhead(missing=str(error))
    return RatesAhead(tuple(forecast.upper.tolist()), step_seconds)


def find_horizon(
    policy: Policy, ahead: RatesAhead, decide_later: Callable[[float, float], str | None]
) -> ChangeHorizon:
    """Returns the time until the recommended processors would next be changed, by the forecast or else by the policy.

    `decide_later(rate, seconds)` names the change that would be decided then; None: nothing would be changed.
    """
    limit_seconds = policy.horizon_seconds
    if not ahead.rates:
        return fall_back(f"There is no forecast of the rate. {ahead.missing}", limit_seconds)
    for step, rate in enumerate(ahead.rates, 1):
        seconds = step * ahead.step_seconds
        change = decide_later(rate, seconds) if seconds >= policy.cooldown_seconds else None
        if change is None:
            continue
        detail = (
            f"By the forecast the rate may be {write_rate(rate)} in {write_seconds(seconds)}, and the decision would "
            f"then be to {change}."
        )
        if limit_seconds is not None and seconds > limit_seconds:
            return fall_back(detail, limit_seconds)
        return ChangeHorizon(seconds, "forecast", detail)
    reach = len(ahead.rates) * ahead.step_seconds
    return fall_back(f"No other change is forecast within {write_seconds(reach)}.", limit_seconds)


def fall_back(why: str, limit_seconds: float | None) -> ChangeHorizon:
    """The horizon that the policy sets, if there is no forecast for the reason `why`; None: the policy sets none."""
    if limit_seconds is None:
        detail = f"{why} The policy does not say how long a change lasts either: no change is held back."
        return ChangeHorizon(None, "none", detail)
    detail = f"{why} The policy expects a change to last {write_seconds(limit_seconds)} at most."
    return ChangeHorizon(limit_seconds, "policy", detail)


def limit_rate(situation: Situation, external_rate: float) -> float:
    """Returns the external rate, or the largest rate below it for which processors can be planned."""
    busiest = max(
        visits / service
        for visits, service in zip(situation.flow.visits, situation.stations.service_rate, strict=True)
    )
    return min(external_rate, MOST_PROCESSORS / busiest) if busiest else external_rate


class SizedRate(NamedTuple):
    """The external rate for which the number of processors was computed, and the reason for this rate."""

    external_rate: float
    source: SizedBy
    detail: str = ""


class SizedTotals(NamedTuple):
    """The processors that the goal needs, and those that are recommended; `is_weighed`: by what they cost."""

    needed: int
    recommended: int
    is_weighed: bool = False


def describe_sizing(
    sized: SizedRate, totals: SizedTotals, outlook: RateOutlook, history: RateHistory | None
) -> SizedRate:
    """Returns the rate for which the number of processors of a decision was computed, with a sentence about it."""
    parts, ahead = {"rate": write_rate(sized.external_rate)}, outlook.rate
    if totals.is_weighed:
        return sized._replace(detail=WEIGHED_FOR.format(**parts))
    if ahead is not None:
        seconds = 0.0 if history is None else ahead.steps * history.step_seconds
        steps = write_counted(ahead.steps, "interval")
        parts |= {
            "time": f"{write_seconds(seconds)} ({steps})" if seconds else steps,
            "quantile": write_percent(ahead.quantile),
            "history": write_counted(ahead.history, "interval"),
        }
    detail = SIZED_FOR[sized.source].format(**parts)
    if totals.needed != totals.recommended:
        takes = f"That takes {write_counted(totals.needed, 'processor')}"
        detail += f" {takes}; the reasons of the decision say why {totals.recommended:,} are recommended."
    return sized._replace(detail=detail)
