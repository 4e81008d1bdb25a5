"""min_latency: both requests bring their terms to the planner's call, and the largest budget is answered."""

import httpx
import pytest

from app.planning.objectives.optimal import MIN_LATENCY
from app.web.fields import MOST_BUDGET
from planner.plans.optimal import min_latency
from tests.app.planning.objectives.examples import LOAD, TOPOLOGY, plan_with


def test_both_requests_have_the_planners_plan():
    expected = min_latency(TOPOLOGY, LOAD, 22, "mmk")
    assert plan_with(MIN_LATENCY, k_max=22, model="mmk") == (expected, expected)


@pytest.mark.parametrize("queueing", ["shared", "round-robin", "random", "keyed"])
@pytest.mark.parametrize("size", [5, 60])
def test_the_largest_budget_is_answered(client: httpx.Client, queueing: str, size: int):
    names = [f"o{i}" for i in range(size)]
    body = {
        "topology": {
            "operators": [{"name": name, "queueing": queueing} for name in names],
            "edges": [{"source": names[0], "target": name} for name in names[1:]],
        },
        "load": {
            "external_rate": 100.0,
            "operators": {
                name: {"service_rate": 7.0 + i % 5, "arrival_scv": 0.7, "service_scv": 0.5}
                for i, name in enumerate(names)
            },
        },
        "k_max": MOST_BUDGET,
    }
    answer = client.post("/v1/plans/min-latency", json=body)
    assert answer.status_code == 200, answer.text
    plan = answer.json()
    assert sum(plan["processors"].values()) + plan["unused_processors"] == MOST_BUDGET
