"""The answers for KEDA: exactly the processors, or a refusal, never 0."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from app.database.tables import DecisionRow
from app.load.bodies.topology import FPD
from tests.app.decision_calls import ANY_AGE, ENOUGH, RATES, TARGET, decide, observe, put_policy
from tests.app.processes import StartService

AT_ONCE = 60


def ask(client: httpx.Client, name: str, operator: str = "detector") -> httpx.Response:
    return client.get(f"/v1/topologies/{name}/keda/{operator}")


def ask_all(client: httpx.Client, name: str) -> dict[str, int]:
    answers = {operator: ask(client, name, operator) for operator in RATES}
    assert {one.status_code for one in answers.values()} == {200}
    assert all(one.json().keys() == {"value"} for one in answers.values())
    return {operator: one.json()["value"] for operator, one in answers.items()}


def report(client: httpx.Client, decision: dict[str, Any], state: str) -> None:
    answer = client.put(f"/v1/decisions/{decision['id']}/outcome", json={"state": state})
    assert answer.status_code == 200, answer.text


def test_the_value_is_that_of_the_newest_decision_and_asking_stores_nothing(client: httpx.Client, known: str):
    put_policy(client, known, ANY_AGE)
    observe(client, known, 1, 480.0, ENOUGH)
    asked = ask_all(client, known)
    assert client.get(f"/v1/topologies/{known}/decisions").json()["items"] == []
    made = decide(client, known, 1)
    assert made["action"] == "scale_up"
    assert asked == made["processors"]["recommended"] == ask_all(client, known)


def test_the_value_of_a_folded_decision_is_read_without_its_document(
    client: httpx.Client, session: Session, known: str
):
    put_policy(client, known, ANY_AGE)
    for minute in (1, 2):
        observe(client, known, minute, 320.0 + minute, ENOUGH)
        made = decide(client, known, minute)
    spoiled = update(DecisionRow).where(DecisionRow.id == made["id"], DecisionRow.changed.is_not(None))
    assert session.execute(spoiled.values(changed=b"no document").returning(DecisionRow.id)).all()
    session.commit()
    assert ask_all(client, known) == made["processors"]["recommended"]


def test_a_hold_during_the_cooldown_does_not_undo_the_change_that_is_under_way(
    client: httpx.Client, known: str
):
    put_policy(client, known, ANY_AGE)
    observe(client, known, 1, 480.0, ENOUGH)
    up = decide(client, known, 1)
    observe(client, known, 2, 330.0, ENOUGH)  # the platform has not changed yet
    for held in ("asked", "stored"):
        assert ask_all(client, known) == up["processors"]["recommended"], held
        made = decide(client, known, 2)
        assert (made["action"], made["processors"]["recommended"]) == ("hold", ENOUGH)
    report(client, up, "rolled-back")
    assert ask_all(client, known) == ENOUGH


def test_bounds_that_were_set_after_the_change_count_during_its_cooldown(client: httpx.Client, known: str):
    put_policy(client, known, ANY_AGE)
    observe(client, known, 1, 480.0, ENOUGH)
    up = decide(client, known, 1)["processors"]["recommended"]
    observe(client, known, 2, 330.0, ENOUGH)
    assert ask_all(client, known) == up
    least, most = up["generator"] + 2, up["detector"] - 1
    bounds = {"generator": {"min_processors": least}, "detector": {"max_processors": most}}
    put_policy(client, known, ANY_AGE | {"bounds": bounds})
    assert ask_all(client, known) == up | {"generator": least, "detector": most}


def test_newer_snapshots_and_another_policy_count_more_than_an_older_decision(
    client: httpx.Client, known: str
):
    put_policy(client, known, ANY_AGE | {"cooldown_seconds": 0})
    observe(client, known, 1, 480.0, ENOUGH)
    up = decide(client, known, 1)["processors"]["recommended"]
    other = decide(client, known, 1, policy=ANY_AGE | {"goal": {"t_max_seconds": 0.07}})
    assert other["processors"]["recommended"] != up
    assert ask_all(client, known) == up, "a decision by a policy that was only tried out"
    observe(client, known, 2, 640.0, up)
    more = ask_all(client, known)
    assert more != up
    assert more == decide(client, known, 2)["processors"]["recommended"]


def test_without_a_stored_policy_the_decision_by_the_policy_that_was_sent_counts(
    client: httpx.Client, known: str
):
    observe(client, known, 1, 480.0, ENOUGH)
    made = decide(client, known, 1, policy=ANY_AGE)
    assert ask_all(client, known) == made["processors"]["recommended"]


def test_missing_and_stale_measurements_are_503_and_never_a_number(client: httpx.Client, known: str):
    refused = ask(client, known)
    assert (refused.status_code, refused.json()["type"]) == (503, "no-recommendation")
    put_policy(client, known, TARGET)
    refused = ask(client, known)
    assert (refused.status_code, refused.json()["type"]) == (503, "no-recommendation")
    assert "no snapshot" in refused.json()["detail"]
    observe(client, known, 1, 320.0, ENOUGH)  # a day ago
    for _ in ("none decided", "decided"):
        stale = ask(client, known)
        assert (stale.status_code, stale.json()["cause"]) == (503, "stale-snapshots")
        assert int(stale.headers["Retry-After"]) > 0
        decide(client, known, 1)
    now = datetime.now(UTC) - timedelta(seconds=70)
    load = {"observed_at": now.isoformat(), "external_rate": 320.0}
    operators = {one: {"service_rate": mu, "processors": ENOUGH[one]} for one, mu in RATES.items()}
    client.post(f"/v1/topologies/{known}/snapshots", json=load | {"operators": operators})
    assert ask_all(client, known) == ENOUGH


@pytest.mark.parametrize("missing", ["service_rate", "processors"])
def test_a_snapshot_that_does_not_say_enough_is_503(client: httpx.Client, known: str, missing: str):
    put_policy(client, known, ANY_AGE)
    operators = {
        one: {"service_rate": mu, "processors": ENOUGH[one], missing: None} for one, mu in RATES.items()
    }
    snapshot = {"observed_at": "2026-11-18T00:00:00Z", "external_rate": 320.0, "operators": operators}
    assert client.post(f"/v1/topologies/{known}/snapshots", json=snapshot).status_code == 201
    refused = ask(client, known)
    assert (refused.status_code, refused.json()["type"]) == (503, "no-recommendation")


def test_unknown_names_are_404(client: httpx.Client, known: str):
    refused = ask(client, known, "detektor")
    assert (refused.status_code, refused.json()["type"]) == (404, "unknown-operator")
    assert "Did you mean 'detector'?" in refused.json()["detail"]
    refused = ask(client, "none-of-this-name")
    assert (refused.status_code, refused.json()["type"]) == (404, "unknown-topology")


def test_the_name_of_an_operator_may_hold_what_an_address_may_not(client: httpx.Client, name: str):
    odd = "Source: a/b -> 50% ?c"
    client.post("/v1/topologies", json={"name": name, "operators": [{"name": odd}]})
    put_policy(client, name, ANY_AGE)
    load = {"observed_at": "2026-11-18T00:00:00Z", "external_rate": 10.0}
    client.post(
        f"/v1/topologies/{name}/snapshots",
        json=load | {"operators": {odd: {"service_rate": 20.0, "processors": 3}}},
    )
    asked = ask(client, name, quote(odd, safe="")).json()
    assert asked == {"value": decide(client, name, 1)["processors"]["recommended"][odd]}


def count_decisions(client: httpx.Client) -> int:
    """How often the service has computed a decision."""
    found = re.search(r'headgate_planner_seconds_count{call="decide"} (\S+)', client.get("/metrics").text)
    return int(float(found.group(1))) if found else 0


def test_many_scaled_objects_ask_at_once_none_is_refused_and_one_decision_serves_them_all(
    start_service: StartService, empty_database_url: str, name: str
):
    service = start_service(database_url=empty_database_url, computing_slots="1", computing_queue="0")
    with (
        httpx.Client(base_url=service.url, timeout=60) as client,
        ThreadPoolExecutor(AT_ONCE) as threads,
    ):
        client.post("/v1/topologies", json=FPD | {"name": name})
        put_policy(client, name, ANY_AGE)
        observe(client, name, 1, 480.0, ENOUGH)

        def ask_at_once() -> list[int]:
            asked = [
                threads.submit(ask, client, name, one) for one in sorted(RATES) * (AT_ONCE // len(RATES))
            ]
            return [one.result().status_code for one in asked]

        assert ask_at_once() == [200] * AT_ONCE
        assert ask_all(client, name) == ask_all(client, name)
        assert count_decisions(client) == 1
        put_policy(client, name, ANY_AGE | {"goal": {"t_max_seconds": 0.07}})
        assert ask_at_once() == [200] * AT_ONCE
        assert count_decisions(client) == 2
        decide(client, name, 1)
        assert ask_at_once() == [200] * AT_ONCE
        assert count_decisions(client) == 3, "only the stored decision was computed"
