"""Estimates against the same mathematics in 40 digits, and the laws of what an estimate says."""

from dataclasses import dataclass, replace
from math import inf

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from planner.errors import InvalidLoad
from planner.queueing.erlang import least_stable_processors
from planner.situations.situation import estimate, find_sojourn
from planner.values import Edge, Entry, Load, Model, Operator, OperatorLoad, ServiceBucket, Topology
from tests.planner.plan_cases import PAIR, codes, load_pair

MODELS: tuple[Model, ...] = ("mmk", "ggk", "ggk-whitt")


@dataclass(frozen=True)
class Case:
    topology: Topology
    load: Load
    processors: dict[str, int]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Any graph, loops included. Rows sum to less than 1, then streams are rescaled by operator: the spectral
    radius stays below 1 while selectivities go far above it.
    """
    size = draw(st.integers(1, 7))
    names = [f"op{i}" for i in range(size)]
    scale = [draw(st.floats(0.1, 10.0)) for _ in names]
    edges = []
    for i in range(size):
        targets = draw(st.lists(st.integers(0, size - 1), unique=True, max_size=4))
        weights = [draw(st.floats(0.01, 1.0)) for _ in targets]
        kept = draw(st.floats(0.05, 0.95)) / sum(weights) if weights else 0.0
        edges += [
            Edge(names[i], names[j], weight * kept * scale[j] / scale[i])
            for j, weight in zip(targets, weights, strict=True)
        ]
    entered = draw(st.lists(st.sampled_from(names), unique=True, min_size=1))
    entries = tuple(Entry(name, draw(st.floats(0.1, 2.0))) for name in entered)
    topology = Topology(tuple(Operator(name) for name in names), tuple(edges), entries)
    scv = st.one_of(st.none(), st.just(0.0), st.floats(0.0, 6.0))
    operators = {
        name: OperatorLoad(draw(st.floats(0.01, 100.0)), arrival_scv=draw(scv), service_scv=draw(scv))
        for name in names
    }
    load = Load(draw(st.floats(0.01, 1000.0)), operators)
    rates = {
        one.name: one.arrival_rate for one in estimate(topology, load, dict.fromkeys(names, 1)).operators
    }
    processors = {}
    for name, measured in operators.items():
        assert measured.service_rate is not None
        least = least_stable_processors(rates[name], measured.service_rate)
        assume(least < 3000)
        processors[name] = least + draw(st.integers(0, 20))
        # λ itself is known to 1e-16 only, which a wait near saturation multiplies by 1/(1 − ρ).
        assume(rates[name] / measured.service_rate / processors[name] < 1 - 1e-5)
    return Case(topology, load, processors)


def reference_visits(topology: Topology) -> dict[str, mpf]:
    """v = e + Gᵀv by dense elimination in 40 digits."""
    index = {operator.name: i for i, operator in enumerate(topology.operators)}
    system = mp.eye(len(index))
    for edge in topology.edges:
        system[index[edge.target], index[edge.source]] -= mpf(edge.selectivity)
    inflow = mp.zeros(len(index), 1)
    for entry in topology.entries:
        inflow[index[entry.operator]] = mpf(entry.share)
    solution = mp.lu_solve(system, inflow)
    return {name: solution[i] for name, i in index.items()}


def reference_wait(arrival_rate: mpf, service_rate: mpf, k: int) -> mpf:
    """M/M/k by Erlang's own sums: C = (Aᵏ/k!)/(1 − ρ) / (Σ Aⁿ/n! + the same), Wq = C/(kμ − λ)."""
    load = arrival_rate / service_rate
    term, total = mpf(1), mpf(0)
    for n in range(k):
        total += term
        term *= load / (n + 1)
    queued = term / (1 - load / k)
    return queued / (total + queued) / (k * service_rate - arrival_rate)


def reference_variability(model: Model, a: mpf, s: mpf, rho: mpf, k: int) -> mpf:
    """The factor on the wait of M/M/k: 1, (a + s)/2, or φ(a + s)/2 with Whitt's φ (1993, eqs. 2.16–2.25)."""
    mean = (a + s) / 2
    if model == "mmk":
        return mpf(1)
    if model == "ggk" or mean == 0:
        return mean
    gamma = min(mpf("0.24"), (1 - rho) * (k - 1) * (mp.sqrt(4 + 5 * k) - 2) / (16 * k * rho))
    phi1 = 1 + gamma
    phi3 = (1 - 4 * gamma) * mp.exp(-2 * (1 - rho) / (3 * rho))
    phi4 = min(mpf(1), (phi1 + phi3) / 2)
    psi = mpf(1) if mean >= 1 else phi4 ** (2 - a - s)
    if a >= s:
        return mean * (4 * (a - s) / (4 * a - 3 * s) * phi1 + s / (4 * a - 3 * s) * psi)
    return mean * ((s - a) / (2 * a + 2 * s) * phi3 + (s + 3 * a) / (2 * a + 2 * s) * psi)


def reference_sojourn(case: Case, model: Model) -> mpf:
    """E[T] = Σ vᵢ (Wᵢ + 1/μᵢ)."""
    total = mpf(0)
    for name, visits in reference_visits(case.topology).items():
        measured, k = case.load.operators[name], case.processors[name]
        mu, rate = mpf(measured.service_rate), visits * mpf(case.load.external_rate)
        if visits:
            a, s = (mpf(1 if scv is None else scv) for scv in (measured.arrival_scv, measured.service_scv))
            wait = reference_wait(rate, mu, k) * reference_variability(model, a, s, rate / mu / k, k)
            total += visits * (wait + 1 / mu)
    return total


