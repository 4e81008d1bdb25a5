"""How variable services are, out of stored waits, queues and E[T] of a single server: by Pollaczek and Khinchine."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from app.database.tables import EngineMarksRow, TopologyRow

RATE, SERVED, SCV = 70.0, 100.0, 5.0
MINUTES = 20


def find_wait(scv: float, rate: float = RATE) -> float:
    """The mean wait of Poisson arrivals at one server whose services have this SCV."""
    return (1.0 + scv) / 2.0 * rate / SERVED / (SERVED - rate)


def store(client: httpx.Client, name: str, kind: str, scv: float = SCV) -> None:
    """A topology with snapshots of what `kind` names."""
    wait = find_wait(scv)
    one: dict[str, float] = {"service_rate": SERVED, "processors": 1, "arrival_scv": 1.0}
    one |= {"waits": {"measured_wait_seconds": wait}, "queues": {"backlog_tuples": RATE * wait}}.get(kind, {})
    total = {"measured_sojourn_seconds": wait + 1.0 / SERVED} if kind == "total" else {}
    begun = datetime.now(UTC) - timedelta(minutes=MINUTES)
    rows = [
        {
            "observed_at": (begun + timedelta(minutes=minute)).isoformat(),
            "window_seconds": 60,
            "external_rate": RATE,
            "operators": {"score": one},
        }
        | total
        for minute in range(MINUTES)
    ]
    body = {"name": name, "operators": [{"name": "score", "queueing": "shared"}]}
    assert client.post("/v1/topologies", json=body).status_code == 201
    assert client.post(f"/v1/topologies/{name}/snapshots", json=rows).status_code == 201


def ask(client: httpx.Client, path: str, **body: object) -> dict[str, Any]:
    answer = client.post(f"/v1/topologies/{path}", json=body)
    assert answer.is_success, answer.text
    found: dict[str, Any] = answer.json()
    return found


def mark(session: Session, name: str, engine: str) -> None:
    """As the engine's answers would have marked the topology."""
    of = select(TopologyRow.id).where(TopologyRow.name == name).scalar_subquery()
    session.execute(insert(EngineMarksRow).values(topology_id=of, engine=engine, marks={}))
    session.commit()


def find_said(answer: dict[str, Any]) -> str:
    return next((one for one in answer["evidence"]["measured"] if "estimated from" in one), "")


@pytest.mark.parametrize("scv", [0.0, SCV])
@pytest.mark.parametrize("kind", ["waits", "total", "queues"])
def test_every_answer_uses_what_stored_waits_tell_of_services(
    client: httpx.Client, session: Session, name: str, kind: str, scv: float
) -> None:
    store(client, name, kind, scv)
    if kind == "queues":
        mark(session, name, "flink")
    estimated = ask(client, f"{name}/estimate")
    assert kind.removesuffix("s") in find_said(estimated).replace("measured E[T]", "total")
    # At another rate the waits follow services of this SCV; taken as 1 they would be a third, or twice as long.
    there = ask(client, f"{name}/what-if", load_factor=55.0 / RATE, t_max_seconds=1.0)
    tolerance = 0.25 if kind == "queues" else 0.1
    true = find_wait(scv, 55.0) + 1.0 / SERVED
    assert there["current"]["expected_sojourn_seconds"] == pytest.approx(true, rel=tolerance)
    target = 1.1 * (find_wait(1.0) + 1.0 / SERVED)  # which one server keeps where services are exponential
    plan = ask(client, f"{name}/plans/min-processors", t_max_seconds=target)
    assert plan["processors_total"] == (2 if scv else 1)


def test_a_lag_of_consumers_is_no_queue(client: httpx.Client, session: Session, name: str) -> None:
    store(client, name, "queues")
    mark(session, name, "kafka")
    assert not find_said(ask(client, f"{name}/estimate"))


def test_measured_scvs_are_not_estimated(client: httpx.Client, measured: str) -> None:
    assert not find_said(ask(client, f"{measured}/estimate"))
