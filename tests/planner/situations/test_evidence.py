"""What an answer says of its own truth: kind, known error, what was measured, what assumed."""

from dataclasses import replace
from typing import Any

import pytest

from planner.plans.optimal import min_processors
from planner.situations.evidence import write_times_longer
from planner.situations.known_errors import ENTRIES, EVERYWHERE, KNOWN_ERRORS, SCVS
from planner.situations.situation import estimate
from planner.values import (
    Edge,
    Entry,
    Evidence,
    IdcPoint,
    InstanceLoad,
    Load,
    Operator,
    OperatorLoad,
    Topology,
)
from planner.wording import write_percent

CALM = tuple(IdcPoint(0.1 * 2**octave, 1.0) for octave in range(10))
BURSTS = tuple(IdcPoint(0.1 * 2**octave, 1.0 + 2.0**octave) for octave in range(10))
SEEN = OperatorLoad(service_rate=6.0, arrival_scv=1.0, service_scv=0.5, processors=3, arrival_idc=CALM)


def build(queueing: str | None, **fields: Any) -> tuple[Topology, Load]:
    topology = Topology(
        (Operator("a", queueing=queueing), Operator("b", queueing=queueing)), (Edge("a", "b"),), (Entry("a"),)
    )
    one = SEEN._replace(**fields)
    return topology, Load(10.0, {"a": one, "b": one})


def judge(topology: Topology, load: Load, model: str = "ggk-whitt") -> Evidence:
    found = estimate(topology, load, model=model).evidence
    assert found
    return found


@pytest.mark.parametrize("queueing", ["shared", "round-robin", "random"])
@pytest.mark.parametrize(("idc", "arrivals"), [(CALM, "calm"), (BURSTS, "bursty")])
def test_the_known_error_is_that_of_the_kind(queueing: str, idc: tuple[IdcPoint, ...], arrivals: str):
    found = judge(*build(queueing, arrival_idc=idc))
    assert found.kind == f"{queueing}, {arrivals}"
    assert found.known_error == KNOWN_ERRORS[queueing, arrivals][f"E[T], {EVERYWHERE}"]
    assert found.measured == (
        "service rate of every operator",
        "variability of arrivals of 2 of 2 operators",
        "bursts of arrivals of 2 of 2 operators",
        "variability of services of 2 of 2 operators",
    )
    assert not found.assumed


def test_bursts_inside_may_be_carried_on_from_the_entries():
    topology, load = build("round-robin")
    inside = SEEN._replace(arrival_idc=(), arrival_scv=None)
    found = judge(topology, replace(load, operators={"a": SEEN, "b": inside}))
    assert found.known_error == KNOWN_ERRORS["round-robin", "calm"][f"E[T], {ENTRIES}"]
    assert found.assumed == ("bursts reach b as the operators upstream pass them on",)


def test_without_measured_bursts_no_error_is_told_but_what_it_would_be():
    found = judge(*build("random", arrival_idc=(), arrival_scv=None, service_scv=None))
    assert found.kind == "random, bursts not measured"
    assert found.known_error is None
    assert found.assumed[:2] == (
        "tuples arrive at random at a, b",
        "services of a, b vary as random (exponential) ones do",
    )
    assert write_percent(KNOWN_ERRORS["random", "calm"][f"E[T], {SCVS}"]) in found.assumed[2]
    longer = write_times_longer(KNOWN_ERRORS["random", "bursty"][f"E[T], {SCVS}"])
    assert f"with bursts the true E[T] was about {longer} as long. A measured E[T]" in found.assumed[2]


def test_a_share_by_which_an_estimate_is_too_short_is_said_as_a_factor():
    assert write_times_longer(0.85) == "6.7 times"
    assert write_times_longer(0.5) == "2 times"


def test_a_queueing_that_nobody_said_has_no_known_error():
    found = judge(*build(None))
    assert found.known_error is None
    assert "processors share one queue at a, b" in found.assumed


def test_keys_need_the_shares_of_their_instances():
    found = judge(*build("keyed"))
    assert found.known_error is None
    assert "keys spread tuples evenly over the instances of a, b" in found.assumed
    shares = tuple(InstanceLoad(name, 1.0 / 3.0, 1.0, CALM) for name in "xyz")
    found = judge(*build("keyed", instances=shares))
    assert found.known_error == KNOWN_ERRORS["keyed", "calm"][f"E[T], {EVERYWHERE}"]
    assert "shares of instances of 2 of 2 operators" in found.measured


def test_mixed_queueings_have_the_larger_error_and_single_processors_none_of_their_own():
    topology, load = build("shared")
    mixed = replace(
        topology, operators=(Operator("a", queueing="shared"), Operator("b", queueing="round-robin"))
    )
    found = judge(mixed, load)
    assert found.kind == "mixed queueings, calm"
    assert found.known_error == max(
        KNOWN_ERRORS[queueing, "calm"][f"E[T], {EVERYWHERE}"] for queueing in ("shared", "round-robin")
    )
    fast = replace(load, operators={"a": SEEN, "b": SEEN._replace(processors=1, service_rate=60.0)})
    assert judge(mixed, fast).kind == "shared, calm"


def test_other_models_and_operators_that_cannot_keep_up_have_no_known_error():
    topology, load = build("shared")
    assert judge(topology, load, model="mmk").known_error is None
    assert judge(topology, replace(load, external_rate=100.0)).known_error is None


def test_a_plan_says_its_evidence_too_and_calibrated_waits_are_measured_ones():
    topology, load = build("round-robin", wait_factor=1.1)
    plan = min_processors(topology, load, 0.5)
    assert plan.estimate.evidence
    assert "waits of 2 of 2 operators" in plan.estimate.evidence.measured