@pytest.mark.parametrize("model", MODELS)
@given(case=cases())
@settings(max_examples=60)
def test_expected_sojourn_agrees_with_forty_digits_to_1e_10(model: Model, case: Case) -> None:
    answer = estimate(case.topology, case.load, case.processors, model)
    with mp.workdps(40):
        expected = reference_sojourn(case, model)
        assert answer.expected_sojourn_seconds is not None
        assert abs(answer.expected_sojourn_seconds - expected) <= mpf("1e-10") * expected


@given(case=cases(), model=st.sampled_from(MODELS), more=st.data())
@settings(max_examples=100)
def test_one_more_processor_never_slows_a_topology(case: Case, model: Model, more: st.DataObject) -> None:
    name = more.draw(st.sampled_from(sorted(case.processors)))
    before = estimate(case.topology, case.load, case.processors, model).expected_sojourn_seconds
    grown = case.processors | {name: case.processors[name] + 1}
    after = estimate(case.topology, case.load, grown, model).expected_sojourn_seconds
    assert before is not None
    assert after is not None
    assert after <= before * (1 + 1e-12)


@given(case=cases())
@settings(max_examples=100)
def test_the_whole_is_the_sum_of_the_visits(case: Case) -> None:
    answer = estimate(case.topology, case.load, case.processors)
    parts = [one.visits * (one.sojourn_seconds or 0.0) for one in answer.operators]
    assert answer.expected_sojourn_seconds == pytest.approx(sum(parts), rel=1e-13)
    assert answer.processors_total == sum(case.processors.values())


def test_processors_come_from_the_load_when_none_are_given() -> None:
    assert estimate(PAIR, load_pair()) == estimate(PAIR, load_pair(), {"a": 4, "b/c~d": 5})


def test_an_unstable_operator_makes_the_whole_infinite_and_is_named() -> None:
    answer = estimate(PAIR, load_pair(), {"a": 4, "b/c~d": 4})
    assert (answer.stable, answer.expected_sojourn_seconds) == (False, None)
    assert answer.unstable_operators == ("b/c~d",)
    first, second = answer.operators
    assert first.sojourn_seconds is not None
    assert (second.utilisation, second.wait_seconds, second.sojourn_seconds) == (1.0, None, None)


def test_more_than_a_billion_busy_processors_are_refused() -> None:
    with pytest.raises(InvalidLoad, match="Check the units") as caught:
        estimate(PAIR, load_pair(external_rate=1e12), {"a": 4, "b/c~d": 5})
    assert caught.value.pointer == "/operators/a/service_rate"


def test_assumed_scvs_are_said_unless_the_model_has_none() -> None:
    assert "scv-assumed" in codes(estimate(PAIR, load_pair()))
    assert "scv-assumed" not in codes(estimate(PAIR, load_pair(), model="mmk"))


def test_an_operator_near_saturation_is_named() -> None:
    answer = estimate(PAIR, load_pair(external_rate=11.9))
    (near,) = [diagnostic for diagnostic in answer.diagnostics if diagnostic.code == "near-saturation"]
    assert near.operators == ("a", "b/c~d")  # 11.9/12 and 23.8/25


def test_without_input_the_sojourn_is_the_service_alone() -> None:
    answer = estimate(PAIR, load_pair(external_rate=0.0))
    assert answer.expected_sojourn_seconds == pytest.approx(1 / 3 + 2 / 5, rel=1e-15)
    assert [one.visits for one in answer.operators] == [1.0, 2.0]
    assert "no-input" in codes(answer)


def test_a_tuple_that_is_measured_twice_as_often_counts_twice() -> None:
    operators = {"a": OperatorLoad(3.0), "b/c~d": OperatorLoad(5.0, arrival_rate=40.0)}
    answer = estimate(PAIR, load_pair(operators=operators), {"a": 4, "b/c~d": 9}, "mmk")
    assert [one.visits for one in answer.operators] == [1.0, 4.0]


@pytest.mark.parametrize(("count", "said"), [(1, True), (2, False), (6, False), (7, True)])
def test_processors_outside_of_an_operators_own_bounds_are_said(count: int, said: bool):  # noqa: FBT001  # a parameter
    topology = Topology((Operator("a", min_processors=2, max_processors=6),))
    load = Load(0.5, {"a": OperatorLoad(1.0, processors=count)})
    codes = [one.code for one in estimate(topology, load).diagnostics]
    assert ("outside-bounds" in codes) is said


def test_a_histogram_that_contradicts_the_service_rate_is_told():
    told = OperatorLoad(3.0, service_histogram=(ServiceBucket(0.5, 10),))
    load = load_pair(operators=load_pair().operators | {"a": told})  # type: ignore[operator]
    assert "histogram-disagrees" in codes(estimate(PAIR, load, {"a": 6, "b/c~d": 6}))
    assert "histogram-disagrees" not in codes(estimate(PAIR, load_pair(), {"a": 6, "b/c~d": 6}))


@given(case=cases(), missing=st.integers(0, 2))
@settings(max_examples=60)
def test_the_sojourn_alone_is_that_of_the_estimate_to_the_bit(case: Case, missing: int) -> None:
    """With `missing` processors fewer, an operator may not keep up."""
    running = {
        name: one._replace(processors=max(case.processors[name] - missing, 1))
        for name, one in case.load.operators.items()
    }
    load = replace(case.load, operators=running)
    answer = estimate(case.topology, load)
    expected = inf if answer.expected_sojourn_seconds is None else answer.expected_sojourn_seconds
    assert find_sojourn(case.topology, load) == (expected, answer.processors_total)
    assert (expected == inf) == (not answer.stable)
