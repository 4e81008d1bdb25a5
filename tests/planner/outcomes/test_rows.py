"""A row of a series says what its numbers do not: what was slow, what waited, and which change was not applied."""

from math import inf

import pytest

from planner.outcomes import rows
from planner.outcomes.rows import SeriesRow, describe_rows
from planner.values import Load, OperatorLoad


def load(score: float = 34.0, arrivals: float = 160.0) -> Load:
    return Load(100.0, {"parse": OperatorLoad(60.0), "score": OperatorLoad(score, arrivals)})


CALM = SeriesRow(load(), 0.2, 0.2, 30)


def test_an_operator_that_was_slow_is_named_in_every_row_in_which_it_was():
    slow = SeriesRow(load(24.5), 0.4, 0.4, 30)
    said = "Not as usual: one processor of score served 24.5/s instead of 34/s."
    nearly = SeriesRow(load(30.0), 0.21, 0.2, 30)
    assert describe_rows([CALM, slow, slow, CALM, nearly, CALM, CALM]) == [None, said, said, *[None] * 4]


def test_tuples_that_each_one_makes_are_compared_with_their_median():
    many = SeriesRow(load(arrivals=260.0), 0.4, 0.4, 30)
    found = describe_rows([CALM, CALM, many])
    assert found[2] == ("Not as usual: score received 2.6 tuples for each one from outside instead of 1.6.")


def test_what_waited_is_said_until_e_t_is_near_the_estimate_again():
    over, late = CALM._replace(expected_seconds=inf), CALM._replace(measured_seconds=9.0)
    gap = SeriesRow()
    found = describe_rows([late, over, late, gap, late, CALM, late])
    grows = "More tuples came than were served: the rest waits, and E[T] grows."
    served = "Tuples that had waited since before are served here: E[T] counts their wait."
    assert found == [None, grows, served, None, served, None, None]


def test_a_pause_of_a_change_is_said():
    changed = CALM._replace(running=33, measured_seconds=1.5)
    found = describe_rows([CALM, changed, changed, CALM._replace(running=33)])
    said = "The processors were changed here: tuples waited meanwhile."
    assert found == [
        None,
        said,
        "Tuples that had waited since before are served here: E[T] counts their wait.",
        None,
    ]


def test_a_change_that_no_row_shows_is_marked_where_it_was_recommended():
    more = CALM._replace(wanted=33)
    part, done = CALM._replace(running=31), CALM._replace(running=33)
    until = "No row before the next change shows the 33 processors that were recommended here: "
    assert describe_rows([more, CALM, more, done])[0] == f"{until}30 ran."
    assert describe_rows([more, part, part._replace(wanted=33), done])[0] == f"{until}31 ran."
    assert describe_rows([more, CALM, done, more])[0] is None
    assert describe_rows([CALM, more]) == [None, None]
    assert describe_rows([more, SeriesRow(), CALM])[0] == (
        "No later row shows the 33 processors that were recommended here: 30 ran."
    )


def test_of_too_many_operators_none_is_compared(monkeypatch: pytest.MonkeyPatch):
    slow = SeriesRow(load(24.5), 0.4, 0.4, 30)
    monkeypatch.setattr(rows, "MOST_LOOKED_AT", 5)
    assert describe_rows([CALM, slow, CALM]) == [None, None, None]
