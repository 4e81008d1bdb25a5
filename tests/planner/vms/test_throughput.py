"""τ(m): fits against independent least squares, the choice of a model, where it is trusted, convergence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from planner.vms.throughput import (
    INVERSE_FORM,
    QUADRATIC_FORM,
    MstForm,
    MstSample,
    detect_convergence,
    fit_form,
    fit_mst,
    needed_vms,
)
from planner.vms.timing import InvalidMstSamples, TooFewMstSamples
from tests.planner.imai import mst_samples, training_samples

COUNTS = (1, 2, 3, 4, 6, 8, 12, 24)


def samples_of(throughputs: dict[int, float]) -> list[MstSample]:
    return [MstSample(vms, throughput) for vms, throughput in throughputs.items()]


@given(weights=st.tuples(*[st.floats(0.01, 2.0)] * 4))
def test_model_1_finds_the_weights_that_made_its_samples(weights: tuple[float, ...]) -> None:
    w0, w1, w2, w3 = weights
    model = fit_form(INVERSE_FORM, samples_of({m: 1 / (w0 + w1 / m + w2 * m + w3 * m * m) for m in COUNTS}))
    assert model.weights == pytest.approx(weights, rel=1e-5, abs=1e-7)
    assert model.sigma == pytest.approx(0.0, abs=1e-6)


@given(w0=st.floats(0.0, 5.0), w1=st.floats(0.5, 5.0), w2=st.floats(0.0, 0.005))
def test_model_2_finds_the_weights_that_made_its_samples(w0: float, w1: float, w2: float) -> None:
    model = fit_form(QUADRATIC_FORM, samples_of({m: w0 + w1 * m - w2 * m * m for m in COUNTS}))
    assert model.weights == pytest.approx((w0, w1, w2), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("form", [INVERSE_FORM, QUADRATIC_FORM])
@pytest.mark.parametrize("app", ["grep", "rcount", "wc", "sol", "rsort"])
def test_no_other_non_negative_weights_fit_the_measured_samples_better(form: MstForm, app: str) -> None:
    samples = training_samples(app)
    vms = np.array([float(sample.vms) for sample in samples])
    line = form.to_line(np.array([sample.throughput for sample in samples]))
    reference = lsq_linear(form.columns(vms), line, bounds=(0.0, np.inf), tol=1e-14)
    ours = np.square(form.columns(vms) @ np.array(fit_form(form, samples).weights) - line).sum()
    assert ours <= 2.0 * reference.cost * (1.0 + 1e-9)


def test_the_spread_is_measured_in_throughput_and_loses_a_freedom_per_coefficient() -> None:
    samples = training_samples("grep")
    model = fit_form(INVERSE_FORM, samples)
    squares = sum(
        (s.throughput - float(model.throughput_at(np.array([s.vms * 1.0]))[0])) ** 2 for s in samples
    )
    assert model.sigma**2 == pytest.approx(squares / (len(samples) - 4), rel=1e-12)


def test_models_that_agree_are_chosen_by_training_error_and_others_by_validation() -> None:
    training, everything = training_samples("grep"), mst_samples("grep")
    assert fit_mst(training).form is QUADRATIC_FORM
    # From 48 VMs on grep levels off, which only model 1 foresaw.
    assert fit_mst(training, validation=everything).form is INVERSE_FORM
    assert fit_mst(training, validation=everything, threshold=1e9).form is QUADRATIC_FORM


def test_a_curve_is_trusted_up_to_its_maximum_only() -> None:
    # rcount's model 2 turns at 0.2798 / (2 · 0.003181) = 43.98 VMs and is negative at 128.
    model = fit_mst(training_samples("rcount"))
    assert float(model.throughput_at(np.array([128.0]))[0]) < 0
    curve = model.trusted_curve(128)
    assert len(curve) == 44
    assert (np.diff(curve) > 0).all()
    assert needed_vms(curve, 1e6) == 44


@given(
    steps=st.lists(st.floats(0.0, 10.0), min_size=1, max_size=60),
    rate=st.floats(0.0, 300.0),
)
def test_needed_vms_are_the_fewest_above_the_rate_or_all_there_are(steps: list[float], rate: float) -> None:
    curve = np.cumsum(steps)
    brute = next((m for m, throughput in enumerate(curve, 1) if throughput > rate), len(curve))
    assert needed_vms(curve, rate) == brute


def test_throughput_has_converged_when_four_of_five_samples_stay_within_five_percent() -> None:
    assert detect_convergence([10, 20, 30, 40]) is None
    assert detect_convergence([100, 101, 102, 101, 100]) == pytest.approx(100.8)
    assert detect_convergence([10, 50, 100, 101, 120, 121, 122]) is None
    assert detect_convergence([10, 50, 100, 101, 120, 121, 122, 123]) == pytest.approx(117.4)
    assert detect_convergence([100, 110, 100, 110, 100, 110]) is None
    with pytest.raises(InvalidMstSamples):
        detect_convergence([1.0] * 9, window=3, needed=4)


@pytest.mark.parametrize(
    ("throughputs", "vm_counts"),
    [({1: 1.0, 2: 2.0, 3: 3.0}, 3), ({}, 0)],
)
def test_fewer_samples_than_the_models_need_say_how_many(
    throughputs: dict[int, float], vm_counts: int
) -> None:
    with pytest.raises(TooFewMstSamples) as problem:
        fit_mst(samples_of(throughputs))
    assert (problem.value.samples_needed, problem.value.vm_counts) == (5, vm_counts)


def test_samples_all_at_one_number_of_vms_fit_no_curve() -> None:
    with pytest.raises(TooFewMstSamples) as problem:
        fit_mst([MstSample(4, 1.0 + i / 10) for i in range(12)])
    assert problem.value.vm_counts_needed == 2


@pytest.mark.parametrize(
    "sample", [MstSample(2, -1.0), MstSample(2, 0.0), MstSample(0, 1.0), MstSample(2, np.nan)]
)
def test_a_sample_that_cannot_be_is_pointed_at(sample: MstSample) -> None:
    with pytest.raises(InvalidMstSamples) as problem:
        fit_mst([*training_samples("grep"), sample])
    assert problem.value.pointer.startswith("/mst_samples/30/")
