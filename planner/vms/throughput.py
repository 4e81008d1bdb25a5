"""Which throughput τ(m) do m VMs sustain at most? Two models are fitted to samples, and a belief learns while VMs run.

The models are those of Imai, Patterson and Varela (CCGrid 2018), section III-A to III-C. The belief is a Normal over

    log τ(m) = a + b log m − k log(1 + m/32) + s·[m = 1] + r(m)

with a scale a, a power b, a levelling off k, the gain s of a single VM (it sends nothing over the network), and a
roughness r that is similar for similar numbers of VMs. The throughput of one interval scatters around τ(m), with a
deviation of its own for each m. In a saturated interval the throughput is seen; in any other interval it is only known
to lie above the served rate. The priors come from the simple benchmarks wc, sol and rsort of the paper's authors, the
roughness and the usual scatter from the development pairs of docs/models/vm-forecasts.md. No prior was chosen on an
application that a backtest reports.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy
from scipy.special import log_ndtr

from planner.arrays import Floats
from planner.vms.timing import InvalidMstSamples, TooFewMstSamples

DISAGREEMENT_THRESHOLD = 0.2


class MstSample(NamedTuple):
    """The throughput that `vms` VMs sustained while more work was offered than they could serve."""

    vms: int
    throughput: float


@dataclass(frozen=True, slots=True)
class MstForm:
    """A shape of the throughput τ as a function of the number m of VMs.

    `to_line` of τ is a sum of the `columns` of m, with weights of at least 0.
    """

    name: str
    columns: Callable[[Floats], Floats]
    to_line: Callable[[Floats], Floats]
    from_line: Callable[[Floats], Floats]
    coefficients: int


def _inverse_columns(vms: Floats) -> Floats:
    return np.column_stack((np.ones_like(vms), 1.0 / vms, vms, vms**2))


def _quadratic_columns(vms: Floats) -> Floats:
    return np.column_stack((np.ones_like(vms), vms, -(vms**2)))


def _identity(values: Floats) -> Floats:
    return values


# Equations 2 and 3: 1/τ = w0 + w1/m + w2 m + w3 m², and τ = w0 + w1 m − w2 m².
INVERSE_FORM = MstForm("model-1", _inverse_columns, np.reciprocal, np.reciprocal, 4)
QUADRATIC_FORM = MstForm("model-2", _quadratic_columns, _identity, _identity, 3)
SAMPLES_NEEDED = max(INVERSE_FORM.coefficients, QUADRATIC_FORM.coefficients) + 1


@dataclass(frozen=True, slots=True)
class MstModel:
    """A fitted model of the throughput of m VMs: Normal, with mean τ̂(m) and deviation `sigma` (eqs. 2, 3, 5–7).

    The model was fitted to samples of `fewest_vms` to `most_vms` VMs.
    """

    form: MstForm
    weights: tuple[float, ...]
    sigma: float
    residuals: tuple[float, ...]
    fewest_vms: int
    most_vms: int

    def throughput_at(self, vms: Floats) -> Floats:
        """Returns the throughput that the fitted model expects of each number of VMs."""
        return self.form.from_line(self.form.columns(vms) @ np.asarray(self.weights))

    def trusted_curve(self, max_vms: int) -> Floats:
        """Returns the modelled throughput of 1, 2, ... `max_vms` VMs; it stays the same after its maximum.

        Where the modelled throughput falls with more VMs, the fit is not trusted.
        """
        curve = self.throughput_at(np.arange(1.0, max_vms + 1.0))
        return np.maximum(curve[: int(np.argmax(curve)) + 1], 0.0)

    @property
    def rss(self) -> float:
        """The sum of the squared differences between the fitted model and its samples, in units of the throughput."""
        return float(np.square(self.residuals).sum())


# Squares and reciprocals of throughputs beyond these leave the range of doubles.
LEAST_THROUGHPUT, MOST_THROUGHPUT = 1e-100, 1e100


def check_samples(samples: Sequence[MstSample]) -> None:
    """Raises InvalidMstSamples or TooFewMstSamples unless both models and their spread can be fitted to the samples."""
    for position, sample in enumerate(samples):
        if sample.vms < 1:
            raise InvalidMstSamples(
                f"A sample was measured at {sample.vms} VMs: give at least 1 VM.",
                f"/mst_samples/{position}/vms",
            )
        if not LEAST_THROUGHPUT <= sample.throughput <= MOST_THROUGHPUT:
            raise InvalidMstSamples(
                f"A throughput of {sample.throughput:.6g} at {sample.vms} VMs: it must lie between "
                f"{LEAST_THROUGHPUT:g} and {MOST_THROUGHPUT:g}.",
                f"/mst_samples/{position}/throughput",
            )
    counts = len({sample.vms for sample in samples})
    if len(samples) < SAMPLES_NEEDED or counts < 2:
        raise TooFewMstSamples(len(samples), SAMPLES_NEEDED, counts, 2)


def fit_form(form: MstForm, samples: Sequence[MstSample]) -> MstModel:
    """Returns the model of this form, fitted to the samples by least squares with weights of at least 0.

    For n samples τ with modelled values τ̂, sigma² is Σ(τ − τ̂)²/(n − number of weights) (eq. 6).
    """
    vms = np.array([sample.vms for sample in samples], dtype=float)
    throughput = np.array([sample.throughput for sample in samples])
    columns = form.columns(vms)
    # Columns from 1/m to m² span five decades: scaled to unit length they are equally well determined.
    lengths = np.sqrt(np.square(columns).sum(axis=0))
    weights = scipy.optimize.nnls(columns / lengths, form.to_line(throughput))[0] / lengths
    residuals = throughput - form.from_line(columns @ weights)
    sigma = float(np.sqrt(np.square(residuals).sum() / (len(samples) - form.coefficients)))
    return MstModel(
        form,
        tuple(map(float, weights)),
        sigma,
        tuple(map(float, residuals)),
        int(vms.min()),
        int(vms.max()),
    )


def fit_mst(
    samples: Sequence[MstSample],
    validation: Sequence[MstSample] = (),
    threshold: float = DISAGREEMENT_THRESHOLD,
) -> MstModel:
    """Returns the better of the two models of throughput, both fitted to the samples.

    Where the models disagree, the `validation` samples decide, else the samples themselves. The models disagree at a
    number of VMs if they differ by more than the share `threshold` of their mean (section III-A2).
    """
    check_samples(samples)
    models = (fit_form(INVERSE_FORM, samples), fit_form(QUADRATIC_FORM, samples))
    disputed = [sample for sample in validation if _disagreement(models, sample.vms) > threshold]
    if disputed:
        return min(models, key=lambda model: _squared_error(model, disputed))
    return min(models, key=lambda model: model.rss)


def _disagreement(models: Sequence[MstModel], vms: int) -> float:
    first, second = (float(model.throughput_at(np.array([float(vms)]))[0]) for model in models)
    return abs(first - second) / max(abs(first + second) / 2.0, 1e-300)


def _squared_error(model: MstModel, samples: Sequence[MstSample]) -> float:
    vms = np.array([sample.vms for sample in samples], dtype=float)
    throughput = np.array([sample.throughput for sample in samples])
    return float(np.square(throughput - model.throughput_at(vms)).sum())


def needed_vms(curve: Floats, rate: float) -> int:
    """Returns the fewest VMs whose throughput is above `rate`, or the last number of VMs of the curve if none is above
    it.

    `curve` has the throughputs of 1, 2, ... VMs, and never falls.
    """
    return min(int(np.searchsorted(curve, rate, side="right")) + 1, len(curve))


def detect_convergence(
    throughputs: Sequence[float], window: int = 5, needed: int = 4, tolerance: float = 0.05
) -> float | None:
    """Returns the mean of the first `window` successive throughputs that have settled; None if none have settled yet.

    A window has settled if `needed` of its throughputs lie within ±`tolerance` of the one before (section II-A: K of
    N).
    """
    values = np.asarray(throughputs, dtype=float)
    if not 1 <= needed <= window:
        raise InvalidMstSamples(
            f"{needed} of {window} samples cannot settle: give a number from 1 to {window}.", "/needed"
        )
    close = np.abs(np.diff(values)) <= tolerance * np.abs(values[:-1])
    for count in range(window, len(values) + 1):
        if int(close[max(count - 1 - window, 0) : count - 1].sum()) >= needed:
            return float(values[count - window : count].mean())
    return None


SCALE_DEVIATION = 10.0
POWER, POWER_DEVIATION = 0.9, 0.4
LEVELLING, LEVELLING_DEVIATION, LEVELLING_VMS = 0.6, 0.5, 32.0
SINGLE, SINGLE_DEVIATION = 0.4, 0.4
ROUGHNESS_DEVIATION, ROUGHNESS_LENGTH = 0.08, 0.35
SCATTER, SCATTER_WEIGHT = 0.05, 4.0
# The weight, in samples, of the scatter of all m against that of one m.
POOLED_WEIGHT = 2.0


class CapacityBelief:
    """A belief in the throughputs τ(1), ..., τ(max_vms) of 1, ..., max_vms VMs, which each observation updates.

    The belief is a Gaussian over the logarithms of the throughputs.
    """

    def __init__(self, samples: Sequence[MstSample], max_vms: int) -> None:
        self.scatter = find_scatter(samples, max_vms)
        middle = float(np.mean(np.log([sample.throughput for sample in samples])))
        self.means, self.covariance = believe_before(middle, max_vms)
        for sample in samples:
            if sample.vms <= max_vms:
                self.learn_throughput(sample.vms, sample.throughput)

    @property
    def deviations(self) -> Floats:
        """The standard deviation of the logarithm of the throughput of one interval, for every number of VMs."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0) + self.scatter**2)

    def learn_throughput(self, vms: int, throughput: float) -> None:
        """Learns from an interval with too few VMs that `vms` VMs have this throughput (Kalman's update)."""
        self._condition(vms, np.log(throughput), float(self.scatter[vms - 1]) ** 2)

    def learn_bound(self, vms: int, served_rate: float) -> None:
        """Learns from an interval with enough VMs that the throughput of `vms` VMs is above `served_rate`.

        The belief takes the mean and the variance of the Normal truncated at this rate.
        """
        if served_rate <= 0:
            return
        variance = float(self.covariance[vms - 1, vms - 1]) + float(self.scatter[vms - 1]) ** 2
        deviation = np.sqrt(variance)
        distance = (self.means[vms - 1] - np.log(served_rate)) / deviation
        # The inverse Mills ratio φ/Φ by logarithms: both vanish far below the bound.
        ratio = float(np.exp(-0.5 * distance**2 - 0.5 * np.log(2.0 * np.pi) - log_ndtr(distance)))
        shrink = ratio * (ratio + distance)
        if shrink < 1e-6:
            return
        column = self.covariance[:, vms - 1].copy()
        self.means = self.means + column * (ratio / deviation)
        self.covariance = self.covariance - np.outer(column, column) * (min(shrink, 1.0) / variance)

    def _condition(self, vms: int, value: float, noise: float) -> None:
        column = self.covariance[:, vms - 1].copy()
        total = float(column[vms - 1]) + noise
        self.means = self.means + column * ((value - self.means[vms - 1]) / total)
        self.covariance = self.covariance - np.outer(column, column) / total


