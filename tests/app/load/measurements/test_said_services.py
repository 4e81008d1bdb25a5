"""An owner's service_scv counts from the stored topology to every answer, where snapshots have none."""

from typing import Any

import httpx

from tests.app.decision_calls import ENOUGH, RATES, at

SCV = 6.0
EDGES = [
    {"source": "generator", "target": "detector", "selectivity": 4.0},
    {"source": "detector", "target": "reporter"},
]
AT = {"at": at(1), "policy": {"goal": {"t_max_seconds": 0.18}, "look_ahead": False}}
OLD = {"max_snapshot_age_seconds": 1e9}


def store(client: httpx.Client, name: str, said: dict[str, float], measured: dict[str, float]) -> str:
    topology = {"name": name, "edges": EDGES, "operators": [{"name": one} | said for one in RATES]}
    assert client.post("/v1/topologies", json=topology).status_code == 201
    operators = {one: {"service_rate": mu, "processors": ENOUGH[one]} | measured for one, mu in RATES.items()}
    snapshot = {"observed_at": at(0), "external_rate": 20.0, "operators": operators}
    assert client.post(f"/v1/topologies/{name}/snapshots", json=snapshot).status_code == 201
    return f"/v1/topologies/{name}"


def answer(client: httpx.Client, url: str) -> list[Any]:
    """The numbers of every kind of answer."""

    def ask(path: str, **body: Any) -> Any:
        found = client.post(url + path, json=body)
        assert found.is_success, found.text
        return found.json()

    decision = ask("/decisions", **AT)
    asked = ask("/what-if", t_max_seconds=0.18)
    return [
        ask("/estimate")["expected_sojourn_seconds"],
        ask("/plans/min-latency", k_max=30)["expected_sojourn_seconds"],
        ask("/plans/min-processors", t_max_seconds=0.18)["processors"],
        (decision["expected_sojourn_seconds"], decision["processors"]),
        ask("/gate", t_max_seconds=0.18, **OLD)["headroom_rate"],
        (asked["current"]["expected_sojourn_seconds"], asked["frontier"]),
        ask("/simulations", roots=2000)["total"]["mean_seconds"],
    ]


def test_every_answer_takes_what_was_said_for_what_was_measured(client: httpx.Client, name: str):
    said = store(client, f"{name}-said", {"service_scv": SCV}, {})
    measured = store(client, f"{name}-measured", {}, {"service_scv": SCV})
    silent = store(client, f"{name}-silent", {}, {})
    both = store(client, f"{name}-both", {"service_scv": 0.1}, {"service_scv": SCV})
    found = answer(client, said)
    assert found == answer(client, measured) == answer(client, both)
    assert all(one != other for one, other in zip(found, answer(client, silent), strict=True))
    told = client.post(f"{said}/estimate", json={}).json()
    assert "scv-said" in [one["code"] for one in told["diagnostics"]]
    assert client.get(said).json()["operators"][0]["service_scv"] == SCV


def test_a_number_below_zero_is_refused(client: httpx.Client, name: str):
    topology = {"name": name, "operators": [{"name": "a", "service_scv": -1.0}]}
    refused = client.post("/v1/topologies", json=topology)
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "#/operators/0/service_scv")
