from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.queueing.erlang import wait_seconds
from planner.queueing.queueings import Inflow
from planner.values import IdcPoint, InstanceLoad
from tests.planner.queueing.own_cases import OWN, build, cut, deal, find_longest, inflows, stretch, wait_alone

SCVS = st.sampled_from([0.0, 0.3, 1.0, 2.5])
LOADS = st.floats(0.05, 40.0)


def list_waits(inflow: Inflow, load: float, scvs: tuple[float, float], more: int = 25) -> np.ndarray:
    curve = build(inflow, load, scvs=scvs).curves[0]
    if curve.floor > 10**6:
        return np.empty(0)
    return np.array([curve.wait_seconds(curve.floor + i) for i in range(more)])


@pytest.mark.parametrize("queueing", ["random", "keyed"])
@pytest.mark.parametrize("s", [0.0, 0.5, 1.0, 3.0])
def test_poisson_arrivals_at_random_instances_wait_as_pollaczek_and_khinchine_say(queueing: str, s: float):
    curve = build(Inflow(queueing), 4.5, scvs=(1.0, s)).curves[0]
    for k in (5, 6, 20, 1000):
        rho = 4.5 / k
        assert curve.wait_seconds(k) == pytest.approx((1.0 + s) / 2.0 * rho / (1.0 - rho) / 2.0, rel=1e-12)


def test_one_sender_that_deals_in_turn_is_near_the_exact_root_of_its_queue():
    """Gaps of a k-th of the arrivals are Erlang-k, so W = σ/(μ(1 − σ)), σ = (λ'k/(λ'k + μ(1 − σ)))^k."""
    curve = build(Inflow("round-robin"), 8.0).curves[0]
    for k in (9, 10, 12, 16):
        sigma, share = 0.5, 8.0 / k * k
        for _ in range(2000):
            sigma = (share / (share + 1.0 - sigma)) ** k
        assert curve.wait_seconds(k) == pytest.approx(sigma / (1.0 - sigma) / 2.0, rel=0.09)


@given(
    st.floats(0.0, 3.0), st.floats(0.0, 3.0), st.floats(1.0, 30.0), st.integers(1, 40), st.floats(1.0, 50.0)
)
def test_waits_without_bursts_are_the_formula(a: float, s: float, load: float, more: int, senders: float):
    k = int(load) + more
    shared = wait_seconds(load * 2.0, 2.0, k, a, s, "ggk-whitt")
    for queueing, seen in (
        ("round-robin", deal(a, k, senders, 3.0 * load)),
        ("random", 1.0 + (a - 1.0) / k),
        ("keyed", 2.5 + (a - 2.5) / k),
    ):
        inflow = Inflow(queueing, senders, root_batch=2.5 if queueing == "keyed" else 1.0)
        expected = wait_alone(load, k, seen, s) if k > 1 else shared
        expected = expected if queueing == "keyed" else max(expected, shared)
        assert build(inflow, load, scvs=(a, s)).curves[0].wait_seconds(k) == pytest.approx(
            expected, rel=1e-9, abs=1e-12
        )


@given(st.lists(st.floats(0.0, 40.0), min_size=2, max_size=8), SCVS, st.floats(1.0, 20.0), st.integers(1, 20))
def test_waits_under_bursts_are_the_formula(levels: list[float], s: float, load: float, more: int):
    k, mu = int(load) + 1 + more, 2.0
    seconds = [0.35 * 2.0**i for i in range(len(levels))]
    idc = tuple(map(IdcPoint, seconds, levels))
    seen = [1.0 + (level - 1.0) / k for level in levels]
    rho = load / k
    value = find_longest(cut(seconds, seen), s, 1.0 - rho, mu)
    a = max(2.0 * (1.0 - rho) * value - s, 0.0)
    alone = stretch(a, s, rho) * rho / (1.0 - rho) / mu
    shared = build(Inflow("shared", idc=idc), load, scvs=(9.0, s)).curves[0].wait_seconds(k)
    found = build(Inflow("random", idc=idc), load, scvs=(9.0, s)).curves[0].wait_seconds(k)
    assert found == pytest.approx(max(alone, shared), rel=1e-9, abs=1e-12)


def test_long_bursts_at_a_shared_queue_wait_as_at_one_fast_server_beside_the_calm_queue():
    idc = tuple([IdcPoint(0.35 * 2.0**i, 1.0 if i < 2 else 21.0) for i in range(12)])
    k, load = 10, 9.5
    calm = wait_seconds(2.0 * load, 2.0, k, 1.0, 1.0, "ggk-whitt")
    found = build(Inflow("shared", idc=idc), load).curves[0].wait_seconds(k)
    backlog = (21.0 - 1.0) / 2.0 * 0.95 / (k * 2.0 * 0.05)
    assert found == pytest.approx(calm + backlog, rel=1e-6)


