"""Decisions to hold are stored in few bytes and read as they were answered; the same decision is stored once."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.database.tables import DecisionRow, TopologyRow
from tests.app.decision_calls import ANY_AGE, ENOUGH, at, decide, observe, put_policy
from tests.app.processes import StartService

OF_NOW = {"data", "withheld", "wanted", "observed", "verdict"}


def find_rows(session: Session, name: str) -> list[DecisionRow]:
    topology = select(TopologyRow.id).where(TopologyRow.name == name).scalar_subquery()
    query = select(DecisionRow).where(DecisionRow.topology_id == topology).order_by(DecisionRow.decided_for)
    return list(session.scalars(query))


def read(client: httpx.Client, decision: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/v1/decisions/{decision['id']}").json()
    return {name: value for name, value in found.items() if name not in OF_NOW}


def leave_out_now(decision: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in decision.items() if name not in OF_NOW}


def test_holds_are_folded_and_read_as_they_were_answered_also_after_a_report(
    client: httpx.Client, session: Session, known: str
):
    put_policy(client, known, ANY_AGE | {"cooldown_seconds": 180})
    answered = []
    for minute, rate in enumerate((320.0, 321.7, 320.0, 480.0, 322.2), start=1):
        observe(client, known, minute, rate, ENOUGH)
        answered.append(decide(client, known, minute))
    rows = find_rows(session, known)
    assert [one["action"] for one in answered] == ["hold", "hold", "hold", "scale_up", "hold"]
    assert [row.changed is None for row in rows] == [True, False, False, True, False]
    assert {row.base_id for row in rows} == {None, rows[0].id}
    assert max(len(row.changed or b"") for row in rows[:3]) < 250

    assert [read(client, one) for one in answered] == [leave_out_now(one) for one in answered]
    listed = client.get(f"/v1/topologies/{known}/decisions").json()["items"][::-1]
    assert [(one["processors"], one["reasons"]) for one in listed] == [
        (one["processors"], one["reasons"]) for one in answered
    ]

    applied = client.put(f"/v1/decisions/{answered[1]['id']}/outcome", json={"state": "applied"})
    assert applied.status_code == 200, applied.text
    session.expire_all()
    assert find_rows(session, known)[1].changed is None, "a decision with an outcome outlives its base"
    again = read(client, answered[1])
    assert again.pop("outcome")["state"] == "applied"
    assert again == {name: value for name, value in leave_out_now(answered[1]).items() if name != "outcome"}


def test_one_decision_is_stored_however_many_ask_at_once_and_another_after_its_outcome(
    client: httpx.Client, session: Session, known: str, database_url: str, start_service: StartService
):
    put_policy(client, known, ANY_AGE)
    observe(client, known, 1, 480.0, ENOUGH)
    second = start_service(database_url=database_url)
    with httpx.Client(base_url=second.url, timeout=60) as other, ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda place: decide((client, other)[place % 2], known, 1), range(8)))
    assert {one["id"] for one in found} == {found[0]["id"]}
    assert len(find_rows(session, known)) == 1
    trial = decide(client, known, 1, policy=ANY_AGE | {"cooldown_seconds": 5})
    assert (trial["id"] == found[0]["id"], trial["trial"]) == (False, True)

    report = client.put(f"/v1/decisions/{found[0]['id']}/outcome", json={"state": "rolled-back"})
    assert report.status_code == 200, report.text
    after = [decide(client, known, 1)["id"] for _ in range(2)]
    assert after[0] == after[1] != found[0]["id"], "the next one may have another outcome"


def test_the_same_recommendation_is_stored_once(client: httpx.Client, session: Session, known: str):
    put_policy(client, known, ANY_AGE)
    observe(client, known, 1, 320.0, ENOUGH)
    address = f"/v1/topologies/{known}/recommendation"
    first, second = (client.post(address, json={"at": at(1)}).json() for _ in range(2))
    assert first == second
    assert decide(client, known, 1)["id"] != first["decision"]["id"], "it has no recommendation"
    assert len(find_rows(session, known)) == 2
