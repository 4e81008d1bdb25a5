"""How long a change would last: until the allocation that it makes would itself be changed.

For each step h of a forecast of the external rate, the decision is made again at the upper quantile of that step. The
recommended processors are taken to run, and the cooldown of this change counts:

    horizon = min { h·step : decide(λ0 = upper_h) is not to hold },   and no more than the policy's horizon_seconds

The papers leave the weighing of a change against its cost to others (DRS, section IV-C).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf
from typing import Literal, NamedTuple

from planner.decisions.decide import Decision, decide
from planner.decisions.policy import LastChange, Policy
from planner.errors import PlannerError
from planner.values import Diagnostic, Load
from planner.workloads.arma_forecasts import ARMA_WINDOW, forecast_rate
from planner.workloads.rates_ahead import RateAhead, look_ahead
from planner.workloads.series import Measurement

Source = Literal["forecast", "policy", "none"]

# Beyond as many steps as it was fitted on, an ARMA model forecasts little but its mean.
MOST_STEPS_AHEAD = ARMA_WINDOW
# Operators times steps: some seconds of deciding. Large topologies have shorter forecasts.
MOST_OPERATORS_DECIDED = 200_000


class ChangeHorizon(NamedTuple):
    """The time within which a change must have paid back, where it comes from, and why; None: no limit is known."""

    seconds: float | None
    source: Source
    detail: str


@dataclass(frozen=True, slots=True)
class RatesAhead:
    """The external rate to be ready for at each coming step; `missing` says why there are none."""

    rates: Sequence[float] = ()
    step_seconds: float = 0.0
    missing: str = ""


def count_steps_ahead(step_seconds: float, limit_seconds: float | None, operators: int) -> int:
    """How many steps to forecast: up to the policy's horizon, and no further than a forecast is worth its time."""
    most = min(MOST_STEPS_AHEAD, max(1, MOST_OPERATORS_DECIDED // max(1, operators)))
    return max(1, ceil(min(most, (limit_seconds or inf) / step_seconds)))


def find_horizon(decision: Decision, policy: Policy, ahead: RatesAhead) -> ChangeHorizon:
    """When the recommended allocation would next change, by the forecast, else by the policy."""
    limit_seconds = policy.horizon_seconds
    if not ahead.rates:
        return fall_back(f"No forecast of the external rate: {ahead.missing}", limit_seconds)
    found = find_next_change(decision, policy, ahead)
    reach = len(ahead.rates) * ahead.step_seconds
    if found is None:
        return fall_back(f"No change of the allocation is forecast within {reach:.6g} s.", limit_seconds)
    seconds, said = found
    if limit_seconds is not None and seconds > limit_seconds:
        return fall_back(f"{said}, which is later.", limit_seconds)
    return ChangeHorizon(seconds, "forecast", f"{said}.")


def fall_back(why: str, limit_seconds: float | None) -> ChangeHorizon:
    """The policy's horizon, or none."""
    if limit_seconds is None:
        return ChangeHorizon(
            None, "none", f"{why} The policy has no horizon_seconds either: nothing is held back."
        )
    return ChangeHorizon(
        limit_seconds, "policy", f"{why} The policy's horizon_seconds = {limit_seconds:.6g} holds."
    )


def find_next_change(decision: Decision, policy: Policy, ahead: RatesAhead) -> tuple[float, str] | None:
    """In how many seconds the next change comes, and a sentence about it; None where every step would hold."""
    topology = decision.situation.topology
    load = decision.situation.load
    running = [one.processors for one in decision.recommended.operators]
    for step, rate in enumerate(ahead.rates, 1):
        seconds = step * ahead.step_seconds
        if seconds < policy.cooldown_seconds:
            continue
        last = LastChange(seconds, load.external_rate)
        then = decide(topology, scale_measured(load, rate), running, policy, last)
        if then.action != "hold":
            total = then.recommended.processors_total
            said = (
                f"The forecast's upper quantile is {rate:.6g} tuples/s in {seconds:.6g} s, and the decision would "
                f"then be {then.action} (to {total} from {sum(running)} processors)"
            )
            return seconds, said
    return None


def scale_measured(load: Load, external_rate: float) -> Load:
    """The load at another external rate: arrival rates in proportion, and no measured E[T]."""
    known = load.external_rate
    operators = {
        name: one._replace(arrival_rate=one.arrival_rate * (external_rate / known))
        if one.arrival_rate is not None and known
        else one._replace(arrival_rate=None)
        for name, one in load.operators.items()
    }
    return Load(external_rate, operators)


MOST_STEPS = 1_000


@dataclass(frozen=True)
class RateHistory:
    """External rates of the newest intervals, oldest first, all `step_seconds` long."""

    measurements: Sequence[Measurement]
    step_seconds: float


@dataclass(frozen=True)
class RateOutlook:
    """The rate to be ready for over the coming cooldown; None: not asked for, or `missing` says why it is unknown."""

    rate: RateAhead | None = None
    missing: str = ""

    @property
    def upper_rate(self) -> float | None:
        """The upper quantile of the rate; None where it is not known."""
        return self.rate.upper_rate if self.rate else None

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the forecast assumed, or why there is none although it was asked for."""
        if self.rate is not None:
            return self.rate.diagnostics
        if not self.missing:
            return ()
        return (Diagnostic("no-look-ahead", f"It was not looked ahead: {self.missing}"),)


NO_OUTLOOK = RateOutlook()


def is_looking_ahead(policy: Policy) -> bool:
    """Whether the policy wants a forecast: only the processors for a target follow the rate to come."""
    return policy.look_ahead and policy.has_target


def look_out(history: RateHistory, policy: Policy, steps: int | None = None) -> RateOutlook:
    """The upper quantile of the external rate over `steps` intervals, by default those of the cooldown."""
    steps = steps or count_cooldown_steps(policy, history.step_seconds)
    try:
        return RateOutlook(look_ahead(history.measurements, history.step_seconds, steps, policy.qos_target))
    except PlannerError as error:
        return RateOutlook(missing=str(error))


def forecast_each_step(history: RateHistory, policy: Policy, operators: int) -> RatesAhead:
    """The upper rate of each coming interval, as far as a horizon may reach; or why they are unknown."""
    step_seconds = history.step_seconds
    reach = count_steps_ahead(step_seconds, policy.horizon_seconds, operators)
    steps = count_cooldown_steps(policy, step_seconds)
    try:
        forecast = forecast_rate(history.measurements, step_seconds, steps, policy.qos_target, reach=reach)
    except PlannerError as error:
        return RatesAhead(missing=str(error))
    return RatesAhead(forecast.upper_rates, step_seconds)


def count_cooldown_steps(policy: Policy, step_seconds: float) -> int:
    """The intervals of a cooldown, in which nothing else can be changed: at least 1, at most MOST_STEPS."""
    return min(max(1, ceil(policy.cooldown_seconds / step_seconds)), MOST_STEPS)
