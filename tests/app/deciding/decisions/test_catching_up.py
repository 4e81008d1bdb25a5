"""After an outage a decision adds processors for what waits, and later ones hold on to the time that it promised."""

from datetime import datetime
from typing import Any

import httpx

from tests.app.decision_calls import ENOUGH, RATES, TARGET, at, decide, put_policy


def observe_backlog(
    client: httpx.Client, name: str, minute: int, waiting: float, processors: dict[str, int]
) -> None:
    operators: dict[str, dict[str, float]] = {
        one: {"service_rate": mu, "processors": processors[one]} for one, mu in RATES.items()
    }
    operators["generator"]["backlog_tuples"] = waiting
    snapshot = {"observed_at": at(minute - 1), "external_rate": 320.0, "operators": operators}
    assert client.post(f"/v1/topologies/{name}/snapshots", json=snapshot).status_code == 201


def decide_on(
    client: httpx.Client, name: str, minute: int, waiting: float, runs: dict[str, int]
) -> dict[str, Any]:
    observe_backlog(client, name, minute, waiting, runs)
    return decide(client, name, minute)


def test_the_time_that_was_promised_is_kept_while_the_backlog_falls(client: httpx.Client, known: str):
    put_policy(client, known, TARGET | {"catch_up_seconds": 600, "cooldown_seconds": 0})
    first = decide_on(client, known, 1, 60_000.0, ENOUGH)
    assert first["action"] == "scale_up"
    assert first["reasons"][-1]["code"] == "catch-up"
    promised = first["catching_up"]
    assert promised["operators"] == {"generator": 60_000.0}
    assert promised["recommended_seconds"] <= 600.0 < promised["running_seconds"]
    assert datetime.fromisoformat(promised["finished_by"]) == datetime.fromisoformat(at(11))

    runs = first["processors"]["recommended"]
    spare = runs["generator"] * RATES["generator"] - 320.0
    later = decide_on(client, known, 5, 60_000.0 - 240.0 * spare, runs)
    assert later["catching_up"]["finished_by"] == promised["finished_by"]
    assert later["action"] == "hold"

    done = decide_on(client, known, 12, 0.0, runs)
    assert done["catching_up"] is None
    assert "catch-up" not in [reason["code"] for reason in done["reasons"]]


def test_a_promise_stays_where_the_backlog_never_falls_and_where_another_policy_is_tried(
    client: httpx.Client, known: str
):
    """At the bound nothing more can be done: the time that was promised does not slide on with each decision.

    What is only tried promises nothing: each trial begins anew.
    """
    bounds = {one: {"max_processors": most} for one, most in ENOUGH.items()}
    terms = TARGET | {"catch_up_seconds": 600, "cooldown_seconds": 0, "bounds": bounds}
    put_policy(client, known, terms)
    for minute in (1, 5, 9, 10):
        found = decide_on(client, known, minute, 60_000.0, ENOUGH)["catching_up"]
        assert datetime.fromisoformat(found["finished_by"]) == datetime.fromisoformat(at(11))
        tried = decide(client, known, minute, policy=terms | {"catch_up_seconds": 7200})
        assert datetime.fromisoformat(tried["catching_up"]["finished_by"]) == datetime.fromisoformat(
            at(minute + 120)
        )
        silent = decide(client, known, minute, policy=TARGET)
        assert silent["catching_up"]["finished_by"] is None
    anew = decide_on(client, known, 12, 60_000.0, ENOUGH)["catching_up"]
    assert datetime.fromisoformat(anew["finished_by"]) == datetime.fromisoformat(at(22))
    assert "an earlier decision set is over" in anew["detail"]


def test_without_the_policy_a_decision_only_says_how_long_it_takes(client: httpx.Client, known: str):
    put_policy(client, known, TARGET)
    decision = decide_on(client, known, 1, 60_000.0, ENOUGH)
    assert decision["action"] == "hold"
    assert decision["catching_up"]["running_seconds"] > 0.0
    assert "sets no time for working off what waits" in decision["catching_up"]["detail"]
