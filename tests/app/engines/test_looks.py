"""Spans between looks: what is counted, and when looks tell nothing."""

from app.engines.answers import EngineAnswer
from app.engines.looks import LOOK, count_spans, is_look


def test_each_look_with_a_new_count_ends_a_span():
    found = count_spans([(0.0, 10.0), (2.0, 19.0), (1.0, 14.0), (3.0, 20.0)])
    assert [(one.seconds, one.tuples) for one in found] == [(1.0, 4.0), (1.0, 5.0), (1.0, 1.0)]


def test_looks_that_bring_nothing_new_are_left_out_and_too_many_of_them_tell_nothing():
    some = [(0.0, 0.0), (1.0, 5.0), (2.0, 5.0), (3.0, 9.0), (4.0, 12.0)]
    assert [(one.seconds, one.tuples) for one in count_spans(some)] == [(1.0, 5.0), (2.0, 4.0), (1.0, 3.0)]
    cached = [(float(second), float(second // 3)) for second in range(12)]
    assert not count_spans(cached)


def test_few_looks_gaps_and_counts_that_begin_anew_tell_nothing():
    assert not count_spans([(0.0, 1.0), (1.0, 2.0)])
    assert not count_spans([(0.0, 1.0), (1.0, 5.0), (2.0, 2.0), (3.0, 9.0)])
    assert not count_spans([(0.0, 0.0), (1.0, 4.0), (2.0, 9.0), (9.0, 20.0)])


def test_a_look_is_known_by_its_path():
    assert is_look(EngineAnswer({}, f"/lags{LOOK}"))
    assert not is_look(EngineAnswer({}, "/lags"))
