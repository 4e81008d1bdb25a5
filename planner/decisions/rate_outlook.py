"""Which external rate to be ready for, as the policy asks: over the coming cooldown, and until the next change."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from planner.decisions.change_horizon import RatesAhead, count_steps_ahead
from planner.decisions.owner_terms import Policy
from planner.errors import PlannerError
from planner.values import Diagnostic
from planner.workloads.rate_ahead import RateAhead, look_ahead
from planner.workloads.series import Measurement
from planner.workloads.upper_rate import forecast_rate

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