def test_measured_instances_have_their_own_waits():
    points = tuple([IdcPoint(0.35 * 2.0**i, 6.0) for i in range(5)])
    instances = (InstanceLoad("0", 0.5, 2.0), InstanceLoad("1", 0.3, None, points), InstanceLoad("2", 0.2))
    found = build(Inflow("keyed", instances=instances), 1.5, scvs=(3.0, 0.5)).curves[0].wait_seconds(3)
    expected = 0.0
    for share, a in ((0.5, 2.0), (0.3, 6.0), (0.2, 1.0 + 0.2 * 2.0)):
        rho = share * 1.5
        expected += share * stretch(a, 0.5, rho) * rho / (1.0 - rho) / 2.0
    assert found == pytest.approx(expected, rel=1e-9)


def test_what_instances_taught_at_their_number_is_kept_at_others():
    plain = tuple([InstanceLoad(str(i), share) for i, share in enumerate((0.4, 0.35, 0.25))])
    rough = tuple([one._replace(arrival_scv=5.0) for one in plain])
    waits = [build(Inflow("keyed", instances=some), 2.1).curves[0].wait_seconds for some in (plain, rough)]
    ratio = waits[1](3) / waits[0](3)
    assert ratio > 2.0
    assert waits[1](7) / waits[0](7) == pytest.approx(ratio)


@pytest.mark.parametrize("queueing", ["shared", *OWN])
@given(st.data(), LOADS, SCVS, SCVS)
@settings(max_examples=60)
def test_one_processor_more_never_lengthens_a_wait(
    queueing: str, data: st.DataObject, load: float, a: float, s: float
):
    inflow = data.draw(inflows(queueing))
    if (
        queueing == "keyed"
    ):  # batches of keys, bursts and instances that contradict each other may move it by a percent
        inflow = inflow._replace(capacity=inf)
    waits = list_waits(inflow, load, (a, s))
    assert np.all(np.diff(waits) <= (1e-9 if queueing != "keyed" else 0.02) * waits[:-1] + 1e-12)


@given(st.data(), LOADS, SCVS, SCVS)
@settings(max_examples=60)
def test_shared_beats_round_robin_and_round_robin_beats_random(
    data: st.DataObject, load: float, a: float, s: float
):
    inflow = data.draw(inflows("random"))
    shared, turning, random = (
        list_waits(inflow._replace(queueing=queueing), load, (a, s))
        for queueing in ("shared", "round-robin", "random")
    )
    assert np.all(turning >= shared * (1.0 - 1e-9) - 1e-15)
    assert np.all(random >= turning * (1.0 - 1e-9) - 1e-15)


@given(st.data(), st.floats(0.05, 0.95), SCVS, SCVS)
def test_one_processor_is_one_queue(data: st.DataObject, load: float, a: float, s: float):
    inflow = data.draw(inflows("keyed"))._replace(instances=())
    waits = [
        build(inflow._replace(queueing=queueing), load, scvs=(a, s)).curves[0].wait_seconds(1)
        for queueing in ("shared", *OWN)
    ]
    assert waits == pytest.approx([waits[0]] * 4, rel=1e-9, abs=1e-15)


def test_a_model_without_scvs_knows_neither_bursts_nor_batches():
    idc = (IdcPoint(1.0, 9.0), IdcPoint(2.0, 9.0))
    plain, bursty = (
        build(Inflow("random", idc=some), 3.0, model="mmk", scvs=(4.0, 4.0)) for some in ((), idc)
    )
    assert (
        bursty.curves[0].wait_seconds(4)
        == plain.curves[0].wait_seconds(4)
        == pytest.approx(0.75 / 0.25 / 2.0)
    )


def test_the_busiest_instance_decides_on_stability():
    instances = (InstanceLoad("0", 0.7), InstanceLoad("1", 0.3))
    curve = build(Inflow("keyed", instances=instances), 1.5).curves[0]
    assert curve.wait_seconds(2) == inf
    assert curve.floor == 3  # 0.7 − 1/2 + 1/3 of 1.5
    assert curve.wait_seconds(3) < inf
    assert build(Inflow("random"), 1.5).curves[0].floor == 2


def test_a_measured_factor_multiplies_the_wait():
    stations = build(Inflow("random"), 3.0)
    scaled = replace(stations, wait_factors=[1.7])
    assert scaled.curves[0].wait_seconds(4) == pytest.approx(1.7 * stations.curves[0].wait_seconds(4))


def test_half_of_random_arrivals_wait_at_instances_half_busy():
    assert build(Inflow("random"), 2.0).waiting_probability([4]) == pytest.approx([0.5])
    assert build(Inflow("keyed"), 2.0).waiting_probability([4]) == pytest.approx([0.5])
