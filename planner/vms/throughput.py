"""The maximum sustainable throughput τ(m) of m VMs: its samples, its two models, and where they hold.

Imai, Patterson and Varela (CCGrid 2018), section III-A to III-C.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy

from planner.arrays import Floats
from planner.vms.errors import InvalidMstSamples, TooFewMstSamples

DISAGREEMENT_THRESHOLD = 0.2


class MstSample(NamedTuple):
    """The throughput that `vms` VMs sustained while more was offered than they could serve."""

    vms: int
    throughput: float


@dataclass(frozen=True, slots=True)
class MstForm:
    """A shape of τ(m): `to_line`(τ) is linear, with non-negative weights, in the columns of m."""

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
    """τ(m) ~ Normal(τ̂(m), sigma²), fitted (eqs. 2, 3, 5–7)."""

    form: MstForm
    weights: tuple[float, ...]
    sigma: float
    residuals: tuple[float, ...]
    fewest_vms: int
    most_vms: int

    def throughput_at(self, vms: Floats) -> Floats:
        """τ̂ at each number of VMs."""
        return self.form.from_line(self.form.columns(vms) @ np.asarray(self.weights))

    def trusted_curve(self, max_vms: int) -> Floats:
        """τ̂(1), τ̂(2), ... up to its maximum: a fit that falls with more VMs is not trusted."""
        curve = self.throughput_at(np.arange(1.0, max_vms + 1.0))
        return np.maximum(curve[: int(np.argmax(curve)) + 1], 0.0)

    @property
    def rss(self) -> float:
        """The residual sum of squares, in τ."""
        return float(np.square(self.residuals).sum())


# Squares and reciprocals of throughputs beyond these leave the range of doubles.
LEAST_THROUGHPUT, MOST_THROUGHPUT = 1e-100, 1e100


def check_samples(samples: Sequence[MstSample]) -> None:
    """Raise unless both models and their spread can be fitted to the samples (eq. 6 divides by n − l)."""
    for position, sample in enumerate(samples):
        if sample.vms < 1:
            raise InvalidMstSamples(
                f"A sample at {sample.vms} VMs: there must be at least 1.", f"/mst_samples/{position}/vms"
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
    """Non-negative least squares on the form's line; σ_τ² = Σ(τ − τ̂)²/(n − l), measured in τ (eq. 6)."""
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
    """Fit both models and choose: by validation samples where they disagree, otherwise by training error.

    They disagree at m when they differ by more than `threshold` of their mean (section III-A2).
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
    """The smallest m with curve(m) above `rate` on a rising curve; its last m where none is (errata 9)."""
    return min(int(np.searchsorted(curve, rate, side="right")) + 1, len(curve))


def detect_convergence(
    throughputs: Sequence[float], window: int = 5, needed: int = 4, tolerance: float = 0.05
) -> float | None:
    """The mean of the first `window` throughputs of which `needed` lie within ±`tolerance` of the one before.

    The K out of N method (section II-A), N = 5, K = 4, δ = 5%; None = not converged yet.
    """
    values = np.asarray(throughputs, dtype=float)
    if not 1 <= needed <= window:
        raise InvalidMstSamples(f"K = {needed} of N = {window} samples cannot be: K lies in 1..N.", "/needed")
    close = np.abs(np.diff(values)) <= tolerance * np.abs(values[:-1])
    for count in range(window, len(values) + 1):
        if int(close[max(count - 1 - window, 0) : count - 1].sum()) >= needed:
            return float(values[count - window : count].mean())
    return None
