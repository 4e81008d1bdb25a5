"""Outcomes over HTTP: stored once, never undone by an earlier report, and what they mean for later decisions."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any
from uuid import UUID

import httpx
import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.database.tables import DecisionRow
from tests.app.deciding.outcomes.histories import read_history, simulate
from tests.app.decision_calls import ENOUGH, TARGET, at, decide, observe, put_policy
from tests.app.processes import wait_until

FINAL = "rolled-back"
WAITING = text("SELECT count(*) FROM pg_locks WHERE NOT granted")


def put(client: httpx.Client, decision: dict[str, Any], **body: Any) -> httpx.Response:
    return client.put(f"/v1/decisions/{decision['id']}/outcome", json=body)


@pytest.fixture
def change(client: httpx.Client, known: str) -> dict[str, Any]:
    """A decision to scale up, at minute 1."""
    put_policy(client, known, TARGET)
    observe(client, known, 1, 480.0, ENOUGH)
    made = decide(client, known, 1)
    assert (made["action"], made["outcome"]) == ("scale_up", None)
    return made


def read(client: httpx.Client, decision: dict[str, Any]) -> Any:
    return client.get(f"/v1/decisions/{decision['id']}").json()["outcome"]


def test_an_outcome_is_joined_from_reports_and_shown_with_its_decision(
    client: httpx.Client, known: str, change: dict[str, Any]
):
    first = put(client, change, state="applied", applied_at=at(2), detail="rescaled in 0.8 s").json()
    assert (first["applied_at"], first["measured_seconds"], first["kept"]) == (
        "2026-11-18T00:02:00Z",
        None,
        None,
    )
    assert first["expected_seconds"] == change["expected_sojourn_seconds"]
    later = put(client, change, state="applied", measured_seconds=0.09).json()
    assert later["detail"] == "rescaled in 0.8 s"
    assert (later["applied_at"], later["measured_seconds"]) == (first["applied_at"], 0.09)
    assert read(client, change) == later
    latest = client.get(f"/v1/topologies/{known}/decisions/latest").json()
    listed = client.get(f"/v1/topologies/{known}/decisions").json()["items"]
    assert latest["outcome"] == listed[0]["outcome"] == later


def test_another_state_keeps_times_and_not_what_ran_or_was_said(client: httpx.Client, change: dict[str, Any]):
    first = {"applied_at": at(2), "measured_seconds": 0.5, "processors": {"detector": 14}, "detail": "slow"}
    put(client, change, state="applied", **first)
    last = put(client, change, state=FINAL).json()
    assert (last["applied_at"], last["measured_seconds"]) == ("2026-11-18T00:02:00Z", 0.5)
    assert (last["processors"], last["detail"]) == (None, None)


def test_the_same_report_twice_changes_nothing(client: httpx.Client, change: dict[str, Any]):
    for body in ({"state": "applied"}, {"state": "applied", "measured_seconds": 0.1}, {"state": FINAL}):
        assert put(client, change, **body).json() == put(client, change, **body).json()


def test_what_was_promised_is_kept_within_the_known_error(client: httpx.Client, change: dict[str, Any]):
    promised = change["expected_sojourn_seconds"]
    assert change["current"]["evidence"]["known_error"] is None, "so 0.15 counts"
    for factor, kept in ((0.5, True), (1.149, True), (1.151, False)):
        assert put(client, change, state="applied", measured_seconds=factor * promised).json()["kept"] is kept
    others = put(client, change, state="applied", processors={"detector": 14}).json()
    assert (others["measured_seconds"], others["kept"]) == (1.151 * promised, None), (
        "nothing was promised of these"
    )
    assert put(client, change, state=FINAL, processors=ENOUGH).json()["kept"] is False


@pytest.mark.parametrize(
    ("first", "second"), list(itertools.product(("refused", "failed", "applied", FINAL), repeat=2))
)
def test_a_later_state_is_not_undone_by_an_earlier_one(
    client: httpx.Client, change: dict[str, Any], first: str, second: str
):
    assert put(client, change, state=first).status_code == 200
    answer = put(client, change, state=second)
    refused = {("applied", "refused"), ("refused", FINAL)} | {
        (FINAL, s) for s in ("refused", "failed", "applied")
    }
    if (first, second) in refused:
        assert (answer.status_code, answer.json()["type"]) == (409, "outcome-conflict")
        assert answer.json()["state"] == first == read(client, change)["state"]
    else:
        assert answer.status_code == 200, answer.text
        assert read(client, change)["state"] == second


def test_reports_at_the_same_time_end_as_reports_one_after_the_other(
    client: httpx.Client, session: Session, change: dict[str, Any]
):
    """One report waits for the other: it does not write over what it has not read."""
    assert put(client, change, state="applied").status_code == 200
    row = session.get_one(DecisionRow, UUID(change["id"]), with_for_update=True)
    assert row.outcome is not None
    with ThreadPoolExecutor(1) as pool:
        failed = pool.submit(put, client, change, state="failed")
        wait_until(lambda: session.scalar(WAITING) == 1, "the other report waits")
        row.outcome = row.outcome | {"state": FINAL}
        session.commit()
        assert failed.result().status_code == 409
    assert read(client, change)["state"] == FINAL


def test_a_time_before_the_reported_one_and_one_to_come_are_refused(
    client: httpx.Client, change: dict[str, Any]
):
    assert put(client, change, state="applied", applied_at=at(5)).status_code == 200
    assert put(client, change, state="applied", applied_at=at(4)).status_code == 409
    assert read(client, change)["applied_at"] == "2026-11-18T00:05:00Z"
    refused = put(
        client, change, state="applied", applied_at="2999-01-01T00:00:00Z", processors={"detektor": 3}
    )
    assert refused.status_code == 422
    assert {one["pointer"] for one in refused.json()["errors"]} == {"#/applied_at", "#/processors/detektor"}


@pytest.mark.parametrize("body", [{}, {"state": "done"}, {"state": "applied", "measured_seconds": 0}])
def test_a_body_that_is_no_outcome_is_refused(
    client: httpx.Client, change: dict[str, Any], body: dict[str, Any]
):
    assert put(client, change, **body).status_code == 422
    assert read(client, change) is None


def test_an_unknown_decision_is_404(client: httpx.Client):
    nowhere = {"id": "00000000-0000-0000-0000-000000000000"}
    refused = put(client, nowhere, state="applied")
    assert (refused.status_code, refused.json()["type"]) == (404, "unknown-decision")


@pytest.mark.parametrize(
    ("state", "action"),
    [
        (None, "hold"),
        ("applied", "hold"),
        (FINAL, "hold"),
        ("refused", "scale_down"),
        ("failed", "scale_down"),
    ],
)
def test_only_a_change_that_was_made_begins_the_cooldown(
    client: httpx.Client, known: str, change: dict[str, Any], state: str | None, action: str
):
    more = change["processors"]["recommended"]
    if state is not None:
        assert put(client, change, state=state).status_code == 200
    observe(client, known, 3, 160.0, more)
    made = decide(client, known, 3)
    assert made["action"] == action
    assert made["cooldown_left_seconds"] == (60.0 if action == "hold" else 0.0)


def observe_without_processors(client: httpx.Client, known: str, minute: int) -> dict[str, int]:
    """The processors that a decision takes to run, where the snapshot does not say them."""
    operators = {"generator": 80.0, "detector": 130.0, "reporter": 40.0}
    loads = {name: {"service_rate": mu} for name, mu in operators.items()}
    snapshot = {"observed_at": at(minute - 1), "external_rate": 480.0, "operators": loads}
    assert client.post(f"/v1/topologies/{known}/snapshots", json=snapshot).status_code == 201
    running: dict[str, int] = decide(client, known, minute)["processors"]["current"]
    return running


def test_what_runs_after_a_change_that_stands_is_what_was_reported(
    client: httpx.Client, known: str, change: dict[str, Any]
):
    recommended = change["processors"]["recommended"]
    assert observe_without_processors(client, known, 2) == recommended
    put(client, change, state="applied", processors={"detector": 14})
    assert observe_without_processors(client, known, 2) == recommended | {"detector": 14}
    put(client, change, state=FINAL, processors={"reporter": 4})
    assert observe_without_processors(client, known, 2) == ENOUGH | {"reporter": 4}


def test_words_of_a_platform_with_a_zero_character_are_kept_without_it(
    client: httpx.Client, change: dict[str, Any]
):
    answer = put(client, change, state="failed", detail="no\x00slots")
    assert (answer.status_code, answer.json()["detail"]) == (200, "noslots")


def test_a_detail_of_null_is_no_detail(client: httpx.Client, known: str):
    put_policy(client, known, TARGET)
    observe(client, known, 2, 480.0, ENOUGH)
    decision = decide(client, known, 2)
    answer = client.put(f"/v1/decisions/{decision['id']}/outcome", json={"state": "failed", "detail": None})
    assert (answer.status_code, answer.json()["detail"]) == (200, None)


def test_what_snapshots_show_is_what_a_reading_of_the_whole_history_finds(client: httpx.Client, known: str):
    put_policy(client, known, TARGET)
    snapshots = simulate(client, known, 1, 120)
    listed = client.get(f"/v1/topologies/{known}/decisions?limit=100").json()["items"]
    for one in listed:
        decision = client.get(f"/v1/decisions/{one['id']}").json()
        assert decision["observed"] == one["observed"]
        assert decision["outcome"] == one["outcome"]
        read, seen = read_history(decision, listed, snapshots), one["observed"]
        said = seen["applied_at"] and datetime.fromisoformat(seen["applied_at"]).isoformat()
        assert (said, seen["kept"], seen["missed_intervals"]) == (read.applied_at, read.kept, read.missed), (
            one
        )
        assert seen["measured_seconds"] == pytest.approx(read.measured)
        assert (one["outcome"] is not None) == (read.applied_at is not None)
    kept = [one["observed"]["kept"] for one in listed]
    states = {one["observed"]["state"] for one in listed}
    assert {True, False, None} <= set(kept)
    assert {"applied", "held"} <= states


def test_an_outcome_that_nobody_reported_says_what_snapshots_show(
    client: httpx.Client, known: str, change: dict[str, Any]
):
    recommended = change["processors"]["recommended"]
    observe(client, known, 2, 480.0, ENOUGH, measured_sojourn_seconds=0.5)
    assert read(client, change) is None, "it was not applied yet"
    for minute in (3, 4, 5):
        observe(client, known, minute, 480.0, recommended, measured_sojourn_seconds=0.08)
    seen = read(client, change)
    assert (seen["state"], seen["source"], seen["reported_at"]) == ("applied", "snapshots", None)
    assert (seen["applied_at"], seen["measured_seconds"]) == ("2026-11-18T00:02:00Z", pytest.approx(0.08))
    assert (seen["kept"], seen["expected_seconds"]) == (True, change["expected_sojourn_seconds"])
    later = put(client, change, state="applied", measured_seconds=0.09).json()
    assert (later["source"], read(client, change)) == ("reported", later)


def test_a_report_that_snapshots_contradict_is_shown_with_a_diagnostic(
    client: httpx.Client, known: str, change: dict[str, Any]
):
    put(client, change, state="refused")
    observe(client, known, 2, 480.0, change["processors"]["recommended"], measured_sojourn_seconds=0.08)
    decision = client.get(f"/v1/decisions/{change['id']}").json()
    assert (decision["outcome"]["state"], decision["observed"]["state"]) == ("refused", "applied")
    assert [one["code"] for one in decision["observed"]["diagnostics"]] == ["report-disagrees"]


def test_snapshots_that_do_not_say_processors_show_nothing(
    client: httpx.Client, known: str, change: dict[str, Any]
):
    bare = {name: {"service_rate": 80.0} for name in ("generator", "detector", "reporter")}
    snapshot = {"observed_at": at(1), "external_rate": 480.0, "measured_sojourn_seconds": 0.05}
    for operators in (bare, {}):
        assert (
            client.post(
                f"/v1/topologies/{known}/snapshots", json=snapshot | {"operators": operators}
            ).status_code
            == 201
        )
        seen = client.get(f"/v1/decisions/{change['id']}").json()["observed"]
        assert (seen["state"], seen["measured_seconds"], seen["kept"]) == ("unknown", None, None)


def test_what_was_measured_before_is_what_the_decision_states(client: httpx.Client, known: str):
    put_policy(client, known, TARGET | {"smoothing": {"kind": "window", "size": 2}})
    for minute, rate, sojourn in ((1, 100.0, 9.0), (2, 300.0, 0.2), (3, 100.0, 0.6)):
        observe(client, known, minute, rate, ENOUGH, measured_sojourn_seconds=sojourn)
    made = decide(client, known, 3)
    listed = client.get(f"/v1/topologies/{known}/decisions").json()["items"][0]
    later = client.get(f"/v1/decisions/{made['id']}").json()
    stated = [one["observed"]["before_seconds"] for one in (made, listed, later)]
    assert stated == [made["measured_sojourn_seconds"]] * 3
    assert stated[0] is not None


def test_the_first_and_the_longest_interval_that_may_be_stored_have_outcomes(
    client: httpx.Client, known: str
):
    year = 31_536_000.0
    long = {"goal": {"t_max_seconds": 0.1}, "cooldown_seconds": year, "max_snapshot_age_seconds": 1e9}
    observe(client, known, 0, 320.0, ENOUGH, observed_at="1970-01-01T00:00:00Z", measured_sojourn_seconds=0.2)
    made = client.post(
        f"/v1/topologies/{known}/decisions", json={"at": "1970-01-01T00:01:00Z", "policy": long}
    ).json()
    assert (made["observed"]["before_seconds"], made["observed"]["horizon_seconds"]) == (0.2, 21_600.0)
    observe(client, known, 1, 320.0, ENOUGH, observed_at="2000-01-01T00:00:00Z", window_seconds=year)
    made = client.post(f"/v1/topologies/{known}/decisions", json={"policy": long}).json()
    assert made["observed"]["horizon_seconds"] == year
