"""Processors are kept while decisions for the same goal needed them within the policy's window."""

from typing import Any

import httpx
import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from tests.app.decision_calls import ENOUGH, RATES, TARGET, decide, observe, put_policy

WINDOW = TARGET | {"cooldown_seconds": 0, "scale_down_window_seconds": 600, "look_ahead": False}
FORGET_NEW_GOALS = text(
    "UPDATE decisions SET answer = answer #- '{policy,goal,utilisation}' #- '{policy,goal,backlog_seconds}' "
    "WHERE answer->'basis'->>'topology' = :name"
)


def grow(client: httpx.Client, name: str, policy: dict[str, Any]) -> dict[str, int]:
    """What a decision at minute 2 recommends for twice the rate, under the stored or another policy."""
    observe(client, name, 2, 640.0, ENOUGH)
    up = decide(client, name, 2, policy=policy)
    assert (up["action"], up["needed_total"]) == ("scale_up", up["processors"]["recommended_total"])
    counts: dict[str, int] = up["processors"]["recommended"]
    return counts


def test_processors_stay_for_the_window_and_no_longer(client: httpx.Client, known: str):
    put_policy(client, known, WINDOW)
    more = grow(client, known, WINDOW)
    observe(client, known, 6, 320.0, more)
    first, again = decide(client, known, 6), decide(client, known, 6)
    assert (first["action"], first["reasons"][-1]["code"]) == ("hold", "scale-down-window")
    assert first["needed_total"] < sum(more.values())
    why, fewer = first["reasons"][-1]["detail"], first["counterfactuals"]["one_fewer_detail"]
    total = sum(more.values())
    needed = f"found that at least {total} were needed for 640/s, by what was measured then."
    assert f"{first['needed_total']} processors would be enough at 320/s (the estimated E[T]: " in why
    assert f"The decision 4 min earlier {needed} The policy keeps processors for" in why
    kept = ", but the policy keeps processors for 10 min after they were needed."
    assert f"{kept} The decision 4 min earlier {needed}" in fewer
    assert (again["action"], again["reasons"]) == (first["action"], first["reasons"])
    observe(client, known, 13, 320.0, more)
    later = decide(client, known, 13)
    assert (later["action"], later["processors"]["recommended_total"]) == (
        "scale_down",
        first["needed_total"],
    )


def test_a_decision_of_a_version_that_knew_fewer_goals_counts(
    client: httpx.Client, known: str, session: Session
):
    put_policy(client, known, WINDOW)
    more = grow(client, known, WINDOW)
    session.execute(FORGET_NEW_GOALS, {"name": known})
    session.commit()
    observe(client, known, 6, 320.0, more)
    assert decide(client, known, 6)["reasons"][-1]["code"] == "scale-down-window"


def test_what_another_goal_needed_does_not_count(client: httpx.Client, known: str):
    put_policy(client, known, WINDOW)
    more = grow(client, known, WINDOW | {"goal": {"t_max_seconds": 0.09, "t_min_seconds": 0.06}})
    observe(client, known, 6, 320.0, more)
    assert decide(client, known, 6)["action"] == "scale_down"


@pytest.mark.parametrize(
    "tried",
    [{"scale_down_window_seconds": 0}, {"bounds": {"detector": {"min_processors": 20}}}],
    ids=["no-window", "other-bounds"],
)
def test_a_policy_that_is_only_tried_keeps_no_processors(
    client: httpx.Client, known: str, tried: dict[str, Any]
):
    put_policy(client, known, WINDOW)
    many = dict.fromkeys(RATES, 20)
    observe(client, known, 2, 320.0, many, measured_sojourn_seconds=0.08)
    assert decide(client, known, 2, policy=WINDOW | tried)["action"] == "hold"
    observe(client, known, 3, 320.0, many)
    found = decide(client, known, 3)
    assert found["processors"]["recommended_total"] == found["needed_total"] == 20


def test_the_longest_window_is_all_that_was_decided_in_a_year(client: httpx.Client, known: str):
    longest = WINDOW | {"scale_down_window_seconds": 31_536_000}
    put_policy(client, known, longest)
    more = grow(client, known, longest)
    observe(client, known, 60 * 24, 320.0, more)
    assert decide(client, known, 60 * 24)["reasons"][-1]["code"] == "scale-down-window"
