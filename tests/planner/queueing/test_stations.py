"""Stations: the number of operators decides between floats and arrays, and the answer does not show it."""

from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.queueing.array_queues import ArrayQueues
from planner.queueing.gain_curves import ScalarQueues, wait_or_inf
from planner.queueing.queueings import Inflow
from planner.queueing.stations import FEW_OPERATORS, NO_BOUND, Stations
from planner.values import IdcPoint, InstanceLoad
from tests.planner.queue_cases import MODELS

COLUMNS = (
    "arrival_rate", "service_rate", "arrival_scv", "service_scv", "min_processors", "max_processors", "inflows",
)  # fmt: skip


def draw(size: int, seed: int, model: str) -> Stations:
    """Random operators, some with nothing to do, some without any variability."""
    rng = np.random.default_rng(seed)
    arrival = np.where(rng.random(size) < 0.1, 0.0, 10 ** rng.uniform(-2, 3, size))
    scvs = np.where(rng.random((2, size)) < 0.2, 0.0, rng.uniform(0.1, 3.0, (2, size)))
    return Stations(
        arrival.tolist(),
        rng.uniform(0.5, 5.0, size).tolist(),
        scvs[0].tolist(),
        scvs[1].tolist(),
        rng.integers(1, 4, size).tolist(),
        [NO_BOUND] * size,
        model,
    )


def test_few_operators_are_floats_and_many_are_arrays():
    assert isinstance(draw(FEW_OPERATORS, 1, "ggk").queues, ScalarQueues)
    assert isinstance(draw(FEW_OPERATORS + 1, 1, "ggk").queues, ArrayQueues)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from(MODELS))
def test_floats_and_arrays_give_the_same_waits_and_gains(seed: int, model: str):
    stations = draw(30, seed, model)
    least = np.array([curve.floor for curve in stations.curves])
    counts = (least + np.random.default_rng(seed).integers(-1, 30, 30)).clip(1).tolist()
    few, many = ScalarQueues(stations.curves), stations.arrays
    assert few.wait_seconds(counts) == pytest.approx(
        many.wait_seconds(counts).tolist(), rel=1e-11, abs=1e-280
    )
    for k, floor, *found in zip(
        counts, least.tolist(), *few.find_gains(counts), *many.find_gains(counts), strict=True
    ):
        wait, following, previous, wait_many, following_many, previous_many = found
        assert wait == pytest.approx(wait_many, rel=1e-11, abs=1e-280)
        assert following == pytest.approx(following_many, rel=1e-9, abs=1e-280)
        if k > floor:
            assert previous == pytest.approx(previous_many, rel=1e-9, abs=1e-280)
        else:
            assert previous == inf


def test_stations_of_arrays_and_of_lists_are_the_same():
    lists = draw(5, 3, "ggk-whitt")
    arrays = replace(
        lists,
        arrival_rate=np.array(lists.arrival_rate),
        service_rate=np.array(lists.service_rate),
        arrival_scv=np.array(lists.arrival_scv),
        service_scv=np.array(lists.service_scv),
        min_processors=np.array(lists.min_processors),
    )
    counts = [curve.floor + 2 for curve in lists.curves]
    assert arrays.queues.wait_seconds(np.array(counts)) == lists.queues.wait_seconds(counts)
    assert len(arrays) == len(lists) == 5


@settings(max_examples=60)
@given(st.integers(1, 12), st.integers(0, 2**32 - 1), st.data())
def test_waits_for_one_set_of_counts_are_those_of_the_curves_to_the_bit(
    size: int, seed: int, data: st.DataObject
):
    kinds = st.sampled_from(["shared", "round-robin", "random", "keyed"])
    few = draw(size, seed, "ggk-whitt")
    queueing = data.draw(st.lists(kinds, min_size=size, max_size=size))
    points = st.sampled_from([(), (IdcPoint(0.5, 3.0), IdcPoint(5.0, 9.0))])
    queued = replace(few, inflows=[Inflow(kind, idc=data.draw(points)) for kind in queueing])
    counts = [least + data.draw(st.integers(-1, 9)) for least in queued.list_least_stable()]
    counts = [max(count, 1) for count in counts]
    once = queued.wait_seconds(counts)
    assert "curves" not in queued.__dict__
    assert list(once) == list(queued.queues.wait_seconds(counts)) == list(queued.wait_seconds(counts))


