"""How many VMs do the coming intervals need, and why? A policy of Imai et al. or Headgate's own decides."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from planner.arrays import Floats
from planner.values import Diagnostic
from planner.vms.price_policy import DEFAULT_QOS_TARGET, HeadgatePolicy, PricedIntervals
from planner.vms.sigma_policies import HEADGATE, PolicyName, SigmaRule, VmReason, find_policy
from planner.vms.throughput import MstModel, MstSample, fit_mst
from planner.vms.timing import (
    RecordedStep,
    Timing,
    check_max_vms,
    check_qos_target,
    check_timing,
    is_judgeable,
    observe_record,
)
from planner.wording import write_counted, write_number, write_seconds
from planner.workloads.accuracy import bound_share
from planner.workloads.arma.models import ArmaModel
from planner.workloads.likely_mixtures import Components, LikelyMixture
from planner.workloads.series import InvalidSchedule, Window, Workload, check_forecastable
from planner.workloads.workload_forecast import (
    ARMA_WINDOW,
    ArmaPeaks,
    PeakForecast,
    StandIn,
    as_peak,
    describe_quantile,
    expect_last_rate,
    fit_or_stand_in,
)

PAPER_QOS_TARGET = 0.95
MOST_INTERVALS = 24
MOST_RECALLED = 432
"""So many past intervals say which price keeps a target: three days of ten minutes."""
DEFAULT_TIMING = Timing()


@dataclass(frozen=True, slots=True)
class SchedulePromise:
    """How a caller stands to the target, and what the price of the schedule is; shares lie between 0 and 1.

    `kept_so_far` is the served share of the recorded steps, between `least_kept` and `most_kept` by chance; all are
    None without a record. `binding` says what keeps the schedule from serving more: `target`, `price`, `price-cap` or
    `max-vms`.
    """

    steps: int
    kept_so_far: float | None
    least_kept: float | None
    most_kept: float | None
    debt_steps: float | None
    price: float
    price_cap: float
    binding: str
    judgeable: bool


@dataclass(frozen=True, slots=True)
class VmQuestion:
    """The workload, the measured throughputs and the terms from which a schedule of VMs is computed.

    A `qos_target` of None is the default of the policy. `bounds` are throughputs that VMs served with room left; only
    Headgate's own policy uses them. ARMA models are fitted to the newest `window_steps` rates.
    `record` has the newest steps of the caller, the last of which is the last of the workload.
    """

    workload: Workload
    samples: tuple[MstSample, ...]
    policy: str = HEADGATE
    qos_target: float | None = None
    timing: Timing = DEFAULT_TIMING
    intervals: int = 1
    max_vms: int = 128
    bounds: tuple[MstSample, ...] = ()
    window_steps: int = ARMA_WINDOW
    record: tuple[RecordedStep, ...] = ()


class VmInterval(NamedTuple):
    """One interval of a schedule of VMs, in seconds since the epoch, with its expected rate and the
    reason for its VMs.
    """

    from_seconds: float
    to_seconds: float
    expected_rate: float
    reason: VmReason


@dataclass(frozen=True, slots=True)
class VmForecast:
    """A schedule of VMs, and the models of rates and throughputs behind it."""

    policy: str
    qos_target: float
    intervals: tuple[VmInterval, ...]
    mst_model: MstModel
    workload_model: ArmaModel | None
    diagnostics: tuple[Diagnostic, ...]
    promise: SchedulePromise | None = None

    @property
    def expected(self) -> float:
        """The mean probability of the intervals; with Headgate's own policy it is the expected
        share of served steps.
        """
        return fmean(one.reason.probability for one in self.intervals)

    @property
    def kept(self) -> bool:
        """Whether the schedule as a whole is expected to keep its target."""
        return all(one.reason.meets_target for one in self.intervals)

    @property
    def verdict(self) -> str:
        """A sentence that says whether the whole schedule is expected to keep its target."""
        met = "meets" if self.kept else "misses"
        count, target = len(self.intervals), write_number(100.0 * self.qos_target, digits=6)
        if self.policy == HEADGATE:
            expected = write_number(100.0 * self.expected, digits=4, down=True)
            return (
                f"The schedule {met} its target: {expected}% of the time of {write_counted(count, 'interval')} is "
                f"expected to be served, and the target is {target}%."
            )
        missed = sum(not one.reason.meets_target for one in self.intervals)
        where = f"{missed} of {write_counted(count, 'interval')}" if missed else "every interval"
        level = "below" if missed else "of at least"
        return (
            f"The schedule {met} its target: in {where} the VMs serve the highest rate with a probability {level} "
            f"{target}%."
        )


def forecast_vms(question: VmQuestion) -> VmForecast:
    """Returns the VMs of each coming interval; the first interval begins as soon as VMs started now are ready."""
    check_timing(question.timing)
    check_max_vms(question.max_vms)
    if not 1 <= question.intervals <= MOST_INTERVALS:
        raise InvalidSchedule(
            f"A schedule has 1 to {MOST_INTERVALS} intervals, not {question.intervals}.", "/horizon"
        )
    recorded, steps = len(question.record), len(question.workload.rates)
    if recorded > steps:
        detail = (
            f"The record has {recorded:,} steps and the workload {steps:,}: send at most one for each step."
        )
        raise InvalidSchedule(detail, "/record")
    default = DEFAULT_QOS_TARGET if question.policy == HEADGATE else PAPER_QOS_TARGET
    qos_target = default if question.qos_target is None else question.qos_target
    check_qos_target(qos_target)
    model = fit_mst(question.samples)
    if question.policy == HEADGATE:
        found = _schedule_by_price(question, qos_target)
    else:
        found = _schedule_by_sigma(question, model, qos_target)
    limits = _describe_limits(found.reasons, model, question.max_vms)
    intervals = tuple(
        VmInterval(*_span(question, window), rate, reason)
        for window, rate, reason in zip(windows_ahead(question), found.rates, found.reasons, strict=True)
    )
    diagnostics = (*question.workload.diagnostics, *found.diagnostics, *limits)
    return VmForecast(
        question.policy, qos_target, intervals, model, found.workload_model, diagnostics, found.promise
    )


def windows_ahead(question: VmQuestion) -> list[Window]:
    """Returns the intervals to schedule, one after the other; the first begins as soon as VMs started now are ready."""
    steps, first = question.timing.interval_steps, question.timing.lead_steps
    return [Window(first + i * steps, first + (i + 1) * steps - 1) for i in range(question.intervals)]


def _span(question: VmQuestion, window: Window) -> tuple[float, float]:
    workload = question.workload
    begin = workload.end_seconds + workload.step_seconds * (window.first - 1)
    return begin, begin + workload.step_seconds * window.steps


@dataclass(frozen=True, slots=True)
class _Scheduled:
    """The reason and the expected rate of every scheduled interval, the ARMA model if there is one, and diagnostics."""

    reasons: Sequence[VmReason]
    rates: Sequence[float]
    workload_model: ArmaModel | None
    diagnostics: Sequence[Diagnostic]
    promise: SchedulePromise | None = None


def _schedule_by_sigma(question: VmQuestion, model: MstModel, qos_target: float) -> _Scheduled:
    """Schedules VMs by a policy of Imai et al.: each interval gets VMs for its highest rate, with the target's
    probability.
    """
    known, rates = find_policy(question.policy), question.workload.series
    forecast, arma, found = _choose_forecast(question, known)
    sigma = model.sigma if known.uncertain_model else 0.0
    rule = SigmaRule(model, sigma, question.max_vms, qos_target)
    loads = [forecast(rates, window) for window in windows_ahead(question)]
    fallbacks = {load.fallback for load in loads if load.fallback is not None}
    found += [describe_quantile(why) for why in sorted(fallbacks)]
    return _Scheduled([rule.explain(load) for load in loads], [load.rate for load in loads], arma, found)


def _choose_forecast(
    question: VmQuestion, known: PolicyName
) -> tuple[PeakForecast, ArmaModel | None, list[Diagnostic]]:
    """The forecast of highest rates that a policy uses, its ARMA model (None: there is no model), and diagnostics."""
    if not known.forecasting:
        return expect_last_rate, None, []
    rates = question.workload.series
    check_forecastable(rates, question.window_steps)
    fitted = fit_or_stand_in(rates[-question.window_steps :], rates[-question.timing.day_steps :])
    if isinstance(fitted, StandIn):
        said = Diagnostic("forecast-not-fitted", f"No ARMA model could be fitted: {fitted.why}.")
        return lambda _, __: as_peak(fitted), None, [said]
    peaks = ArmaPeaks(fitted.order, window_steps=question.window_steps, day_steps=question.timing.day_steps)
    return peaks, fitted, []


def _schedule_by_price(question: VmQuestion, qos_target: float) -> _Scheduled:
    """Schedules VMs by Headgate's own policy for all intervals at once, without a record of earlier VMs."""
    rates, day = question.workload.series, question.timing.day_steps
    check_forecastable(rates, question.window_steps)

    mixtures: dict[Window, LikelyMixture] = {}

    def likely_rates(known: Floats, window: Window) -> Components:
        return mixtures.setdefault(window, LikelyMixture(window, day)).likely_rates(known)

    policy = HeadgatePolicy(
        question.samples,
        likely_rates,
        question.max_vms,
        qos_target,
        bounds=question.bounds,
        timing=question.timing,
    )
    windows = windows_ahead(question)
    policy.recall(rates, windows[0], MOST_RECALLED)
    chosen = policy.decide_intervals(observe_record(rates, question.record, question.timing), windows)
    said = []
    if len(rates) < 2 * day:
        known = write_seconds(len(rates) * question.timing.step_seconds)
        detail = f"The rates of {known} are known, and not of two days: how the same hours went before is not known"
        said.append(
            Diagnostic(
                "short-history", f"{detail}, so the schedule may keep more VMs than it would with two days."
            )
        )
    if not question.record:
        detail = "This is a forecast and no promise: which VMs ran before, and what they did not serve, is not known"
        said.append(
            Diagnostic(
                "no-record",
                f"{detail}. A request can tell both (`record`): the schedule then makes up for what was not served.",
            )
        )
    promise = _describe_promise(question, chosen, qos_target)
    return _Scheduled(policy.explain(chosen), chosen.median_rates, None, said, promise)


