"""Counts and times as text."""

from math import inf

from app.bridge.wording import say_counts, say_seconds


def test_only_counts_that_differ_are_said():
    assert say_counts({"parse": 6, "score": 4}, {"parse": 4, "score": 4}) == "parse 6"
    assert say_counts({"parse": 6}) == "parse 6"
    assert say_counts({"parse": 4}, {"parse": 4, "out": 1}) == "no out"
    assert say_counts({"parse": 4}, {"parse": 4}) == "the same"


def test_times_are_said_with_their_unit():
    assert [say_seconds(one) for one in (None, inf, 0.25)] == ["not known", "infinite", "0.25 s"]
