"""WebhookSender are told once of each change, by one process, until the receiver has it."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from pydantic import SecretStr
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.database.tables import DecisionRow, WebhookRow
from app.deciding.decisions.history import find_latest
from app.deciding.decisions.schemas import DecisionRequest
from app.deciding.decisions.service import store_decision
from app.deciding.policies.schemas import PolicyBody
from app.deciding.policies.service import store_policy
from app.load.snapshots.schemas import SnapshotBody
from app.load.snapshots.service import store_snapshots
from app.load.topologies.schemas import TopologyBody
from app.load.topologies.service import create_topology
from app.pages.webhook_sender import FIRST_WAIT, MOST_ATTEMPTS, WebhookSender
from app.settings import Settings
from migrations.runner import migrate
from tests.app.processes import StartService, open_session
from tests.app.receivers import Receiver, open_receiver

NAME = "clicks"
SETTINGS = Settings(
    webhook_hosts="127.0.0.1",
    webhook_networks="127.0.0.0/8",
    webhook_signing_key=SecretStr("a-secret-of-the-operator"),
)
TOPOLOGY = {
    "name": NAME,
    "operators": [{"name": "parse"}, {"name": "score"}],
    "edges": [{"source": "parse", "target": "score", "selectivity": 2.0}],
}
RUNNING = {"parse": {"service_rate": 40.0, "processors": 4}, "score": {"service_rate": 30.0, "processors": 8}}


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with open_receiver() as opened:
        yield opened


@pytest.fixture
def url(empty_database_url: str, receiver: Receiver) -> str:
    """A database with a topology that 12 processors serve, 13 are needed for, and the receiver is told of."""
    migrate(empty_database_url)
    with open_session(empty_database_url) as session:
        create_topology(session, TopologyBody.model_validate(TOPOLOGY), SETTINGS)
        put_policy(session, {"url": receiver.url})
    return empty_database_url


@pytest.fixture
def webhooks(url: str) -> Iterator[WebhookSender]:
    """What the thread of a service does, pass by pass, without its waits."""
    teller = make_teller(url)
    yield teller
    teller.engine.dispose()


def make_teller(url: str) -> WebhookSender:
    return WebhookSender(SETTINGS.model_copy(update={"database_url": SecretStr(url)}))


def put_policy(session: Session, webhook: dict[str, str] | None, cooldown: float = 0.0) -> None:
    body = {"goal": {"t_max_seconds": 0.11}, "webhook": webhook, "cooldown_seconds": cooldown}
    store_policy(session, NAME, PolicyBody.model_validate(body))
    session.commit()


def measure(url: str, rate: float, ago: float = 1.0) -> tuple[datetime, str]:
    """Stores what was measured in the last minute, and a decision on it; returns the present time, and its id."""
    now = datetime.now(UTC)
    load = {"external_rate": rate, "window_seconds": 60, "observed_at": now - timedelta(seconds=60 + ago)}
    with open_session(url) as session:
        store_snapshots(session, NAME, SnapshotBody.model_validate(load | {"operators": RUNNING}), SETTINGS)
        store_decision(session, NAME, DecisionRequest(), SETTINGS)
        session.commit()
        newest = select(DecisionRow.id).order_by(DecisionRow.decided_for.desc()).limit(1)
        return now, str(session.scalars(newest).one())


def read_events(receiver: Receiver) -> list[dict[str, Any]]:
    return [json.loads(body) for body in receiver.bodies]


def test_a_change_of_the_action_is_told_once(url: str, receiver: Receiver, webhooks: WebhookSender):
    now, decision = measure(url, 100.0)
    assert webhooks.make_pass(now) == 1
    [event] = read_events(receiver)
    assert (event["kind"], event["action"], event["before"]) == ("action", "scale_up", "hold")
    assert event["decision_id"] == decision
    assert (event["processors_running"], event["processors_recommended"]) == (12, 13)
    assert event["text"].startswith("clicks: more processors are recommended. ")
    assert receiver.headers[0]["Headgate-Event"] == event["id"]
    assert webhooks.make_pass(now + timedelta(seconds=15)) == 0
    after_a_restart = make_teller(url)
    assert after_a_restart.make_pass(now + timedelta(seconds=30)) == 0
    after_a_restart.engine.dispose()
    assert len(receiver.bodies) == 1


def test_a_decision_that_waits_for_the_change_tells_nothing_new(
    url: str, receiver: Receiver, webhooks: WebhookSender
):
    with open_session(url) as session:
        put_policy(session, {"url": receiver.url}, cooldown=1e6)
    now, change = measure(url, 100.0, ago=120.0)
    assert webhooks.make_pass(now) == 1
    now, held = measure(url, 90.0)
    assert (webhooks.make_pass(now), change == held) == (0, False)
    assert [event["action"] for event in read_events(receiver)] == ["scale_up"]


def test_data_that_go_stale_and_come_back_are_told(url: str, receiver: Receiver, webhooks: WebhookSender):
    now, _ = measure(url, 10.0)
    assert webhooks.make_pass(now) == len(receiver.bodies)
    receiver.bodies.clear()
    later = now + timedelta(minutes=20)
    assert webhooks.make_pass(later) == 1
    assert webhooks.make_pass(later + timedelta(seconds=15)) == 0
    [event] = read_events(receiver)
    assert (event["kind"], event["action"]) == ("stale", None)
    assert event["text"].startswith("clicks: measurements have stopped. ")
    assert webhooks.make_pass(now) == 1, "as if new data had come"
    assert read_events(receiver)[1]["before"] == "stale"


def test_what_did_not_arrive_is_sent_again_with_the_same_id_and_given_up_at_last(
    url: str, receiver: Receiver, webhooks: WebhookSender
):
    now, _ = measure(url, 100.0)
    receiver.status = 503
    assert webhooks.make_pass(now) == 0
    assert webhooks.make_pass(now + FIRST_WAIT / 2) == 0
    assert len(receiver.bodies) == 1, "it waits before it tries again"
    for attempt in range(1, MOST_ATTEMPTS + 3):
        with webhooks.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            webhooks.send_due(connection, now + timedelta(hours=2 * attempt))
    assert len(receiver.bodies) == MOST_ATTEMPTS
    assert len({event["id"] for event in read_events(receiver)}) == 1


def test_a_receiver_that_answers_again_is_told(url: str, receiver: Receiver, webhooks: WebhookSender):
    now, _ = measure(url, 100.0)
    receiver.status = 500
    webhooks.make_pass(now)
    receiver.status = 200
    assert webhooks.make_pass(now + FIRST_WAIT) == 1
    assert webhooks.make_pass(now + 2 * FIRST_WAIT) == 0
    assert [event["action"] for event in read_events(receiver)] == ["scale_up", "scale_up"]


def test_one_process_tells(url: str, receiver: Receiver, webhooks: WebhookSender):
    now, _ = measure(url, 100.0)
    other = make_teller(url)
    with other.hold_lock() as connection:
        assert connection is not None
        assert webhooks.make_pass(now) == 0
    other.engine.dispose()
    assert receiver.bodies == []


def test_slack_gets_words(url: str, receiver: Receiver, webhooks: WebhookSender):
    with open_session(url) as session:
        put_policy(session, {"url": receiver.url, "form": "slack"})
    now, _ = measure(url, 100.0)
    assert webhooks.make_pass(now) == 1
    [said] = read_events(receiver)
    assert list(said) == ["text"]
    assert said["text"].startswith("clicks: more processors are recommended. ")


def test_who_is_told_changes_no_decision_and_goes_with_the_policy(url: str, receiver: Receiver):
    _, decision = measure(url, 100.0)
    with open_session(url) as session:
        put_policy(session, {"url": receiver.url, "form": "slack"})
        assert str(find_latest(session, NAME).id) == decision, (
            "it stands under its policy whoever is told of it"
        )
        put_policy(session, None)
        assert session.scalars(select(WebhookRow)).all() == []


def test_a_policy_keeps_its_webhook_if_the_operator_allows_it(start_service: StartService, database_url: str):
    service = start_service(
        database_url=database_url,
        webhook_hosts="hooks.example.org",
        webhook_signing_key="a-secret-of-the-operator",
    )
    at = f"{service.url}/v1/topologies"
    httpx.post(at, json=TOPOLOGY | {"name": "told"}).raise_for_status()
    webhook = {"url": "https://hooks.example.org/a", "form": "json"}
    body = {"goal": {"t_max_seconds": 0.11}, "webhook": webhook}
    assert httpx.put(f"{at}/told/policy", json=body).json()["webhook"] == webhook
    assert httpx.get(f"{at}/told/policy").json()["webhook"] == webhook
    refused = httpx.put(f"{at}/told/policy", json=body | {"webhook": {"url": "https://example.org/a"}})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["pointer"] == "#/webhook/url"
    assert "HEADGATE_WEBHOOK_HOSTS" in refused.json()["detail"]
    assert httpx.put(f"{at}/told/policy", json=body | {"webhook": {"url": "ftp://a"}}).status_code == 422
    assert httpx.get(f"{at}/told/policy").json()["webhook"] == webhook
    httpx.delete(f"{at}/told").raise_for_status()