def _describe_promise(question: VmQuestion, chosen: PricedIntervals, qos_target: float) -> SchedulePromise:
    steps, price = len(question.record), chosen.price
    kept = least = most = debt = None
    if steps:
        missed = sum(one.saturated for one in question.record)
        kept, debt = 1.0 - missed / steps, missed - (1.0 - qos_target) * steps
        least, most = bound_share(kept, max(steps // question.timing.interval_steps, 1))
    binding = "target"
    if int(chosen.counts.max()) >= question.max_vms:
        binding = "max-vms"
    elif steps and chosen.mean_unserved > 1.0 - qos_target:
        binding = "price-cap" if price.capped else "price"
    judgeable = is_judgeable(steps, question.timing.step_seconds, qos_target)
    return SchedulePromise(steps, kept, least, most, debt, price.price, price.cap, binding, judgeable)


def _describe_limits(reasons: Sequence[VmReason], model: MstModel, max_vms: int) -> list[Diagnostic]:
    found = []
    most = max(reason.vms for reason in reasons)
    if most > model.most_vms:
        detail = f"Up to {most} VMs are scheduled, but throughputs were measured for {model.most_vms} at most"
        found.append(Diagnostic("mst-extrapolated", f"{detail}: beyond that the model is a guess."))
    if not all(reason.meets_target for reason in reasons):
        detail = f"No schedule with at most {max_vms} VMs meets the target"
        found.append(Diagnostic("target-not-met", f"{detail}: the VMs that serve the most are given."))
    return found
