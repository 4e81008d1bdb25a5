"""The JSON that is written without models is the JSON that the models would give."""

import itertools
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from app.planning.plans.answers import to_plan_answer, write_plan
from planner.plans.optimal import min_latency, min_processors
from planner.quantiles.spread import add_spread
from planner.values import Edge, Entry, Load, Model, Operator, OperatorLoad, Topology

SCVS = st.none() | st.sampled_from([0.0, 0.5, 1.0, 1.7])
MODELS: st.SearchStrategy[Model] = st.sampled_from(["mmk", "ggk", "ggk-whitt"])


@st.composite
def chains(draw: st.DrawFn) -> tuple[Topology, Load]:
    """Chains of operators with loops, bounds and loads between none and heavy."""
    names = draw(st.lists(st.text("aλ\"'-", min_size=1), min_size=1, max_size=6, unique=True))
    bounds = st.none() | st.integers(20, 25)
    operators = tuple(
        Operator(name, min_processors=draw(st.integers(1, 3)), max_processors=draw(bounds)) for name in names
    )
    edges = [Edge(source, target, draw(st.floats(0.0, 1.2))) for source, target in itertools.pairwise(names)]
    if len(names) > 1:
        edges.append(Edge(names[1], names[0], 0.3))
    loads = {
        name: OperatorLoad(draw(st.floats(10.0, 50.0)), arrival_scv=draw(SCVS), service_scv=draw(SCVS))
        for name in names
    }
    rate = draw(st.sampled_from([0.0, 1e-14, 3.0, 30.0]))
    return Topology(operators, tuple(edges), (Entry(names[0]),)), Load(rate, loads)


@given(chains(), MODELS)
@settings(max_examples=60)
def test_a_plan_written_at_once_is_the_answer_of_the_models_to_the_byte(
    asked: tuple[Topology, Load], model: Model
) -> None:
    topology, load = asked
    for plan in (min_latency(topology, load, 400, model), min_processors(topology, load, 1e6, model)):
        assert write_plan(plan) == to_plan_answer(plan).model_dump_json().encode()


@given(chains())
@settings(max_examples=10)
def test_so_is_a_plan_with_quantiles(asked: tuple[Topology, Load]) -> None:
    topology, load = asked
    plan = min_latency(topology, load, 400)
    plan = plan._replace(estimate=add_spread(topology, load, plan.estimate, [0.5, 0.9], 1000))
    assert plan.estimate.total is not None
    assert write_plan(plan) == to_plan_answer(plan).model_dump_json().encode()


@pytest.mark.parametrize(
    ("call", "terms"),
    [
        ("estimate", {}),
        ("plans/min-latency", {"k_max": 22}),
        ("plans/min-processors", {"t_max_seconds": 0.08}),
        ("plans/tradeoff", {"beta": 0.3}),
        ("plans/proportional", {}),
    ],
)
def test_estimates_and_all_plans_have_the_quantiles_that_are_asked_for(
    client: httpx.Client, stored: str, call: str, terms: dict[str, Any]
) -> None:
    asked = terms | {"quantiles": [0.5, 0.95, 0.99], "roots": 5000}
    described = client.post(f"/v1/{call}", json={"topology": FPD, "load": FPD_LOAD} | asked).json()
    measured = client.post(f"/v1/topologies/{stored}/{call}", json=asked).json()
    for name in ("total", "completion"):
        spread = described[name]
        assert measured[name] == spread
        assert [one["quantile"] for one in spread["quantiles"]] == [0.5, 0.95, 0.99]
        seconds = [one["seconds"] for one in spread["quantiles"]]
        assert seconds == sorted(seconds)
        assert (spread["method"], spread["roots"], spread["seed"]) == ("monte-carlo", 5000, 1)
        assert spread["known_error"] is None  # the bursts of the example are not measured
    assert described["completion"]["mean_seconds"] < described["total"]["mean_seconds"]
    without = client.post(f"/v1/{call}", json={"topology": FPD, "load": FPD_LOAD} | terms).json()
    assert without["total"] is without["completion"] is None


def test_a_quantile_of_1_is_refused_with_what_to_change(client: httpx.Client) -> None:
    refused = client.post("/v1/estimate", json={"topology": FPD, "load": FPD_LOAD, "quantiles": [0.5, 1.0]})
    assert refused.status_code == 422
    (error,) = refused.json()["errors"]
    assert error["pointer"] == "#/quantiles/1"
    assert "must be at least 0.000001 and below 1" in error["detail"].lower()


def test_a_plan_for_a_quantile_says_how_it_was_met_and_a_stored_one_is_the_same(
    client: httpx.Client, stored: str
) -> None:
    asked = {"target": {"of": "completion", "quantile": 0.99, "seconds": 0.2}, "roots": 20_000}
    described = client.post(
        "/v1/plans/min-processors", json={"topology": FPD, "load": FPD_LOAD} | asked
    ).json()
    measured = client.post(f"/v1/topologies/{stored}/plans/min-processors", json=asked).json()
    assert described["objective"] == "min-processors"
    assert (measured["processors"], measured["completion"]) == (
        described["processors"],
        described["completion"],
    )
    (quantile,) = described["completion"]["quantiles"]
    assert quantile["quantile"] == 0.99
    assert quantile["seconds"] <= 0.2
    assert "target-on-a-draw" in [said["code"] for said in described["diagnostics"]]


def test_a_quantile_out_of_reach_is_refused_at_its_seconds(client: httpx.Client) -> None:
    target = {"of": "completion", "quantile": 0.99, "seconds": 0.01}
    body = {"topology": FPD, "load": FPD_LOAD, "target": target}
    refused = client.post("/v1/plans/min-processors", json=body)
    problem = refused.json()
    assert (refused.status_code, problem["type"]) == (422, "target-unreachable")
    assert problem["lower_bound_seconds"] > 0.05
    assert "The p99 of the time to completion cannot be 10 ms" in problem["detail"]
    assert problem["errors"][0]["pointer"] == "#/target/seconds"
