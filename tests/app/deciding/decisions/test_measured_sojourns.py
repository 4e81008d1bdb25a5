"""Decisions on measured sojourns: long waits ask for more processors, and a forecast rise is met in advance."""

from collections.abc import Sequence
from typing import Any

import httpx
import pytest

from tests.app.decision_calls import at

ONE = {"operators": [{"name": "serve"}], "edges": []}
POLICY = {
    "goal": {"t_max_seconds": 0.25},
    "smoothing": {"kind": "window", "size": 3},
    "cooldown_seconds": 300,
}


@pytest.fixture
def known(client: httpx.Client, name: str) -> str:
    assert client.post("/v1/topologies", json=ONE | {"name": name}).status_code == 201
    return name


def decide_on(
    client: httpx.Client,
    name: str,
    rates: Sequence[float],
    measured: Sequence[float | None],
    processors: Sequence[int | None],
    **policy: Any,
) -> dict[str, Any]:
    """A decision on one snapshot a minute; earlier snapshots of the same minutes are replaced."""
    snapshots = []
    for minute, (rate, seconds, count) in enumerate(zip(rates, measured, processors, strict=True)):
        operator: dict[str, Any] = {"service_rate": 40.0}
        if count is not None:
            operator["processors"] = count
        snapshot = {"observed_at": at(minute), "external_rate": rate, "operators": {"serve": operator}}
        if seconds is not None:
            snapshot["measured_sojourn_seconds"] = seconds
        snapshots.append(snapshot)
    assert client.post(f"/v1/topologies/{name}/snapshots", json=snapshots).status_code == 201
    body = {"at": at(len(rates)), "policy": POLICY | policy}
    answer = client.post(f"/v1/topologies/{name}/decisions", json=body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def codes(answer: dict[str, Any]) -> list[str]:
    return [one["code"] for one in (*answer["reasons"], *answer["constraints"])]


def test_a_longer_measured_sojourn_never_gives_fewer_processors(client: httpx.Client, known: str):
    totals = []
    for last in (0.1, 0.9, 2.0, 20.0):
        answer = decide_on(client, known, (180.0, 200.0, 235.0), (0.03, 0.05, last), (6, 6, 6))
        totals.append(answer["processors"]["recommended_total"])
    assert totals == sorted(totals)
    assert totals[0] == 6 < totals[1]
    assert (answer["action"], answer["constraints"]) == ("scale_up", [])
    assert answer["correction"]["intervals"] == 3
    assert answer["correction"]["shared"] > answer["correction"]["own"] > 1.0
    assert answer["sized_for"]["source"] == "newest"
    assert answer["sized_for"]["external_rate"] == 235.0


@pytest.mark.parametrize("last", [0.9, 2.0, 20.0])
def test_one_fewer_than_a_missed_target_takes_is_not_said_to_meet_it(
    client: httpx.Client, known: str, last: float
):
    answer = decide_on(client, known, (180.0, 200.0, 235.0), (0.03, 0.05, last), (6, 6, 6))
    around = answer["counterfactuals"]
    assert answer["action"] == "scale_up"
    assert around["one_fewer_sojourn_seconds"] > 0.25
    assert "at 235/s" in around["one_fewer_detail"]
    assert "above the target" in around["one_fewer_detail"]


def test_an_interval_with_unknown_processors_corrects_no_wait(client: httpx.Client, known: str):
    seen = decide_on(client, known, (20.0,) * 3, (0.4, 0.4, 0.4), (6, 6, 6))
    assert (seen["action"], codes(seen)) == ("hold", ["target-missed", "waiting-is-not-it"])
    # The processors of the two older intervals are unknown and the newest ran with fewer: no interval shows that
    # the excess is not waiting.
    tried = decide_on(
        client,
        known,
        (20.0,) * 3,
        (0.4, 0.4, None),
        (None, None, 6),
        smoothing={"kind": "ewma", "alpha": 0.5},
    )
    assert (tried["action"], tried["processors"]["recommended_total"]) == ("scale_up", 7)
    assert tried["correction"] is None


def ramp(minutes: int) -> list[float]:
    return [60.0 + 2.0 * minute + (minute * 7 % 5) for minute in range(minutes)]


def test_processors_for_a_forecast_rise_are_added_before_the_target_is_missed(
    client: httpx.Client, known: str
):
    rates = ramp(60)
    goal = {"t_max_seconds": 0.034}
    ahead = decide_on(client, known, rates, [None] * 60, [6] * 60, goal=goal)
    assert ahead["action"] == "scale_up"
    assert codes(ahead)[:2] == ["within-target", "ahead-of-load"]
    seen = ahead["look_ahead"]
    assert ahead["sized_for"]["external_rate"] == seen["upper_rate"] >= ramp(65)[-1]
    assert (ahead["sized_for"]["source"], seen["steps"], seen["history"]) == ("forecast", 5, 60)
    now = decide_on(client, known, rates, [None] * 60, [6] * 60, goal=goal, look_ahead=False)
    assert (now["action"], now["look_ahead"], now["sized_for"]["source"]) == ("hold", None, "newest")


def test_too_few_intervals_give_no_forecast_and_a_diagnostic(client: httpx.Client, known: str):
    rates = ramp(60)[31:]
    answer = decide_on(client, known, rates, [None] * 29, [6] * 29, goal={"t_max_seconds": 0.034})
    assert (answer["action"], answer["look_ahead"]) == ("hold", None)
    (said,) = [one["detail"] for one in answer["diagnostics"] if one["code"] == "no-look-ahead"]
    assert "30" in said


def test_processors_that_the_coming_cooldown_needs_are_kept(client: httpx.Client, known: str):
    rates = ramp(60)
    down = {"goal": {"t_max_seconds": 0.034, "t_min_seconds": 0.03}}
    kept, given_up = (
        decide_on(client, known, rates, [None] * 60, [9] * 60, **down, look_ahead=wanted)
        for wanted in (True, False)
    )
    totals = [one["processors"]["recommended_total"] for one in (kept, given_up)]
    assert totals[0] > totals[1]
    assert given_up["action"] == "scale_down"


def test_a_chart_and_an_outcome_have_the_mean_over_tuples_and_a_decision_the_mean_of_its_snapshots(
    client: httpx.Client, known: str
) -> None:
    """As their sentences say; a policy smooths all measurements of its snapshots alike."""
    before = decide_on(client, known, [50.0], [0.2], [4])
    assert before["action"] == "hold"
    made = decide_on(client, known, [50.0, 100.0, 20.0, 60.0], [0.2, 0.21, 0.03, 0.1], [4] * 4)
    mean = (100.0 * 0.21 + 20.0 * 0.03 + 60.0 * 0.1) / 180.0
    assert made["measured_sojourn_seconds"] == pytest.approx((0.21 + 0.03 + 0.1) / 3.0)
    series = client.get(
        f"/v1/topologies/{known}/series", params={"from": at(1), "to": at(4), "points": 1}
    ).json()
    assert [one["measured_sojourn_seconds"] for one in series["points"]] == [pytest.approx(mean)]
    seen = client.get(f"/v1/decisions/{before['id']}").json()["observed"]
    assert (seen["intervals"], seen["measured_seconds"]) == (3, pytest.approx(mean))
