"""A request with an Idempotency-Key stores once and is answered alike, also at the same moment, by other workers."""

import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from app.database.repeated_requests import forget_old
from app.database.tables import PlanRow, RepeatedRequestRow, TopologyRow
from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from tests.app.processes import Service, StartService, open_session

PROCESSORS = {"generator": 6, "detector": 13, "reporter": 3}
SAME = ("Location", "Content-Location", "ETag", "Content-Type")


@pytest.fixture
def key() -> dict[str, str]:
    """A header with a key that no other test uses."""
    return {"Idempotency-Key": uuid.uuid4().hex}


def count_plans(session: Session, name: str) -> int | None:
    """The number of stored plans of a topology."""
    session.rollback()
    of_topology = select(TopologyRow.id).where(TopologyRow.name == name).scalar_subquery()
    return session.scalar(select(func.count()).select_from(PlanRow).where(PlanRow.topology_id == of_topology))


def test_the_same_request_gets_the_same_answer_and_stores_once(
    client: httpx.Client, session: Session, stored: str, key: dict[str, str]
):
    path, body = f"/v1/topologies/{stored}/plans/min-latency", {"k_max": 22}
    first = client.post(path, json=body, headers=key)
    again = client.post(path, json=body, headers=key)
    assert first.status_code == again.status_code == 201
    assert again.content == first.content
    assert [again.headers.get(one) for one in SAME] == [first.headers.get(one) for one in SAME]
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert count_plans(session, stored) == 1
    for other, other_path in (({"k_max": 23}, path), (body, path.replace("min-latency", "proportional"))):
        reused = client.post(other_path, json=other, headers=key)
        assert (reused.status_code, reused.json()["type"]) == (422, "idempotency-key-reused")
    assert count_plans(session, stored) == 1
    client.post(path, json=body, headers={"Idempotency-Key": uuid.uuid4().hex})
    assert count_plans(session, stored) == 2


def test_a_refused_request_keeps_nothing(client: httpx.Client, name: str, key: dict[str, str]):
    for _ in range(2):
        refused = client.post("/v1/topologies", json={"name": name, "operators": []}, headers=key)
        assert refused.status_code == 422
        assert "Idempotency-Replayed" not in refused.headers
    assert client.post("/v1/topologies", json=FPD | {"name": name}, headers=key).status_code == 201
    replayed = client.post("/v1/topologies", json=FPD | {"name": name}, headers=key)
    assert (replayed.status_code, replayed.headers["ETag"][:1]) == (201, '"')


@pytest.mark.parametrize("wrong", ["", "x" * 256, "two words", "ümlaut"])
def test_a_key_that_is_no_key_is_refused(client: httpx.Client, known: str, wrong: str):
    refused = client.post(
        f"/v1/topologies/{known}/snapshots", json=FPD_LOAD, headers={b"Idempotency-Key": wrong.encode()}
    )
    assert refused.status_code == 422


def test_posts_of_all_kinds_take_a_key(client: httpx.Client, stored: str, key: dict[str, str]):
    """A long simulation stores in a transaction of its own."""
    at = {"observed_at": "2026-11-18T01:00:00Z"}
    for path, body in (
        (f"topologies/{stored}/snapshots", FPD_LOAD | at),
        (f"topologies/{stored}/decisions", {"policy": {"goal": {"k_max": 22}}, "at": "2026-11-18T01:01:00Z"}),
        (f"topologies/{stored}/simulations", {"roots": 1000, "processors": PROCESSORS}),
    ):
        headers = {"Idempotency-Key": f"{key['Idempotency-Key']}-{path}"}
        answers = [client.post(f"/v1/{path}", json=body, headers=headers) for _ in range(2)]
        assert answers[0].is_success, answers[0].text
        assert answers[0].content == answers[1].content
        assert answers[1].headers["Idempotency-Replayed"] == "true", path


def check_jobs(services: list[Service], headers: dict[str, str]) -> None:
    """A long simulation, which is queued in a transaction of its own, is queued once."""
    load = {part: value for part, value in FPD_LOAD.items() if part in {"external_rate", "operators"}}
    job = {"roots": 1000, "processors": PROCESSORS, "load": load}
    queued = [
        httpx.post(
            f"{one.url}/v1/simulations",
            json=job | {"topology": FPD},
            headers=headers | {"Idempotency-Key": "job"},
            timeout=60,
        )
        for one in services
    ]
    assert [one.status_code for one in queued] == [202, 202], queued[0].text
    assert queued[0].headers["Location"] == queued[1].headers["Location"]


def check_expiry(database_url: str, send: Callable[[], httpx.Response]) -> None:
    """After 24 h a key is new, and its row is deleted."""
    with open_session(database_url) as session:
        old = {"created_at": datetime.now(UTC) - timedelta(hours=25)}
        session.execute(update(RepeatedRequestRow).values(old))
        session.commit()
        expired = send()
        assert expired.json()["type"] == "topology-exists", "after 24 h the key is new"
        forget_old(session)
        assert session.scalar(select(func.count()).select_from(RepeatedRequestRow)) == 0


def test_at_the_same_moment_and_over_services_a_request_stores_once(
    start_service: StartService, empty_database_url: str, name: str
):
    secret, other = "a-secret-of-ci-01", "another-secret-1"
    keys = f"ci={secret},other={other}"
    services = [
        start_service(database_url=empty_database_url, api_keys=keys, simulation_events_at_once="0")
        for _ in range(2)
    ]
    headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": "same"}
    body = FPD | {"name": name}
    together = threading.Barrier(16)

    def send(number: int) -> httpx.Response:
        together.wait()
        while True:
            sent = httpx.post(
                f"{services[number % 2].url}/v1/topologies", json=body, headers=headers, timeout=60
            )
            if sent.status_code != 409:
                return sent
            assert (sent.json()["type"], sent.headers["Retry-After"]) == ("idempotency-key-in-use", "1")

    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(send, range(16)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert sum("Idempotency-Replayed" not in answer.headers for answer in answers) == 1
    as_other = headers | {"Authorization": f"Bearer {other}"}
    own = httpx.post(f"{services[0].url}/v1/topologies", json=body, headers=as_other)
    assert own.json()["type"] == "topology-exists", "each caller has keys of its own"
    check_jobs(services, headers)
    assert services[0].stop() == 0
    again = httpx.post(f"{services[1].url}/v1/topologies", json=body, headers=headers)
    assert again.headers["Idempotency-Replayed"] == "true"
    check_expiry(
        empty_database_url, lambda: httpx.post(f"{services[1].url}/v1/topologies", json=body, headers=headers)
    )
