"""Cases: which E[T] a decision looks at, and which bound left no answer."""

from math import inf

import pytest

from planner.decisions.case import Case
from planner.decisions.policy import Policy
from planner.situations.situation import assess_counts, survey_load
from planner.values import Entry, Load, Operator, OperatorLoad, Topology
from tests.planner.decisions.asked import ask

ONE = Topology((Operator("serve"),), (), (Entry("serve"),))


def see(rate: float, running: int, measured: float | None = None) -> Case:
    situation = survey_load(ONE, Load(rate, {"serve": OperatorLoad(10.0)}, measured), "mmk")
    current = assess_counts(situation, [running])
    return Case(
        ask(ONE, situation.load, [running], Policy(k_max=9)), situation, situation, None, [running], current
    )


def test_the_signal_is_measured_else_estimated_and_infinite_where_nothing_keeps_up():
    assert see(5.0, 1, 0.7).signal_seconds == 0.7
    assert see(5.0, 1).signal_seconds == pytest.approx(1.0 / (10.0 - 5.0))  # M/M/1: 1/(μ − λ)
    assert see(15.0, 1, 0.7).signal_seconds == inf
    assert see(0.0, 1).signal_seconds == pytest.approx(0.1)


def test_its_title_says_which_of_them_it_is():
    assert see(5.0, 1, 0.7).signal_title == "The measured E[T]"
    assert see(5.0, 1).signal_title == "The estimated E[T]"
    assert see(15.0, 1).signal_title == "E[T]"


def test_an_overload_is_said_of_the_estimate_beside_the_measured_time():
    grows = "By the estimate an operator cannot keep up, so E[T] grows without limit"
    assert see(15.0, 1, 20.0).signal_sentence == f"{grows}; 20 s were measured."
    assert see(15.0, 1).signal_sentence == f"{grows}."
    assert see(5.0, 1, 0.7).signal_sentence == "The measured E[T] is 700 ms."
