"""How many VMs do the policies of Imai et al. choose? Each of the eight policies combines three switches (Table III).

m is a number of VMs, τ̂(m) its modelled throughput with deviation σ_τ, λ̂ the forecast rate with deviation σ_λ, ρ the
QoS target, and z_ρ the ρ-quantile of the standard normal distribution.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr, ndtri

from planner.vms.throughput import MstModel, MstSample, fit_form, needed_vms
from planner.vms.timing import Belief, Observed, UnknownVmPolicy, check_qos_target
from planner.workloads.series import Window
from planner.workloads.workload_forecast import PeakForecast, PeakLoad, expect_last_rate


@dataclass(frozen=True, slots=True)
class VmReason:
    """The reason for the number of VMs of an interval.

    `covered_rate` is the rate that the VMs serve with the probability of the target; `probability` is how likely they
    serve the whole interval. The VMs are the sum of three parts: for the expected rate, for an uncertain throughput
    model, and for an uncertain forecast.
    """

    vms: int
    covered_rate: float
    probability: float
    meets_target: bool
    vms_for_mean: int
    vms_for_model: int
    vms_for_forecast: int


@dataclass(frozen=True, slots=True)
class SigmaRule:
    """The rule of the fewest VMs whose modelled throughput exceeds the forecast rate by a margin for uncertainty.

        τ̂(m) − λ̂ > z_ρ √(σ_τ² + σ_λ²)        (eqs. 4, 8, 18, 21)

    τ̂(m) is the throughput of m VMs with standard deviation σ_τ (`sigma`, 0 for a certain model), λ̂ the forecast rate
    with deviation σ_λ, and z_ρ the normal quantile of the target ρ.
    """

    model: MstModel
    sigma: float
    max_vms: int
    qos_target: float

    def decide(self, load: PeakLoad) -> int:
        """Returns the fewest VMs that serve the load with the probability of the target.

        If no number of VMs does, returns the number with the highest throughput.
        """
        z = float(ndtri(self.qos_target))
        curve = self.model.trusted_curve(self.max_vms)
        return needed_vms(curve, load.rate + z * float(np.hypot(self.sigma, load.deviation)))

    def explain(self, load: PeakLoad) -> VmReason:
        """Returns the chosen number of VMs, and how many of them are due to which uncertainty."""
        certain = load._replace(deviation=0.0)
        for_mean = replace(self, sigma=0.0).decide(certain)
        for_model = self.decide(certain) - for_mean
        vms = self.decide(load)
        spread = float(np.hypot(self.sigma, load.deviation))
        throughput = float(self.model.trusted_curve(self.max_vms)[vms - 1])
        margin = throughput - load.rate
        probability = _normal_probability(margin, spread)
        return VmReason(
            vms,
            max(throughput - float(ndtri(self.qos_target)) * spread, 0.0),
            probability,
            margin > float(ndtri(self.qos_target)) * spread,
            for_mean,
            for_model,
            vms - for_mean - for_model,
        )


def _normal_probability(margin: float, spread: float) -> float:
    return float(ndtr(margin / spread)) if spread > 0 else float(margin > 0)


class SigmaPolicy:
    """A policy of Imai et al., made of a throughput model, a forecast of the rate and a target.

    If `learning`, the model is fitted again after steps in which the VMs were too few (section III-B).
    """

    def __init__(
        self,
        model: MstModel,
        samples: Sequence[MstSample],
        forecast: PeakForecast,
        *,
        uncertain_model: bool,
        learning: bool,
        max_vms: int,
        qos_target: float,
    ) -> None:
        check_qos_target(qos_target)
        self.forecast = forecast
        self.reactive = forecast is expect_last_rate
        self.uncertain_model = uncertain_model
        self.learning = learning
        self._samples = list(samples)
        self._seen = 0
        self._sampled: MstSample | None = None
        self.rule = SigmaRule(model, model.sigma if uncertain_model else 0.0, max_vms, qos_target)

    def decide_vms(self, observed: Observed, window: Window) -> int:
        """Returns the VMs for the coming interval (`window`), after learning from the steps since the last decision."""
        if self.learning:
            self._learn(observed)
        return self.rule.decide(self.forecast(observed.rates, window))

    def believe(self, vms: int) -> Belief:
        """Returns the throughput that the model expects of `vms` VMs."""
        curve = self.rule.model.trusted_curve(self.rule.max_vms)
        return Belief(float(curve[min(vms, len(curve)) - 1]))

    def _learn(self, observed: Observed) -> None:
        fresh = saturated_samples(observed, self._seen, self._sampled)
        self._seen = len(observed.vms)
        if not fresh:
            return
        self._sampled = fresh[-1]
        self._samples += fresh
        model = fit_form(self.rule.model.form, self._samples)
        self.rule = replace(self.rule, model=model, sigma=model.sigma if self.uncertain_model else 0.0)


def saturated_samples(observed: Observed, since: int, last: MstSample | None) -> list[MstSample]:
    """Returns the throughputs seen since the step `since` while VMs were too few, one for each run of equal steps.

    Steps are equal if they have the same VMs and throughput. `last` is the newest sample before these steps, which is
    not given again.
    """
    samples: list[MstSample] = []
    for step in np.flatnonzero(observed.saturated[since:]) + since:
        sample = MstSample(int(observed.vms[step]), float(observed.served_rates[step]))
        if sample.throughput > 0 and sample != (samples[-1] if samples else last):
            samples.append(sample)
    return samples


@dataclass(frozen=True, slots=True)
class PolicyName:
    """A policy of Imai et al. (Table III): its number, its name and its three switches."""

    number: str
    name: str
    uncertain_model: bool
    learning: bool
    forecasting: bool


PAPER_POLICIES = (
    PolicyName("0", "mst", uncertain_model=False, learning=False, forecasting=False),
    PolicyName("1", "mst+ua", uncertain_model=True, learning=False, forecasting=False),
    PolicyName("2", "mst+ol", uncertain_model=False, learning=True, forecasting=False),
    PolicyName("3", "mst+ua+ol", uncertain_model=True, learning=True, forecasting=False),
    PolicyName("4", "mst;arma", uncertain_model=False, learning=False, forecasting=True),
    PolicyName("5", "mst+ua;arma", uncertain_model=True, learning=False, forecasting=True),
    PolicyName("6", "mst+ol;arma", uncertain_model=False, learning=True, forecasting=True),
    PolicyName("7", "mst+ua+ol;arma", uncertain_model=True, learning=True, forecasting=True),
)

HEADGATE, TRUTH, STATIC_PEAK = "headgate", "ground-truth", "static-peak"
BY_NAME = {key: policy for policy in PAPER_POLICIES for key in (policy.number, policy.name)}
BASELINES = (TRUTH, STATIC_PEAK)
ALL_POLICIES = (*(policy.number for policy in PAPER_POLICIES), HEADGATE)


def find_policy(name: str) -> PolicyName:
    """The policy of Imai et al. (Table III) with this number or name; raises UnknownVmPolicy if there is none."""
    if name not in BY_NAME:
        raise UnknownVmPolicy(name, (*BY_NAME, HEADGATE, TRUTH, STATIC_PEAK))
    return BY_NAME[name]


def check_policy(name: str) -> None:
    """Raises UnknownVmPolicy unless the name is the name of a policy or of a baseline."""
    if name not in {HEADGATE, *BASELINES}:
        find_policy(name)
