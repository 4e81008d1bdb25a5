from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.situations.keys import find_hottest_share
from planner.situations.situation import estimate
from planner.values import (
    Edge,
    Entry,
    Estimate,
    IdcPoint,
    InstanceLoad,
    Load,
    Operator,
    OperatorLoad,
    Topology,
)
from planner.wording import write_seconds
from tests.planner.plan_cases import codes

CHAIN = Topology((Operator("a"), Operator("b")), (Edge("a", "b", 1.5),), (Entry("a"),))
LOAD = Load(10.0, {"a": OperatorLoad(3.0, processors=5), "b": OperatorLoad(4.0, processors=6)})
BURSTS = tuple([IdcPoint(0.5 * 2.0**i, 6.0) for i in range(5)])
HOT = (InstanceLoad("0", 0.5), InstanceLoad("1", 0.3), InstanceLoad("2", 0.2))


def say(topology: Topology, *queueings: str | None) -> Topology:
    operators = [one._replace(queueing=said) for one, said in zip(topology.operators, queueings, strict=True)]
    return replace(topology, operators=tuple(operators))


def find_detail(answer: Estimate, code: str) -> str:
    return next(one.detail for one in answer.diagnostics if one.code == code)


@given(
    st.floats(0.5, 20.0),
    st.tuples(st.integers(0, 9), st.integers(0, 9)),
    st.sampled_from([None, 0.3, 2.0]),
    st.sampled_from([None, 4]),
    st.sampled_from(["ggk-whitt", "ggk", "mmk"]),
    st.sampled_from([0.8, 2.5]),
    st.booleans(),
)
@settings(max_examples=50)
def test_what_round_robin_would_take_is_what_its_estimate_says(  # noqa: PLR0917 - one argument per property of a case
    rate: float,
    more: tuple[int, int],
    scv: float | None,
    running: int | None,
    model: str,
    selectivity: float,
    is_bursty: bool,  # noqa: FBT001 - a table's column
):
    one = OperatorLoad(3.0, processors=running, arrival_scv=scv, service_scv=scv)
    load = Load(rate, {"a": one._replace(arrival_idc=BURSTS) if is_bursty else one, "b": one})
    topology = replace(CHAIN, edges=(Edge("a", "b", selectivity),))
    counts = {"a": int(rate / 3.0) + 1 + more[0], "b": int(selectivity * rate / 3.0) + 1 + more[1]}
    answer = estimate(topology, load, counts, model)
    if "queueing-assumed" not in codes(answer):
        assert set(counts.values()) == {1} or all(not one.wait_seconds for one in answer.operators)
        return
    dealt = estimate(say(topology, "round-robin", "round-robin"), load, counts, model)
    assert f"E[T] would be {write_seconds(dealt.expected_sojourn_seconds)}" in find_detail(
        answer, "queueing-assumed"
    )


def test_only_what_is_not_said_is_assumed():
    assert "queueing-assumed" not in codes(estimate(say(CHAIN, "shared", "shared"), LOAD))
    answer = estimate(say(CHAIN, "shared", None), LOAD)
    assert [one.operators for one in answer.diagnostics if one.code == "queueing-assumed"] == [("b",)]
    plain, said = estimate(CHAIN, LOAD), estimate(say(CHAIN, "shared", "shared"), LOAD)
    assert plain._replace(diagnostics=(), evidence=None) == said._replace(diagnostics=(), evidence=None)


def test_an_unstable_topology_compares_nothing():
    answer = estimate(CHAIN, LOAD, {"a": 5, "b": 3})
    assert "round-robin" not in find_detail(answer, "queueing-assumed")


def test_keys_that_are_not_measured_are_assumed_even():
    answer = estimate(say(CHAIN, "shared", "keyed"), LOAD)
    assert "keys spread tuples over the instances of b is not measured" in find_detail(
        answer, "keys-assumed-even"
    )


def test_a_hot_instance_is_named_with_the_share_at_which_it_breaks():
    hot = {**LOAD.operators, "b": OperatorLoad(8.0, processors=3, instances=HOT)}
    answer = estimate(say(CHAIN, "shared", "keyed"), Load(10.0, hot))
    detail = find_detail(answer, "hottest-instance")
    assert "gets 50% of them" in detail
    assert "94% busy" in detail
    assert "Above 53% of the tuples it cannot keep up" in detail
    assert answer.operators[1].hottest_share == pytest.approx(0.5)
    assert answer.operators[1].hottest_utilisation == pytest.approx(0.5 * 15.0 / 8.0)


def test_long_bursts_are_said_with_their_dispersion():
    bursty = {**LOAD.operators, "a": LOAD.operators["a"]._replace(arrival_idc=BURSTS)}
    answer = estimate(say(CHAIN, "round-robin", "shared"), Load(10.0, bursty))
    assert "a (index 6)" in find_detail(answer, "bursty")
    calm = tuple([point._replace(idc=1.5) for point in BURSTS])
    bursty["a"] = bursty["a"]._replace(arrival_idc=calm)
    assert "bursty" not in codes(estimate(say(CHAIN, "round-robin", "shared"), Load(10.0, bursty)))


@pytest.mark.parametrize(
    ("queueing", "share"),
    [(None, None), ("shared", None), ("random", 0.25), ("round-robin", 0.25), ("keyed", None)],
)
def test_the_busiest_instance_of_even_ones_has_its_fair_share(queueing: str | None, share: float | None):
    assert find_hottest_share(Operator("a", queueing=queueing), OperatorLoad(), 4) == share
    measured = OperatorLoad(instances=HOT)
    assert find_hottest_share(Operator("a", queueing="keyed"), measured, 3) == pytest.approx(0.5)
