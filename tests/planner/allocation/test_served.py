"""The split that serves most is compared with all splits, with keyed operators and whole key groups among them."""

from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from planner.allocation.served import find_served, split_most
from planner.queueing.stations import Stations
from planner.situations.situation import survey_load
from planner.values import (
    DEFAULT_MODEL,
    Edge,
    Entry,
    InstanceLoad,
    Load,
    Operator,
    OperatorLoad,
    Scaling,
    Topology,
)

NAMES = ("a", "b", "c")
RATES = (10.0, 25.0, 7.0)
BOUNDS = st.tuples(st.integers(1, 3), st.one_of(st.none(), st.integers(3, 6)))
GROUPS = st.one_of(st.none(), st.integers(2, 12))
SCALINGS = st.one_of(
    st.none(),
    st.floats(0.0, 1.0).map(lambda gamma: Scaling(gamma=gamma)),
    st.tuples(st.floats(0.0, 0.3), st.floats(0.0, 0.1)).map(lambda pair: Scaling(0.0, *pair)),
)
SHARES = st.one_of(st.just(()), st.lists(st.floats(0.1, 1.0), min_size=2, max_size=4).map(tuple))


def survey(
    bounds: Sequence[tuple[int, int | None]],
    rate: float,
    groups: int | None = None,
    shares: tuple[float, ...] = (),
    scaling: Scaling | None = None,
) -> Stations:
    """A chain of three operators, of which the second is keyed where groups or shares are known."""
    keyed = groups is not None or bool(shares)
    operators = [
        Operator(name, min_processors=least, max_processors=most)
        for name, (least, most) in zip(NAMES, bounds, strict=True)
    ]
    if keyed:
        operators[1] = operators[1]._replace(queueing="keyed", max_parallelism=groups, min_processors=1)
    operators[0] = operators[0]._replace(scaling=scaling)
    known = tuple(InstanceLoad(str(i), one / sum(shares)) for i, one in enumerate(sorted(shares)[::-1]))
    load = Load(rate, {name: OperatorLoad(mu) for name, mu in zip(NAMES, RATES, strict=True)})
    load.operators["b"] = load.operators["b"]._replace(instances=known)  # type: ignore[index]
    topology = Topology(tuple(operators), (Edge("a", "b", 2.0), Edge("b", "c", 0.3)), (Entry("a"),))
    return survey_load(topology, load, DEFAULT_MODEL).stations


@settings(max_examples=150, deadline=None)
@given(
    st.lists(BOUNDS, min_size=3, max_size=3),
    st.integers(3, 12),
    st.floats(20.0, 500.0),
    st.tuples(GROUPS, SHARES, SCALINGS),
)
@example([(2, None), (1, None), (1, None)], 4, 20.0, (None, (), Scaling(gamma=1.0)))
def test_no_split_within_the_bounds_serves_more(
    bounds: list[tuple[int, int | None]],
    k_max: int,
    rate: float,
    capacity: tuple[int | None, tuple[float, ...], Scaling | None],
):
    stations = survey(bounds, rate, *capacity)
    found = split_most(stations, k_max)
    ends = zip(stations.min_processors, stations.max_processors, strict=True)
    # Where capacity peaks below an operator's least processors, it has these.
    every = product(*[range(int(least), min(max(int(most), int(least)), 12) + 1) for least, most in ends])
    allowed = [counts for counts in every if sum(counts) <= k_max]
    assert (found is None) == (not allowed)
    if found is not None:
        assert tuple(found) in allowed
        best = max(find_served(stations, counts) for counts in allowed)
        assert min(find_served(stations, found), 1.0) == pytest.approx(min(best, 1.0))


def test_processors_inside_a_stair_of_whole_groups_go_to_others():
    """Of 6 groups, 4 or 5 processors serve no more than 3."""
    stations = survey([(1, None)] * 3, 100.0, groups=6)
    found = split_most(stations, 14)
    assert found is not None
    assert found[1] in {1, 2, 3, 6}
    assert find_served(stations, [10, 5, 5]) == find_served(stations, [10, 3, 5])


def test_numbers_of_processors_beyond_all_lists_take_no_time():
    for shares in ((), (0.6, 0.4)):
        stations = survey([(1, None)] * 3, 1e9, shares=shares)
        found = split_most(stations, 100_000_000)
        assert found is not None
        assert sum(found) == 100_000_000
