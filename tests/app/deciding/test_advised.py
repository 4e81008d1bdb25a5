"""While a decision waits for the last change, every place has the processors of that change and their numbers."""

import re
import subprocess
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from planner.wording import write_rate
from tests.app.decision_calls import ENOUGH, RATES, TARGET, put_policy
from tests.app.processes import HEADGATE, Service

RUNS = sum(ENOUGH.values())


def store(client: httpx.Client, name: str, minutes_ago: int, rate: float) -> None:
    """Stores a snapshot of the processors from before any change."""
    operators = {one: {"service_rate": mu, "processors": ENOUGH[one]} for one, mu in RATES.items()}
    begin = (datetime.now(UTC) - timedelta(minutes=minutes_ago)).isoformat()
    load = {"observed_at": begin, "window_seconds": 60, "external_rate": rate, "operators": operators}
    assert client.post(f"/v1/topologies/{name}/snapshots", json=load).status_code == 201


def measure(client: httpx.Client, name: str, minutes_ago: int, rate: float) -> dict[str, Any]:
    """Stores such a snapshot, and a decision on it."""
    store(client, name, minutes_ago, rate)
    answer = client.post(f"/v1/topologies/{name}/decisions")
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


@pytest.fixture
def waiting(client: httpx.Client, known: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A change, and the decision to hold that waits for it."""
    put_policy(client, known, TARGET | {"cooldown_seconds": 1e6, "max_snapshot_age_seconds": 1e9})
    change, held = measure(client, known, 4, 480.0), measure(client, known, 2, 470.0)
    assert (change["action"], held["action"]) == ("scale_up", "hold")
    return change, held


def test_the_decision_names_the_change_and_its_numbers(waiting: tuple[dict[str, Any], dict[str, Any]]):
    change, held = waiting
    assert held["wanted"] == change["wanted"] != held["processors"]["recommended"]
    assert held["waits_for"] == {
        "decided_for": change["decided_for"],
        "expected_sojourn_seconds": change["expected_sojourn_seconds"],
        "holds_up_to_rate": change["counterfactuals"]["holds_up_to_rate"],
    }
    todo, _, rest = held["verdict"].partition(". ")
    assert change["verdict"].startswith(f"{todo}. ")
    assert rest == "This is the last change, which the measurements do not show yet."
    assert change["waits_for"] is None


def test_report_picture_and_terminal_show_the_change(
    client: httpx.Client, service: Service, known: str, waiting: tuple[dict[str, Any], dict[str, Any]]
):
    change, held = waiting
    total, reach = sum(change["wanted"].values()), change["counterfactuals"]["holds_up_to_rate"]
    url = f"/v1/topologies/{known}"
    report = client.get(f"{url}/report?format=markdown").text.replace("\\", "")
    assert f"Run {total} processors instead of {RUNS}" in report
    assert f"{total} processors meet the target up to | {write_rate(reach, down=True)}" in report
    assert f"Expected E[T] of the {total} processors recommended, as decided on data until" in report
    drawn = client.get(f"/v1/decisions/{held['id']}", headers={"Accept": "image/svg+xml"}).text
    assert f"Run {total} processors instead of {RUNS}" in drawn
    assert "Keep the" not in drawn
    for command in ("report", "decide"):
        options = ["--output", "table"] if command == "report" else ["--trial"]
        asked = [HEADGATE, command, known, "--url", service.url, *options]
        printed = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
        for name, wanted in change["wanted"].items():
            moved = f"{ENOUGH[name]} → {wanted}" if wanted != ENOUGH[name] else f"{wanted}"
            assert re.search(rf"{name} +{re.escape(moved)}", printed), printed


def test_a_what_if_compares_with_the_change(
    client: httpx.Client, known: str, waiting: tuple[dict[str, Any], dict[str, Any]]
):
    notes = client.post(f"/v1/topologies/{known}/what-if", json={"load_factor": 2.0}).json()["diagnostics"]
    (said,) = (one["detail"] for one in notes if one["code"] == "differs-from-decision")
    assert f"The decision recommends {sum(waiting[0]['wanted'].values())} processors" in said


@pytest.mark.usefixtures("waiting")
def test_a_report_says_that_newer_measurements_were_not_decided_on(client: httpx.Client, known: str):
    said = "Nothing was decided on the newest measurements yet. The newest snapshot ended at"
    url = f"/v1/topologies/{known}/report?format=html"
    assert said not in client.get(url).text
    store(client, known, 1, 300.0)
    later = client.get(url).text
    assert said in later
    assert "Rate, decision&#x27;s snapshot" in later


def test_the_gauges_are_of_the_change(
    client: httpx.Client, known: str, waiting: tuple[dict[str, Any], dict[str, Any]]
):
    change, held = waiting
    text = client.get("/metrics").text
    found = dict(re.findall(rf'headgate_(\w+){{topology="{known}"}} (\S+)', text))
    assert float(found["expected_sojourn_seconds"]) == pytest.approx(change["expected_sojourn_seconds"])
    reach = change["counterfactuals"]["holds_up_to_rate"]
    assert float(found["headroom_rate"]) == pytest.approx(reach - held["external_rate"])


def test_a_change_that_was_rolled_back_is_waited_for_no_more(
    client: httpx.Client, known: str, waiting: tuple[dict[str, Any], dict[str, Any]]
):
    change, held = waiting
    path = f"/v1/decisions/{change['id']}/outcome"
    assert client.put(path, json={"state": "rolled-back"}).is_success
    latest = client.get(f"/v1/topologies/{known}/decisions/latest").json()
    assert (latest["id"], latest["wanted"], latest["waits_for"]) == (held["id"], ENOUGH, None)
    (row,) = client.get("/v1/overview", params={"contains": known}).json()["items"]
    assert (row["processors_running"], row["processors_recommended"]) == (RUNS, RUNS)
    assert "no change is recommended" in row["detail"]
