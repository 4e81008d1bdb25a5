"""How many VMs the coming intervals need, and why: by a policy of the paper or by our own."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from planner.arrays import Floats
from planner.values import Diagnostic
from planner.vms.price_policy import DEFAULT_QOS_TARGET, HeadgatePolicy
from planner.vms.sigma_policies import HEADGATE, PolicyName, SigmaRule, VmReason, find_policy
from planner.vms.throughput import MstModel, MstSample, fit_mst
from planner.vms.timing import Timing, check_max_vms, check_qos_target, check_timing
from planner.workloads.arma import ArmaModel
from planner.workloads.arma_fallback import StandIn, describe_quantile, fit_or_stand_in
from planner.workloads.errors import InvalidSchedule
from planner.workloads.peak_rate import ARMA_WINDOW, ArmaPeaks, PeakForecast, as_peak, expect_last_rate
from planner.workloads.rate_distribution import Outlook
from planner.workloads.series import Workload, check_forecastable
from planner.workloads.window import Window

Counts = NDArray[np.intp]

PAPER_QOS_TARGET = 0.95
MOST_INTERVALS = 24
DEFAULT_TIMING = Timing()


@dataclass(frozen=True, slots=True)
class VmQuestion:
    """What is asked; `bounds` are throughputs that were served without saturating, of use to our own policy."""

    workload: Workload
    samples: tuple[MstSample, ...]
    policy: str = HEADGATE
    qos_target: float | None = None
    timing: Timing = DEFAULT_TIMING
    intervals: int = 1
    max_vms: int = 128
    bounds: tuple[MstSample, ...] = ()
    window_steps: int = ARMA_WINDOW


@dataclass(frozen=True, slots=True)
class VmInterval:
    """One interval's answer: it begins `first_step` steps after the last one measured."""

    from_seconds: float
    to_seconds: float
    expected_rate: float
    reason: VmReason


@dataclass(frozen=True, slots=True)
class VmForecast:
    """The schedule, and the models behind it."""

    policy: str
    qos_target: float
    intervals: tuple[VmInterval, ...]
    mst_model: MstModel
    workload_model: ArmaModel | None
    diagnostics: tuple[Diagnostic, ...]


def forecast_vms(question: VmQuestion) -> VmForecast:
    """The VMs of each coming interval, the first beginning as soon as VMs asked for now are ready."""
    check_timing(question.timing)
    check_max_vms(question.max_vms)
    if not 1 <= question.intervals <= MOST_INTERVALS:
        raise InvalidSchedule(
            f"{question.intervals} intervals: ask for 1 to {MOST_INTERVALS} of them.", "/horizon"
        )
    default = DEFAULT_QOS_TARGET if question.policy == HEADGATE else PAPER_QOS_TARGET
    qos_target = default if question.qos_target is None else question.qos_target
    check_qos_target(qos_target)
    model = fit_mst(question.samples)
    if question.policy == HEADGATE:
        reasons, rates, found = _schedule_by_price(question, qos_target)
        arma = None
    else:
        reasons, rates, arma, found = _schedule_by_sigma(question, model, qos_target)
    found += _describe_limits(reasons, model, question.max_vms)
    intervals = tuple(
        VmInterval(*_span(question, window), rate, reason)
        for window, rate, reason in zip(windows_ahead(question), rates, reasons, strict=True)
    )
    diagnostics = (*question.workload.diagnostics, *found)
    return VmForecast(question.policy, qos_target, intervals, model, arma, diagnostics)


def windows_ahead(question: VmQuestion) -> list[Window]:
    """[t, t + S), [t + S, t + 2S), ... as distances from the last step measured, U before t."""
    steps, first = question.timing.interval_steps, max(question.timing.startup_steps, 1)
    return [Window(first + i * steps, first + (i + 1) * steps - 1) for i in range(question.intervals)]


def _span(question: VmQuestion, window: Window) -> tuple[float, float]:
    workload = question.workload
    begin = workload.end_seconds + workload.step_seconds * (window.first - 1)
    return begin, begin + workload.step_seconds * window.steps


def _schedule_by_sigma(
    question: VmQuestion, model: MstModel, qos_target: float
) -> tuple[list[VmReason], list[float], ArmaModel | None, list[Diagnostic]]:
    """Each interval's peak covered with probability ρ."""
    known, rates = find_policy(question.policy), question.workload.series
    forecast, arma, found = _choose_forecast(question, known)
    sigma = model.sigma if known.uncertain_model else 0.0
    rule = SigmaRule(model, sigma, question.max_vms, qos_target)
    loads = [forecast(rates, window) for window in windows_ahead(question)]
    fallbacks = {load.fallback for load in loads if load.fallback is not None}
    found += [describe_quantile(why) for why in sorted(fallbacks)]
    return [rule.explain(load) for load in loads], [load.rate for load in loads], arma, found


