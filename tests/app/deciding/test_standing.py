"""One decision stands for a topology, wherever it is shown; a trial changes nothing."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.database.connections.transactions import make_metrics_engine
from app.database.tables import DecisionRow
from app.deciding.standing import find_last_change, select_changes
from app.load.measurements.stored_topologies import StoredTopology, find_topology
from app.pages.metrics import GaugeBounds, read_rows
from tests.app.decision_calls import ANY_AGE, ENOUGH, RATES, at, decide, observe, put_policy

TRIALS = {
    "for a past moment": {"at": at(1)},
    "under a policy of its own": {"policy": ANY_AGE | {"goal": {"k_max": 60}}},
}


def decide_now(client: httpx.Client, name: str, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/v1/topologies/{name}/decisions", json=body)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def read_all(client: httpx.Client, name: str, database_url: str) -> dict[str, Any]:
    """What every reader of the standing decision shows."""
    url = f"/v1/topologies/{name}"
    (line,) = client.get("/v1/overview", params={"contains": name}).json()["items"]
    engine = make_metrics_engine(database_url)
    gauges = read_rows(engine, GaugeBounds(100_000, 10))
    engine.dispose()
    return {
        "overview": {key: line[key] for key in ("decision_id", "action", "processors_recommended")},
        "latest": client.get(f"{url}/decisions/latest").json()["id"],
        "list": client.get(f"{url}/decisions?limit=1").json()["standing"],
        "report": client.get(f"{url}/report?format=markdown").text,
        "KEDA": [client.get(f"{url}/keda/{operator}").json()["value"] for operator in RATES],
        "gauges": [row.recommended for row in gauges or [] if row.name == name],
    }


@pytest.fixture
def standing(client: httpx.Client, known: str) -> dict[str, Any]:
    """The decision on the second of two snapshots; the first would ask for a change."""
    put_policy(client, known, ANY_AGE)
    observe(client, known, 1, 640.0, ENOUGH)
    observe(client, known, 2, 320.0, ENOUGH)
    made = decide_now(client, known)
    assert made["action"] == "hold"
    return made


@pytest.mark.parametrize("trial", TRIALS.values(), ids=TRIALS)
def test_a_trial_changes_nothing_that_is_shown_and_begins_no_cooldown(
    client: httpx.Client, known: str, database_url: str, standing: dict[str, Any], trial: dict[str, Any]
):
    shown = read_all(client, known, database_url)
    assert shown["latest"] == shown["list"] == shown["overview"]["decision_id"] == standing["id"]
    assert shown["gauges"] == [ENOUGH]
    tried = decide_now(client, known, **trial)
    assert tried["action"] != "hold"
    assert read_all(client, known, database_url) == shown
    assert (tried["trial"], standing["trial"]) == (True, False)
    listed = client.get(f"/v1/topologies/{known}/decisions").json()["items"]
    assert {one["id"]: one["trial"] for one in listed} == {tried["id"]: True, standing["id"]: False}
    notes = client.get(f"/v1/decisions/{tried['id']}/patch?format=json").json()["notes"]
    assert any(f"Decision {standing['id']} replaces this one" in note for note in notes)
    assert any("The decision is a trial" in note for note in notes)
    recommended = client.post(f"/v1/topologies/{known}/recommendation", json=trial).json()["decision"]
    assert recommended["action"] != "hold"
    assert read_all(client, known, database_url) == shown
    observe(client, known, 3, 640.0, ENOUGH)
    later = decide_now(client, known)
    assert (later["action"], later["cooldown_left_seconds"]) == ("scale_up", 0.0)


def test_a_decision_as_of_a_moment_that_leaves_nothing_out_stands(client: httpx.Client, known: str):
    put_policy(client, known, ANY_AGE)
    observe(client, known, 1, 640.0, ENOUGH)
    made = decide(client, known, 1, policy=ANY_AGE)
    assert client.get(f"/v1/topologies/{known}/decisions/latest").json()["id"] == made["id"]


def test_a_decision_stands_for_its_own_policy_and_revision_alone(
    client: httpx.Client, known: str, standing: dict[str, Any]
):
    latest = f"/v1/topologies/{known}/decisions/latest"
    put_policy(client, known, ANY_AGE | {"cooldown_seconds": 60})
    missing = client.get(latest)
    assert (missing.status_code, missing.json()["type"]) == (404, "unknown-decision")
    put_policy(client, known, ANY_AGE)
    assert client.get(latest).json()["id"] == standing["id"]
    topology = client.get(f"/v1/topologies/{known}").json()
    assert client.put(f"/v1/topologies/{known}", json=topology).status_code == 200
    assert client.get(latest).status_code == 404
    assert client.get(f"/v1/topologies/{known}/report").status_code == 404
    again = decide_now(client, known)
    assert client.get(latest).json()["id"] == again["id"] != standing["id"]


def test_the_newest_data_count_more_than_the_newest_decision(client: httpx.Client, known: str):
    """Snapshots may come late: a decision made later on older data does not stand."""
    put_policy(client, known, ANY_AGE)
    observe(client, known, 2, 320.0, ENOUGH)
    newest = decide_now(client, known)
    url = f"/v1/topologies/{known}"
    observed = f"{url}/snapshots/{at(1)}"
    assert client.delete(observed.replace("+", "%2B")).status_code == 204
    observe(client, known, 1, 640.0, ENOUGH)
    assert UUID(decide_now(client, known)["id"])
    assert client.get(f"{url}/decisions/latest").json()["id"] == newest["id"]


def test_a_decision_that_is_not_to_be_stored_is_answered_and_begins_nothing(client: httpx.Client, known: str):
    url = f"/v1/topologies/{known}"
    put_policy(client, known, ANY_AGE)
    observe(client, known, 1, 640.0, ENOUGH)
    answer = client.post(f"{url}/decisions", json={"store": False})
    tried = answer.json()
    assert (answer.status_code, "Location" in answer.headers) == (200, False)
    assert (tried["id"], tried["trial"], tried["action"]) == (None, True, "scale_up")
    assert tried["wanted"] == tried["processors"]["recommended"]
    assert client.post(f"{url}/recommendation", json={"store": False}).json()["decision"]["trial"] is True
    assert client.get(f"{url}/decisions").json() == {"items": [], "next": None, "standing": None}
    observe(client, known, 2, 640.0, ENOUGH)
    made = decide_now(client, known)
    assert (made["action"], made["cooldown_left_seconds"], made["trial"]) == ("scale_up", 0.0, False)


SLOW = ANY_AGE | {"cooldown_seconds": 3600}


@pytest.mark.parametrize(
    ("seen", "report", "action"),
    [
        ([ENOUGH] * 4, None, "scale_up"),
        ([ENOUGH] * 2, None, "hold"),
        ([ENOUGH, ENOUGH | {"reporter": 4}, ENOUGH, ENOUGH], None, "hold"),
        ([ENOUGH] * 4, "applied", "hold"),
    ],
    ids=["never applied", "perhaps still to be applied", "changed for a time", "reported as applied"],
)
def test_a_change_of_which_snapshots_show_that_it_was_never_applied_begins_no_cooldown(
    client: httpx.Client, known: str, seen: list[dict[str, int]], report: str | None, action: str
):
    put_policy(client, known, SLOW)
    observe(client, known, 1, 640.0, ENOUGH)
    change = decide_now(client, known)
    assert change["action"] == "scale_up"
    if report:
        client.put(f"/v1/decisions/{change['id']}/outcome", json={"state": report})
    for minute, running in enumerate(seen, 2):
        observe(client, known, minute, 640.0, running)
    later = decide_now(client, known)
    assert (later["action"], later["cooldown_left_seconds"] > 0) == (action, action == "hold")
    held = change["processors"]["recommended"] if action == "hold" else later["processors"]["recommended"]
    assert later["wanted"] == held


def test_a_trial_does_not_end_the_time_in_which_a_change_is_looked_for(client: httpx.Client, known: str):
    put_policy(client, known, SLOW)
    observe(client, known, 1, 640.0, ENOUGH)
    change = decide_now(client, known)
    observe(client, known, 2, 640.0, ENOUGH)
    tried = decide_now(client, known, policy=SLOW | {"goal": {"k_max": 60}, "cooldown_seconds": 1})
    assert (tried["action"] != "hold", tried["trial"]) == (True, True)
    observed = client.get(f"/v1/decisions/{change['id']}").json()["observed"]
    assert (observed["superseded_at"], observed["state"]) == (None, "waiting")


def store_change(session: Session, stored: StoredTopology, minute: int, **counts: tuple[int, int]) -> UUID:
    """Stores a change at the end of a minute; `counts` has the processors of operators before and after it."""
    current = ENOUGH | {name: one for name, (one, _) in counts.items()}
    recommended = current | {name: one for name, (_, one) in counts.items()}
    change = DecisionRow(
        id=uuid4(),
        topology_id=stored.id,
        revision=stored.revision,
        decided_for=datetime.fromisoformat(at(minute)),
        action="rebalance",
        policy_key=uuid4(),
        external_rate=1.0,
        answer={"processors": {"current": current, "recommended": recommended}},
    )
    session.add(change)
    session.flush()
    return change.id


def test_whether_a_change_was_applied_does_not_depend_on_what_another_change_recommended(
    client: httpx.Client, session: Session, known: str
):
    stored = find_topology(session, known)
    first = store_change(session, stored, 1, generator=(ENOUGH["generator"], 9))
    store_change(session, stored, 2, reporter=(ENOUGH["reporter"], 7))
    for minute in range(3, 8):  # somebody gave the generator other processors; the reporter has its old ones
        observe(client, known, minute, 320.0, ENOUGH | {"generator": 8})
    found = find_last_change(session, stored, datetime.fromisoformat(at(7)))
    assert found is not None
    assert found.id == first, "the second change never ran"


def test_the_newest_change_is_looked_for_among_changes_alone_however_many_holds_came_after_it(
    session: Session, known: str
):
    query = select_changes(topology_id=find_topology(session, known).id, decided_for=datetime.now(UTC))
    sql = query.compile(session.connection(), compile_kwargs={"literal_binds": True})
    session.execute(text("SET LOCAL enable_seqscan = off"))
    plan = "\n".join(session.connection().exec_driver_sql(f"EXPLAIN {sql}").scalars())
    assert "ix_decisions_changes" in plan, plan
