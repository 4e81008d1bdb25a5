"""A what-if without a node is the gate's verdict on what is left, and a node that is not known is said."""

from typing import Any

import httpx
import pytest

from tests.app.decision_calls import ENOUGH, RATES, at

URL = "/v1/topologies/{}"


@pytest.fixture
def placed(client: httpx.Client, known: str) -> str:
    """A topology with its instances on three nodes in turn, and `reporter` on the first alone."""
    instances = {
        name: [
            {
                "name": f"{name}-{place}",
                "node": f"n{place % 3 if name != 'reporter' else 0}",
                "queue_length": 0.0,
                "queue_capacity": 10.0,
            }
            for place in range(many)
        ]
        for name, many in ENOUGH.items()
    }
    operators = {name: {"service_rate": mu, "processors": ENOUGH[name]} for name, mu in RATES.items()}
    snapshot = {"observed_at": at(0), "external_rate": 300.0, "operators": operators, "instances": instances}
    assert client.post(f"{URL.format(known)}/snapshots", json=snapshot).is_success
    return known


def ask(client: httpx.Client, name: str, **body: Any) -> httpx.Response:
    return client.post(f"{URL.format(name)}/what-if", json={"t_max_seconds": 0.2} | body)


def test_what_is_left_is_judged_as_the_gate_judges_it(client: httpx.Client, placed: str):
    whole, left = ask(client, placed).json(), ask(client, placed, failing_node="n1").json()
    processors = {"generator": ENOUGH["generator"] - 2, "detector": ENOUGH["detector"] - 4, "reporter": 3}
    assert left["gate"]["processors"] == processors
    gate = client.post(
        f"{URL.format(placed)}/gate",
        json={"processors": processors, "t_max_seconds": 0.2, "max_snapshot_age_seconds": 1e9},
    ).json()
    for part in ("passed", "checks", "headroom_rate", "binding_operator"):
        assert left["gate"][part] == gate[part]
    assert left["gate"]["headroom_rate"] < whole["gate"]["headroom_rate"]
    assert left["planned"]["processors"] == whole["planned"]["processors"], (
        "the plan is for the load, whatever runs"
    )


@pytest.mark.parametrize(
    ("node", "said"),
    [
        ("n0", "Every processor of 'reporter' runs on node 'n0'"),
        ("n11", "has no instance on a node 'n11'. Did you mean 'n1'?"),
    ],
)
def test_a_node_without_which_nothing_serves_and_one_that_is_not_known_are_refused(
    client: httpx.Client, placed: str, node: str, said: str
):
    refused = ask(client, placed, failing_node=node)
    (error,) = refused.json()["errors"]
    assert (refused.status_code, error["pointer"]) == (422, "#/failing_node")
    assert said in error["detail"]


def test_without_nodes_in_the_snapshot_the_answer_says_what_to_send(client: httpx.Client, known: str):
    operators = {name: {"service_rate": mu, "processors": ENOUGH[name]} for name, mu in RATES.items()}
    snapshot = {"observed_at": at(0), "external_rate": 300.0, "operators": operators}
    assert client.post(f"{URL.format(known)}/snapshots", json=snapshot).is_success
    (error,) = ask(client, known, failing_node="n1").json()["errors"]
    assert error["detail"].endswith("send `instances` with `node`.")