def believe_before(middle: float, max_vms: int) -> tuple[Floats, Floats]:
    """Returns the mean and covariance of the logarithms of the throughputs of 1..max_vms VMs, before any sample is
    known.

    `middle` is the logarithm of a usual throughput.
    """
    vms = np.arange(1.0, max_vms + 1.0)
    logs = np.log(vms)
    bases = np.array([np.ones(max_vms), logs, -np.log1p(vms / LEVELLING_VMS), vms == 1.0])
    deviations = np.array([SCALE_DEVIATION, POWER_DEVIATION, LEVELLING_DEVIATION, SINGLE_DEVIATION])
    apart = np.abs(logs[:, None] - logs[None, :])
    roughness = ROUGHNESS_DEVIATION**2 * np.exp(-apart / ROUGHNESS_LENGTH)
    means = middle + np.array([0.0, POWER, LEVELLING, SINGLE]) @ bases
    return means, (bases.T * deviations**2) @ bases + roughness


def find_scatter(samples: Sequence[MstSample], max_vms: int) -> Floats:
    """Returns the standard deviation of the logarithm of throughputs between samples, for every number m of VMs.

    The deviation s(m) is drawn towards the deviation s of all samples by the weight w, with n(m) samples at m VMs:
    s²(m) = (SS(m) + w·s²) / (n(m) − 1 + w), with SS(m) the sum of their squared differences from their mean. Between
    measured numbers of VMs it is interpolated. From two below the fewest and from twice the most on, where nothing is
    known, it is s.
    """
    vms = np.array([sample.vms for sample in samples])
    logs = np.log([sample.throughput for sample in samples])
    measured, counts = np.unique(vms, return_counts=True)
    squares = counts * np.array([logs[vms == m].var() for m in measured])
    freedom = counts - 1
    pooled = (squares.sum() + SCATTER_WEIGHT * SCATTER**2) / (freedom.sum() + SCATTER_WEIGHT)
    own = (squares + POOLED_WEIGHT * pooled) / (freedom + POOLED_WEIGHT)
    places = [max(measured[0] - 2, 0), *measured, 2 * measured[-1]]
    variances = np.interp(np.arange(1, max_vms + 1), places, [pooled, *own, pooled])
    return np.asarray(np.sqrt(variances), dtype=float)
