"""Which rule decides under a policy that names none: the economic one, unless the policy sets terms of the other."""

from typing import Any

import httpx
import pytest

from app.deciding.policies.schemas import PolicyBody
from planner.decisions.policy import OF_DRS, Rule, choose_rule, describe_rule
from tests.app.decision_calls import ENOUGH, decide, observe, put_policy

TARGET = {"t_max_seconds": 0.1}
OLD: dict[str, Any] = {
    "smoothing": {"kind": "window", "size": 6},
    "cooldown_seconds": 300.0,
    "trigger": 0.0,
    "least_gain": 0.05,
    "scale_down_window_seconds": 0.0,
    "least_saving": 0.0,
    "horizon_seconds": 60.0,
    "look_ahead": True,
    "qos_target": 0.95,
    "catch_up_seconds": 60.0,
}
NEW: dict[str, Any] = {
    "promise": 0.99,
    "change_pause_seconds": 20.0,
    "max_step": {"up": 2.0},
    "model": "ggk",
    "bounds": {"detector": {"max_processors": 20}},
    "max_snapshot_age_seconds": 60.0,
}


@pytest.mark.parametrize(
    ("policy", "rule"),
    [
        ({"goal": TARGET}, "economic"),
        ({"goal": TARGET | {"k_max": 30}}, "economic"),
        ({"goal": {"target": {"of": "total", "quantile": None, "seconds": 0.1}}}, "economic"),
        ({"goal": {"target": {"of": "total", "quantile": 0.9, "seconds": 0.1}}}, "drs"),
        ({"goal": {"target": {"of": "completion", "quantile": None, "seconds": 0.1}}}, "drs"),
        ({"goal": {"k_max": 30}}, "drs"),
        ({"goal": {"utilisation": 0.7}}, "drs"),
        ({"goal": {"beta": 0.5}}, "drs"),
        ({"goal": TARGET | {"t_min_seconds": 0.05}}, "drs"),
        ({"goal": TARGET | {"t_min_seconds": 0.05}, "rule": "economic"}, "economic"),
        ({"goal": TARGET, "rule": "drs"}, "drs"),
        ({"goal": TARGET, "smoothing": None, "horizon_seconds": None}, "economic"),
        *[({"goal": TARGET, name: value}, "drs") for name, value in OLD.items()],
        *[({"goal": TARGET, name: value}, "economic") for name, value in NEW.items()],
    ],
)
def test_a_target_alone_is_for_the_economic_rule(policy: dict[str, Any], rule: Rule):
    body = PolicyBody.model_validate(policy)
    assert body.rule == rule
    assert choose_rule(policy) == (rule if "rule" not in policy else choose_rule(policy))
    again = PolicyBody.model_validate(body.model_dump(mode="json"))
    assert again == body, "a stored policy keeps its rule"


def test_every_term_of_the_old_rule_is_a_field():
    assert set(OF_DRS) == {*OLD, "t_min_seconds"}
    assert set(OLD) <= set(PolicyBody.model_fields)


@pytest.mark.parametrize(
    ("stated", "rule", "words"),
    [
        ({"goal": TARGET}, "economic", "a target of E[T] is all that it needs."),
        (
            {"goal": TARGET, "cooldown_seconds": 60.0, "least_saving": 0.1},
            "economic",
            "a cooldown, a least saving.",
        ),
        ({"goal": TARGET, "cooldown_seconds": 60.0}, "drs", "since the policy sets a cooldown."),
        ({"goal": TARGET | {"t_min_seconds": 0.05}}, "drs", "sets a lower limit of E[T]."),
        ({"goal": TARGET}, "drs", "as the policy says."),
        ({"goal": {"k_max": 9}}, "drs", "needs a target of E[T]."),
    ],
)
def test_the_rule_has_a_reason(stated: dict[str, Any], rule: Rule, words: str):
    assert words in describe_rule(stated, rule)


def test_decisions_say_which_rule_decides(client: httpx.Client, known: str):
    put_policy(client, known, {"goal": TARGET, "max_snapshot_age_seconds": 1e9})
    assert client.get(f"/v1/topologies/{known}/policy").json()["rule"] == "economic"
    observe(client, known, 1, 320.0, ENOUGH)
    decided = decide(client, known, 1)
    assert "The rule economic decides" in decided["rule_detail"]
    assert decided["price"] > 0
    old = decide(
        client, known, 1, policy={"goal": TARGET, "cooldown_seconds": 60.0, "max_snapshot_age_seconds": 1e9}
    )
    assert "sets a cooldown" in old["rule_detail"]
    assert old["price"] is None


def test_without_processors_in_the_snapshots_the_old_rule_decides(client: httpx.Client, known: str):
    put_policy(client, known, {"goal": TARGET, "max_snapshot_age_seconds": 1e9})
    observe(client, known, 1, 640.0, ENOUGH)
    assert decide(client, known, 1)["action"] == "scale_up"
    operators = {
        name: {"service_rate": rate} for name, rate in {"generator": 80.0, "detector": 130.0}.items()
    }
    body = {"observed_at": "2026-11-18T00:05:00Z", "external_rate": 320.0, "operators": operators}
    assert client.post(f"/v1/topologies/{known}/snapshots", json=body).is_success
    decided = decide(client, known, 10)
    assert "do not give the processors" in decided["rule_detail"]
