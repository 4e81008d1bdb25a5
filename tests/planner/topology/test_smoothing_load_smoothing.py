"""Smoothing over intervals: means, what fades, what is missing, and that all of it is said."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import InvalidLoad
from planner.topology.smoothing import smooth_ewma, smooth_window
from planner.values import Diagnostic, Load, OperatorLoad

Smooth = Callable[[Sequence[Load]], tuple[Load, tuple[Diagnostic, ...]]]
rates = st.lists(st.floats(0.0, 1e6), min_size=1, max_size=12)


def measure(*external_rates: float) -> list[Load]:
    """One interval per rate, everything else in proportion."""
    return [
        Load(
            rate,
            {"a": OperatorLoad(rate + 1.0, 2.0 * rate, 0.5, 1.5, 3)},
            measured_sojourn_seconds=rate / 10.0,
        )
        for rate in external_rates
    ]


@given(rates=rates, size=st.integers(1, 15))
def test_a_window_is_the_mean_of_the_newest(rates: list[float], size: int) -> None:
    load, diagnostics = smooth_window(measure(*rates), size)
    newest = rates[-size:]
    assert load.external_rate == pytest.approx(float(sum(map(Fraction, newest)) / len(newest)), rel=1e-15)
    assert load.operators["a"].arrival_rate == pytest.approx(2.0 * load.external_rate, rel=1e-15)
    assert [diagnostic.code for diagnostic in diagnostics] == ["fewer-intervals"] * (len(rates) < size)


@given(rates=rates, alpha=st.floats(0.0, 0.99))
def test_ewma_weighs_an_interval_by_its_age(rates: list[float], alpha: float) -> None:
    load, _ = smooth_ewma(measure(*rates), alpha)
    ages = range(len(rates) - 1, -1, -1)
    weights = [alpha**age * (1.0 if i == 0 else 1.0 - alpha) for i, age in enumerate(ages)]
    expected = fsum(weight * rate for weight, rate in zip(weights, rates, strict=True))
    assert load.external_rate == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(rates=rates, alpha=st.floats(0.0, 0.99))
def test_a_smoothed_rate_lies_between_the_least_and_the_largest(rates: list[float], alpha: float) -> None:
    load, _ = smooth_ewma(measure(*rates), alpha)
    assert min(rates) * (1 - 1e-12) <= load.external_rate <= max(rates) * (1 + 1e-12)


def test_without_memory_only_the_newest_interval_counts() -> None:
    loads = measure(5.0, 7.0, 11.0)
    assert smooth_ewma(loads, 0.0) == (loads[-1], ())
    assert smooth_window(loads, 1) == (loads[-1], ())


def test_a_value_is_averaged_over_the_intervals_that_have_it_and_that_is_said() -> None:
    loads = [
        Load(1.0, {"a": OperatorLoad(10.0, arrival_scv=1.0)}),
        Load(2.0, {"a": OperatorLoad(None, arrival_scv=3.0), "b": OperatorLoad(4.0)}, 0.5),
        Load(3.0, {"a": OperatorLoad(20.0), "b": OperatorLoad(6.0)}),
    ]
    load, diagnostics = smooth_window(loads, 3)
    assert load == Load(2.0, {"a": OperatorLoad(15.0, arrival_scv=2.0), "b": OperatorLoad(5.0)}, 0.5)
    once, twice = diagnostics
    assert (once.code, twice.code) == ("intervals-missing", "intervals-missing")
    assert "only 1 of the 3 intervals" in once.detail
    assert "measured_sojourn_seconds" in once.detail
    assert "only 2 of the 3 intervals" in twice.detail
    assert "service_rate of a, arrival_scv of a, service_rate of b" in twice.detail
    assert twice.operators == ("a", "b")


@pytest.mark.parametrize(
    "smooth", [lambda loads: smooth_window(loads, 3), lambda loads: smooth_ewma(loads, 0.5)]
)
def test_an_interval_without_an_arrival_rate_does_not_change_how_often_a_tuple_visits(smooth: Smooth) -> None:
    """Every external tuple visits twice: what arrived in the busiest interval is not known."""
    loads = [Load(rate, {"a": OperatorLoad(9.0, 2.0 * rate)}) for rate in (10.0, 20.0)]
    load, diagnostics = smooth([*loads, Load(300.0, {"a": OperatorLoad(9.0)})])
    assert load.operators["a"].arrival_rate == pytest.approx(2.0 * load.external_rate)
    assert "in proportion to external_rate" in diagnostics[0].detail
    idle, _ = smooth([Load(0.0, {"a": OperatorLoad(9.0, 0.0)}), *[Load(6.0, {"a": OperatorLoad(9.0)})] * 2])
    assert idle.operators["a"].arrival_rate is None, "without input nobody knows what a tuple would do"


def test_ewma_starts_at_the_first_interval_that_has_the_value() -> None:
    loads = [Load(1.0, {"a": OperatorLoad()}), *measure(4.0, 8.0)]
    assert smooth_ewma(loads, 0.5)[0].operators["a"].service_rate == pytest.approx(7.0)


def test_processors_are_the_newest_that_are_known() -> None:
    loads = [Load(1.0, {"a": OperatorLoad(1.0, processors=k)}) for k in (5, 5, None)]
    load, diagnostics = smooth_window(loads, 3)
    assert load.operators["a"].processors == 5
    assert [(said.code, said.operators) for said in diagnostics] == [("processors-from-before", ("a",))]
    assert smooth_window(loads[:2], 3)[1][0].code == "fewer-intervals"
    assert smooth_window(loads[2:], 1) == (loads[2], ())


@pytest.mark.parametrize("alpha", [-0.1, 1.0, float("nan")])
def test_a_weight_outside_zero_to_one_is_refused(alpha: float) -> None:
    with pytest.raises(InvalidLoad, match=str(alpha)):
        smooth_ewma(measure(1.0), alpha)


def test_nothing_cannot_be_smoothed() -> None:
    with pytest.raises(InvalidLoad):
        smooth_window([], 3)
    with pytest.raises(InvalidLoad):
        smooth_window(measure(1.0), 0)
