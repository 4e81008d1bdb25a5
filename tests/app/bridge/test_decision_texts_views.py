"""A decision as text, as rows and as numbers."""

from typing import Any

from app.bridge import decision_texts
from app.bridge.service_link import SeenGoal, SeenTarget
from app.bridge.states import Chosen
from app.engines.answers import EngineReading
from app.engines.diagnostics import say
from app.load.bodies.load import LoadBody, OperatorLoadBody
from tests.app.bridge.examples import make_decision

LOAD = LoadBody(external_rate=100.0, operators={"parse": OperatorLoadBody(served_rate=90.0, processors=4)})
READING = EngineReading(None, (LOAD,), (say("odd", "The engine is odd."), say("odd", "The engine is odd.")))


def test_a_row_has_offered_and_served_rate_and_what_is_wanted():
    [row] = decision_texts.list_rows(LOAD, make_decision(), Chosen("apply", {"parse": 6}))
    assert row == ("parse", 100.0, 90.0, 0.9, 4, 6)


def test_a_change_is_said_with_its_counts_its_times_and_its_reasons():
    text = decision_texts.describe_decision(
        make_decision(), Chosen("apply", {"parse": 6}, "more is not allowed")
    )
    assert text == (
        "scale up to parse 6: 100/s arrive, E[T] is 500 ms (estimated) and would be 100 ms; "
        "target: E[T] within 200 ms. E[T] is above the target. (more is not allowed)"
    )


def test_what_waits_and_what_a_move_costs_is_said_where_it_is_known():
    assert decision_texts.list_costs(make_decision()) == []
    decision = make_decision(
        moving={"cost_tuple_seconds": 120.0, "payback_seconds": 30.0},
        catching_up={"backlog_tuples": 500.0, "detail": "500 tuples wait."},
    )
    text = decision_texts.describe_decision(decision, Chosen("apply", {"parse": 6}))
    assert text.endswith(
        "500 tuples wait. The move costs 120 tuple-seconds of waiting, which pays back in 30 s."
    )
    data = decision_texts.to_data(READING, LOAD, decision, Chosen("apply", {"parse": 6}))
    assert (data["payback_seconds"], data["backlog_tuples"]) == (30.0, 500.0)
    none = make_decision(catching_up={"backlog_tuples": 0.0, "detail": "Nothing waits."})
    assert decision_texts.list_costs(none) == []


def test_a_hold_promises_nothing():
    text = decision_texts.describe_decision(make_decision("hold"), Chosen("hold", {"parse": 4}))
    assert text.startswith("hold: 100/s arrive, E[T] is 500 ms (estimated); target: E[T] within 200 ms.")


def test_a_measured_time_goes_before_an_estimate_and_no_steady_state_is_unbounded():
    assert decision_texts.find_sojourn_now(make_decision(measured_sojourn_seconds=0.3)) == (0.3, "measured")
    current: dict[str, Any] = {"stable": False, "expected_sojourn_seconds": None, "operators": []}
    assert (
        "100/s arrive, by the estimate an operator cannot keep up, so E[T] grows without limit; target"
        in decision_texts.describe_decision(make_decision(current=current), Chosen("hold", {}))
    )


def test_every_goal_has_words():
    p99 = SeenTarget(of="completion", quantile=0.99, seconds=0.5)
    assert decision_texts.describe_goal(SeenGoal(target=p99)) == "p99 of the completion time within 500 ms"
    assert (
        decision_texts.describe_goal(SeenGoal(target=SeenTarget(of="total", seconds=1)))
        == "mean of the total time within 1 s"
    )
    room = decision_texts.describe_goal(SeenGoal(utilisation=0.7))
    assert room == "no instance above 70% of its capacity"
    assert (
        decision_texts.describe_goal(SeenGoal(backlog_seconds=30)) == "what waits is worked off within 30 s"
    )
    assert decision_texts.describe_goal(SeenGoal()) == "no target"


def test_numbers_say_the_same_and_each_warning_once():
    decision = make_decision(diagnostics=[{"code": "x", "detail": "Measured on few tuples."}])
    data = decision_texts.to_data(READING, LOAD, decision, Chosen("show", {"parse": 6}))
    assert data["warnings"] == [
        {"code": "odd", "detail": "The engine is odd."},
        {"code": "x", "detail": "Measured on few tuples."},
    ]
    assert (data["action"], data["next"], data["reasons"]) == ("scale_up", "show", ["above-target"])
