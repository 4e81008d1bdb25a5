from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.queueing.erlang import wait_seconds
from planner.queueing.queueings import Inflow
from planner.values import IdcPoint, InstanceLoad
from tests.planner.queueing.instances.instance_cases import OWN, build, inflows
from tests.planner.queues_simulated import (
    deal_in_turn,
    draw_bursts,
    draw_times,
    measure_dispersion,
    wait_at_instances,
)

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


@pytest.mark.parametrize(
    ("queueing", "scvs", "load", "k", "senders"),
    [
        ("round-robin", (1.0, 1.0), 8.0, 10, 1),
        ("round-robin", (1.0, 1.0), 8.0, 10, 3),
        ("round-robin", (2.5, 0.5), 4.0, 5, 4),
        ("round-robin", (0.3, 1.0), 4.0, 6, 2),
        ("round-robin", (1.0, 2.5), 2.0, 3, 2),
        ("random", (2.5, 0.5), 4.0, 5, 1),
        ("random", (0.3, 2.0), 8.0, 11, 1),
        ("random", (3.0, 0.0), 2.0, 3, 1),
    ],
)
def test_waits_are_near_those_of_a_simulation(
    queueing: str, scvs: tuple[float, float], load: float, k: int, senders: int
):
    rng, count, mu = np.random.default_rng(1), 300_000, 2.0
    arrivals = np.cumsum(draw_times(rng, 1.0 / (load * mu), scvs[0], count))
    dealt = deal_in_turn(rng, count, k, senders)
    instances = dealt if queueing == "round-robin" else rng.integers(k, size=count)
    simulated = wait_at_instances(arrivals, draw_times(rng, 1.0 / mu, scvs[1], count), instances)
    curve = build(Inflow(queueing, float(senders)), load, scvs=scvs).curves[0]
    assert curve.wait_seconds(k) == pytest.approx(simulated, rel=0.15)


@pytest.mark.parametrize(
    ("rate", "k", "size", "spread", "s"),
    [
        (16.0, 10, 4.0, 2.0, 1.0),
        (16.0, 11, 10.0, 5.0, 1.0),
        (8.0, 6, 5.0, 20.0, 0.5),
        (8.0, 6, 3.0, 1.0, 1.0),
    ],
)
def test_waits_under_bursts_are_near_those_of_a_simulation(
    rate: float, k: int, size: float, spread: float, s: float
):
    rng, mu = np.random.default_rng(5), 2.0
    arrivals = draw_bursts(rng, rate, size, spread, 400_000 / rate)
    seconds = [0.35 * 2.0**octave for octave in range(-2, 11)]
    idc = tuple([IdcPoint(one, measure_dispersion(arrivals, one)) for one in seconds])
    services = draw_times(rng, 1.0 / mu, s, len(arrivals))
    simulated = wait_at_instances(arrivals, services, rng.integers(k, size=len(arrivals)))
    load = len(arrivals) / (arrivals[-1] - arrivals[0]) / mu
    found = build(Inflow("random", idc=idc), load, scvs=(9.0, s)).curves[0].wait_seconds(k)
    assert found == pytest.approx(simulated, rel=0.15)


def test_long_bursts_at_a_shared_queue_wait_as_at_one_fast_server_beside_the_calm_queue():
    idc = tuple([IdcPoint(0.35 * 2.0**i, 1.0 if i < 2 else 21.0) for i in range(12)])
    k, load = 10, 9.5
    calm = wait_seconds(2.0 * load, 2.0, k, 1.0, 1.0, "ggk-whitt")
    found = build(Inflow("shared", idc=idc), load).curves[0].wait_seconds(k)
    backlog = (21.0 - 1.0) / 2.0 * 0.95 / (k * 2.0 * 0.05)
    assert found == pytest.approx(calm + backlog, rel=1e-6)


def test_measured_instances_have_their_own_waits():
    """Instances with renewal arrivals of their own SCV, each simulated alone."""
    rng, count, mu, s = np.random.default_rng(3), 300_000, 2.0, 0.5
    measured = ((0.5, 0.4), (0.3, 2.0), (0.2, 1.0))
    simulated = 0.0
    for share, a in measured:
        arrivals = np.cumsum(draw_times(rng, 1.0 / (share * 1.5 * mu), a, count))
        services = draw_times(rng, 1.0 / mu, s, count)
        simulated += share * wait_at_instances(arrivals, services, np.zeros(count, np.int64))
    instances = tuple([InstanceLoad(str(place), share, a) for place, (share, a) in enumerate(measured)])
    found = build(Inflow("keyed", instances=instances), 1.5, scvs=(3.0, s)).curves[0].wait_seconds(3)
    assert found == pytest.approx(simulated, rel=0.15)


def test_an_unmeasured_instance_has_a_part_of_the_variability_of_all_arrivals():
    shares = (0.5, 0.3, 0.2)
    waits = [
        build(Inflow("keyed", instances=instances), 1.5, scvs=(3.0, 0.5)).curves[0].wait_seconds(3)
        for instances in (
            tuple([InstanceLoad(str(share), share) for share in shares]),
            tuple([InstanceLoad(str(share), share, 1.0 + share * (3.0 - 1.0)) for share in shares]),
        )
    ]
    assert waits[0] == pytest.approx(waits[1], rel=1e-9)


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