def _choose_forecast(
    question: VmQuestion, known: PolicyName
) -> tuple[PeakForecast, ArmaModel | None, list[Diagnostic]]:
    """The last rate, or the ARMA model of lowest AIC on the newest window."""
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


def _schedule_by_price(
    question: VmQuestion, qos_target: float
) -> tuple[list[VmReason], list[float], list[Diagnostic]]:
    """The fewest VMs over all intervals whose mean expected unserved share is at most 1 − target.

    The price is the same for all: the dual of that problem. With one interval it is the least m that meets the target.
    """
    rates = question.workload.series
    check_forecastable(rates, question.window_steps)
    policy = HeadgatePolicy(question.samples, _no_rates, question.max_vms, qos_target)
    for bound in question.bounds:
        if bound.vms <= question.max_vms:
            policy.belief.learn_bound(bound.vms, bound.throughput)
    day = question.timing.day_steps
    clouds = [Outlook(window, day).rates_ahead(rates) for window in windows_ahead(question)]
    unserved = np.array([policy.unserved_shares(cloud) for cloud in clouds])
    counts = choose_together(unserved, 1.0 - qos_target)
    meets = bool(unserved[np.arange(len(counts)), counts - 1].mean() <= 1.0 - qos_target)
    reasons = [
        _explain_price(policy, cloud, shares, int(vms), meets_target=meets)
        for cloud, shares, vms in zip(clouds, unserved, counts, strict=True)
    ]
    found = []
    if len(rates) < 2 * day:
        detail = f"{len(rates)} steps are less than two days: what the same hours before did is not known yet"
        found.append(Diagnostic("short-history", f"{detail}, and margins are wider for it."))
    return reasons, [float(np.median(cloud)) for cloud in clouds], found


def _no_rates(rates: Floats, window: Window) -> Floats:  # noqa: ARG001  (a RatesAhead that is not asked)
    return np.zeros(1)


def choose_together(unserved: Floats, allowed: float) -> Counts:
    """Per interval the m that is cheapest at the lowest common price with mean unserved share ≤ `allowed`.

    Where the price alone steps over the target, single intervals step back one choice at a time.
    """
    vms = np.arange(1.0, unserved.shape[1] + 1.0)
    low, high = 1e-3, 1e9
    for _ in range(80):
        price = np.sqrt(low * high)
        if _mean_share(unserved, _pick(unserved, vms, price)) <= allowed:
            high = price
        else:
            low = price
    dear, cheap = _pick(unserved, vms, high), _pick(unserved, vms, low)
    if _mean_share(unserved, dear) > allowed:
        # No price is enough: what serves most.
        return np.asarray(np.argmin(unserved, axis=1) + 1, dtype=np.intp)
    for interval in range(len(dear)):
        for fewer in range(int(cheap[interval]), int(dear[interval])):
            trial = dear.copy()
            trial[interval] = fewer
            if _mean_share(unserved, trial) <= allowed:
                dear = trial
                break
    return dear


def _pick(unserved: Floats, vms: Floats, price: float) -> Counts:
    return np.asarray(np.argmin(vms + price * unserved, axis=1) + 1, dtype=np.intp)


def _mean_share(unserved: Floats, counts: Counts) -> float:
    return float(unserved[np.arange(len(counts)), counts - 1].mean())


def _explain_price(
    policy: HeadgatePolicy, cloud: Floats, shares: Floats, vms: int, *, meets_target: bool
) -> VmReason:
    """The choice in parts: for the median rate and throughput, then for an uncertain throughput, then the rest."""
    z = float(ndtri(policy.qos_target))
    median = np.array([float(np.median(cloud))])
    reached = np.maximum.accumulate(np.exp(policy.belief.means))
    for_mean = min(int(np.searchsorted(reached, median[0], side="right")) + 1, vms)
    enough = np.flatnonzero(policy.unserved_shares(median) <= 1.0 - policy.qos_target)
    with_model = min(int(enough[0]) + 1 if len(enough) else vms, vms)
    with_model = max(with_model, for_mean)
    spread = float(policy.belief.deviations[vms - 1])
    return VmReason(
        vms,
        float(np.exp(policy.belief.means[vms - 1] - z * spread)),
        float(1.0 - shares[vms - 1]),
        meets_target,
        for_mean,
        with_model - for_mean,
        vms - with_model,
    )


def _describe_limits(reasons: Sequence[VmReason], model: MstModel, max_vms: int) -> list[Diagnostic]:
    found = []
    most = max(reason.vms for reason in reasons)
    if most > model.most_vms:
        detail = f"Up to {most} VMs are scheduled, but throughputs were measured for {model.most_vms} at most"
        found.append(Diagnostic("mst-extrapolated", f"{detail}: beyond that the model is a guess."))
    if not all(reason.meets_target for reason in reasons):
        detail = f"The target is not met in every interval with at most {max_vms} VMs"
        found.append(Diagnostic("target-not-met", f"{detail}: the best there is was scheduled."))
    return found
