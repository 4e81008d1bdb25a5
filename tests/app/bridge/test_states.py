"""Counts as text."""

from app.bridge.states import write_counts


def test_only_counts_that_differ_are_written():
    assert write_counts({"parse": 6, "score": 4}, {"parse": 4, "score": 4}) == "parse 6"
    assert write_counts({"parse": 6}) == "parse 6"
    assert write_counts({"parse": 4}, {"parse": 4, "out": 1}) == "no out"
    assert write_counts({"parse": 4}, {"parse": 4}) == "the same"