def test_where_a_hot_key_lets_no_number_keep_up_the_least_stable_count_is_that_of_even_shares():
    hot, even = ((InstanceLoad("0", share), InstanceLoad("1", 1.0 - share)) for share in (0.9, 0.5))
    inflows = [Inflow("keyed", instances=hot), Inflow("keyed", instances=even)]
    stations = Stations([6.0] * 2, [2.0] * 2, [1.0] * 2, [1.0] * 2, [1] * 2, [NO_BOUND] * 2, inflows=inflows)
    assert stations.list_least_stable() == [4, 4]


def draw_keyed(seed: int, model: str = "ggk-whitt") -> Stations:
    """Operators of all kinds; keyed ones have measured shares, and some of their instances bursts of their own."""
    rng = np.random.default_rng(seed)

    def draw_points() -> tuple[IdcPoint, ...]:
        return tuple(
            IdcPoint(0.1 * 2.0**n, 1.0 + float(rng.random()) * n) for n in range(int(rng.integers(5)))
        )

    def draw_instances() -> tuple[InstanceLoad, ...]:
        shares = np.sort(rng.uniform(0.5, 1.5, int(rng.integers(1, 6))))[::-1]
        rows = enumerate((shares / shares.sum()).tolist())
        return tuple(
            InstanceLoad(str(n), share, float(rng.random()) if rng.random() < 0.5 else None, draw_points())
            for n, share in rows
        )

    inflows = [
        Inflow("keyed", 2.0, draw_points(), draw_instances())
        if n % 2
        else Inflow("random", 3.0, draw_points())
        for n in range(6)
    ]
    return replace(draw(6, seed, model), inflows=inflows)


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.sampled_from(MODELS), st.floats(0.1, 3.0))
def test_what_is_remembered_of_inflows_changes_no_answer(seed: int, model: str, factor: float):
    first = draw_keyed(seed, model)
    counts = (np.array(first.list_least_stable()) + np.random.default_rng(seed).integers(0, 4, 6)).tolist()
    rates = [rate * factor for rate in first.arrival_rate]
    others = draw_keyed(seed + 1, model)
    again: dict[str, Any] = {
        "arrival_rate": rates,
        "inflows": others.inflows,
        "arrival_scv": others.arrival_scv,
        "service_rate": others.service_rate,
        "model": "ggk",
    }
    for name, value in again.items():
        warm, cold = replace(first, **{name: value}), replace(first, **{name: value}, prepared={})
        _ = first.wait_seconds(counts), first.arrays
        assert warm.prepared is first.prepared
        assert list(warm.wait_seconds(counts)) == list(cold.wait_seconds(counts)), name
        assert warm.list_least_stable() == cold.list_least_stable(), name


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_operators_together_have_the_waits_that_they_have_alone(seed: int):
    stations = draw_keyed(seed)
    places, counts = list(range(6)), np.array(stations.list_least_stable()) + 1
    together = stations.prepare_general(places)
    alone = [stations.prepare_general([i]) for i in places]
    assert together.carried.tolist() == [float(one.carried[0]) for one in alone]
    for i, floor in enumerate(stations.list_least_stable()):
        columns: dict[str, Any] = {name: [getattr(stations, name)[i]] for name in COLUMNS}
        assert replace(stations, **columns, prepared={}).list_least_stable() == [floor]
    waits = [float(wait_or_inf(one, counts[i : i + 1])[0]) for i, one in enumerate(alone)]
    assert wait_or_inf(together, counts).tolist() == waits
