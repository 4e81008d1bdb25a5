"""Redirect weights: more room is more weight, and eqs. 10 and 4 of Mc-Stream."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import InvalidLoad
from planner.nodes.streams import find_redirect_weights
from planner.nodes.usage import Instance


def queues(*filled: tuple[float, float]) -> list[Instance]:
    return [Instance("count", f"c{i}", length, most, node=f"n{i}") for i, (length, most) in enumerate(filled)]


QUEUE = st.tuples(st.floats(0.0, 100.0), st.floats(0.0, 100.0)).map(lambda two: (min(two), max(two)))


@given(st.lists(QUEUE, min_size=1, max_size=8))
def test_weights_add_up_and_more_room_is_never_less_weight(filled: list[tuple[float, float]]):
    found = find_redirect_weights("count", queues(*filled), 0.0).weights
    assert sum(found.values()) == pytest.approx(1.0)
    by_room = sorted(range(len(filled)), key=lambda i: filled[i][1] - filled[i][0])
    weights = [found[f"c{i}"] for i in by_room]
    assert weights == sorted(weights)


def test_weights_and_deviation_are_eqs_10_and_4():
    found = find_redirect_weights("count", queues((10.0, 100.0), (70.0, 100.0), (100.0, 100.0)), 20.0)
    assert list(found.weights.values()) == pytest.approx([0.75, 0.25, 0.0])
    assert found.deviation == pytest.approx((50.0 + 10.0 + 40.0) / 3.0)
    assert found.redirect
    assert list(find_redirect_weights("count", queues((5.0, 5.0), (9.0, 9.0)), 20.0).weights.values()) == [
        0.5,
        0.5,
    ]
    with pytest.raises(InvalidLoad, match="capacity"):
        find_redirect_weights("count", queues((6.0, 5.0)), 20.0)
