"""When greedy calls its answer the best: exactly where the gains around it fall."""

from itertools import accumulate

from hypothesis import given, settings
from hypothesis import strategies as st

from planner.allocation.greedy_scalar import is_curve_falling
from planner.queueing.gain_curve import Curve
from planner.queueing.waiting_models import weigh_operator

GAINS = st.lists(st.floats(1e-3, 1e3), min_size=4, max_size=6)


def plant_gains(gains: list[float]) -> Curve:
    """An operator of whose gains nothing is known but these, the last of them for ever after 0."""
    curve = Curve(0.5, 1.0, weigh_operator("ggk-whitt", 0.5, 0.2), 1)
    curve.update(enumerate([*gains, 0.0], start=1))
    left = list(accumulate(reversed(gains)))[::-1]
    curve._waits.update({k: waiting / 0.5 for k, waiting in enumerate([*left, 0.0], start=1)})
    return curve


@settings(max_examples=500)
@given(GAINS, st.data())
def test_the_answer_is_the_best_where_the_gains_around_it_fall(gains: list[float], data: st.DataObject):
    k = data.draw(st.integers(1, len(gains)))
    around = [*gains, 0.0][max(k - 2, 0) : k + 1]
    assert is_curve_falling(plant_gains(gains), k) == (around == sorted(around, reverse=True))


@settings(max_examples=300)
@given(st.floats(0.01, 300.0), st.floats(0.0, 9.0), st.floats(0.0, 9.0), st.integers(0, 40))
def test_gains_of_real_operators_fall(load: float, arrival_scv: float, service_scv: float, more: int):
    weights = weigh_operator("ggk-whitt", arrival_scv, service_scv)
    curve, alone = Curve(load, 1.0, weights, 1), Curve(load, 1.0, weights, 1)
    k = curve.floor + more
    assert is_curve_falling(curve, k)
    assert alone[k] >= alone[k + 1]
