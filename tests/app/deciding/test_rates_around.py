"""A change that brought nothing: its outcome says so, and later decisions under the same revision do not repeat it."""

from typing import Any

import httpx

from tests.app.decision_calls import at, decide, put_policy

OPERATOR = {"name": "score", "queueing": "shared"}
POLICY = {"goal": {"t_max_seconds": 0.3}, "cooldown_seconds": 300, "max_snapshot_age_seconds": 1e9}
BEFORE, RATE_BEFORE = 6, 20.0


def observe(client: httpx.Client, name: str, minute: int, rate: float, count: int = BEFORE) -> None:
    """A minute; more processors than before serve together 4% more than those did."""
    served = RATE_BEFORE if count == BEFORE else 1.04 * BEFORE * RATE_BEFORE / count
    seen = {"score": {"service_rate": served, "processors": count}}
    body = {"observed_at": at(minute - 1), "window_seconds": 60, "external_rate": rate, "operators": seen}
    body |= {"measured_sojourn_seconds": 0.2}
    assert client.post(f"/v1/topologies/{name}/snapshots", json=body).status_code == 201


def read(client: httpx.Client, decision: dict[str, Any]) -> str:
    detail: str = client.get(f"/v1/decisions/{decision['id']}").json()["observed"]["detail"]
    return detail


def test_it_is_said_and_not_made_again(client: httpx.Client, name: str) -> None:
    assert client.post("/v1/topologies", json={"name": name, "operators": [OPERATOR]}).status_code == 201
    put_policy(client, name, POLICY)
    for minute in range(1, 8):
        observe(client, name, minute, 100.0)
    observe(client, name, 8, 160.0)
    made = decide(client, name, 8)
    wanted = made["processors"]["recommended"]["score"]
    assert wanted > 8
    assert "served" not in read(client, made)
    for minute in range(11, 17):
        observe(client, name, minute, 121.0, wanted)
    said = f"{BEFORE} → {wanted} processors at score served 4% more."
    assert said in read(client, made)
    listed = client.get(f"/v1/topologies/{name}/decisions").json()["items"]
    assert said in listed[-1]["observed"]["detail"]
    observe(client, name, 17, 160.0)
    again = decide(client, name, 17)
    assert again["processors"]["recommended"]["score"] <= BEFORE
    assert said in " ".join(one["detail"] for one in again["constraints"])
    # Another revision may be other code: the change may be tried again.
    changed = {"name": name, "operators": [OPERATOR | {"max_processors": 100}]}
    assert client.put(f"/v1/topologies/{name}", json=changed).status_code == 200
    observe(client, name, 18, 160.0)
    assert decide(client, name, 18)["processors"]["recommended"]["score"] > BEFORE
