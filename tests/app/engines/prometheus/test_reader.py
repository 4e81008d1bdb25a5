"""app/engines/prometheus/reader.py: what Prometheus 2.42 answered about a Flink job whose services are known."""

from typing import Any

import pytest

from app.engines.answers import EngineAnswer, UnreadableAnswer
from app.engines.prometheus.reader import read
from tests.app.engines.mutating import check_reading
from tests.app.engines.prometheus.recorded import (
    PROCESSORS,
    SENT,
    SERVED,
    SERVICE,
    answer,
    ask,
    list_counters,
    list_rates,
    load,
    matrix,
    shorten,
)  # fmt: skip

ASKED = {
    "range-rate": SERVED,
    "range-service-rate": SERVICE,
    "range-parallelism": PROCESSORS,
    "range-source-out": SENT,
}
TRUE_RATES = {"parse": 20.0, "score": 40.0}


@pytest.mark.parametrize("answers", [list_rates(), list_counters()], ids=["rates", "counters"])
def test_service_rates_are_the_true_ones(answers: list[EngineAnswer]):
    reading = read(answers)
    assert reading.topology is None
    check_reading(reading)
    for name, truth in TRUE_RATES.items():
        rates = [load.operators[name].service_rate for load in reading.loads]
        assert all(rate == pytest.approx(truth, rel=0.1) for rate in rates)
        assert sum(rate or 0.0 for rate in rates) / len(rates) == pytest.approx(truth, rel=0.05)


def test_raw_counters_give_each_step_between_rescales():
    """The load stepped from 40/s to 120/s and 60/s; 6, 4, 8 and 4 subtasks of parse ran."""
    reading = read(list_counters())
    assert {load.window_seconds for load in reading.loads} == {15.0}
    counts = [load.operators["parse"].processors for load in reading.loads]
    assert counts == [6] * 4 + [4] * 4 + [8] * 5 + [4] * 4
    for place, truth in {0: 40, 5: 40, 9: 120, 10: 120, 15: 60}.items():
        assert reading.loads[place].external_rate == pytest.approx(truth, rel=0.06)
        assert reading.loads[place].operators["parse"].arrival_rate == reading.loads[place].external_rate
        assert reading.loads[place].operators["score"].served_rate == pytest.approx(2 * truth, rel=0.06)
    assert reading.marks == {"job": "61a36912bebfff2997551877d703a4fc", "job_name": "network"}


def test_rates_over_a_rescale_are_left_out():
    reading = read(list_rates())
    said = {one.code: one.detail for one in reading.diagnostics}
    assert "19 times" in said["instances-changed"]
    assert "3 times" in said["start-not-seen"]
    assert len(reading.loads) == 2
    assert {load.window_seconds for load in reading.loads} == {60.0}


def test_a_source_that_waits_is_no_operator():
    reading = read(list_rates())
    assert all(load.operators.keys() == {"parse", "score", "Sink:_out"} for load in reading.loads)
    assert "source-left-out" in {one.code for one in reading.diagnostics}


def test_an_answer_sent_twice_counts_once():
    assert read([*list_rates(), *list_rates()]).loads == read(list_rates()).loads
    assert read([*list_counters(), *list_counters()]).loads == read(list_counters()).loads


def test_ranges_that_were_asked_one_after_the_other_are_one_range():
    older = [EngineAnswer(shorten(one.body, 99, slice(0, 3))) for one in list_counters()]
    newer = [EngineAnswer(shorten(one.body, 99, slice(2, None))) for one in list_counters()]
    assert read([*older, *newer]).loads == read(list_counters()).loads
    assert len(read(newer).loads) < len(read(list_counters()).loads)


def test_any_application_is_read_by_roles():
    times = [1000.0, 1060.0, 1120.0]
    reading = read(
        [
            ask("arrival_rate", dict.fromkeys(times, 30.0), operator="parse"),
            ask("busy_processors", {1000.0: 1.5, 1060.0: "NaN", 1120.0: 1.5}, operator="parse"),
            ask("processors", dict.fromkeys([940.0, *times], 4), operator="parse"),
            ask("backlog_tuples", dict.fromkeys(times, 7), operator="parse"),
            answer(matrix(({"app": "score"}, dict.fromkeys(times, 0.02))), "x[1m]", role="service_seconds"),
            ask("external_rate", dict.fromkeys(times, 30.0)),
        ]
    )
    assert [load.operators["parse"].service_rate for load in reading.loads] == [20.0, None, 20.0]
    assert [load.operators["parse"].backlog_tuples for load in reading.loads] == [7.0] * 3
    assert [load.operators["score"].service_rate for load in reading.loads] == [50.0] * 3
    assert [load.observed_at.timestamp() for load in reading.loads if load.observed_at] == [
        940.0,
        1000.0,
        1060.0,
    ]
    check_reading(reading)


@pytest.mark.parametrize("name", ["headgate:speed", "arrival_rate"])
def test_a_rule_of_another_name_is_unknown(name: str):
    with pytest.raises(UnreadableAnswer, match="the role of this query"):
        read([answer(matrix(({"__name__": name, "operator": "a", "window_seconds": "60"}, {1000.0: 5.0})))])


def test_a_rule_without_its_window_is_told_so():
    """The step of the range is not the time that the rule's rates cover."""
    with pytest.raises(UnreadableAnswer, match="window_seconds"):
        read([answer(matrix(({"__name__": "headgate:arrival_rate", "operator": "a"}, {1000.0: 5.0})))])


def test_two_operators_may_come_from_the_same_query():
    one, other = (
        answer(matrix(({}, {1000: 5.0})), "a[1m]", role="arrival_rate", operator=name) for name in "ab"
    )
    reading = read([one, other, ask("external_rate", {1000: 5.0})])
    assert reading.loads[0].operators.keys() == {"a", "b"}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (load("error-bad-query"), "unclosed left parenthesis"),
        (load("error-too-many-points"), "shorter range or a longer step"),
        (load("range-bad"), "no series"),
        (load("instant-up"), "the role of this query is unknown"),
        (load("instant-busy-nan"), "the role of this query is unknown"),
        (load("targets"), "not an answer of"),
        (None, "not an answer of"),
    ],
)
def test_what_says_nothing_is_told_what_to_send(body: Any, says: str):
    with pytest.raises(UnreadableAnswer, match=says):
        read([EngineAnswer(body)])


def test_an_error_beside_good_answers_is_said():
    reading = read([*list_rates(), EngineAnswer(load("error-bad-query"), pointer="#/answers/4/body")])
    assert len(reading.loads) == 2
    said = {one.code: one.detail for one in reading.diagnostics}
    assert "#/answers/4/body" in said["answer-left-out"]


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ([ask("speed", {1000: 1.0})], "the roles are external_rate"),
        ([ask("arrival_rate", {1000: 1.0})], "the operator of the series"),
        (list_rates()[:3], "the external rate is unknown"),
        (
            [*list_counters()[:2], answer(load("range-source-out"), SENT)],
            "rates cover times of different length",
        ),
        (
            [answer(matrix(({"job_name": name, "task_name": "a"}, {1000: 1.0})), SERVED) for name in "xy"],
            "more than one job fits",
        ),
        ([EngineAnswer(load("range-numRecordsIn"))], "the external rate is unknown"),
    ],
)
def test_what_is_missing_is_named(answers: list[EngineAnswer], says: str):
    with pytest.raises(UnreadableAnswer, match=says):
        read(answers)


def test_a_rescale_leaves_no_load_for_a_while_and_is_no_mistake_of_the_caller():
    """The window ends at the rescale, or the range is one point long."""
    rates = [answer(shorten(load(name), 99, slice(10, 12)), query) for name, query in ASKED.items()]
    reading = read(rates)
    assert reading.loads == ()
    assert "instances-changed" in {one.code for one in reading.diagnostics}
    check_reading(reading)


def test_a_range_shorter_than_its_window_is_refused():
    rates = [answer(shorten(load(name), 99, slice(9, 11)), query) for name, query in ASKED.items()]
    with pytest.raises(UnreadableAnswer, match="one window longer"):
        read(rates)


def test_series_of_two_jobs_at_once_are_not_added_up():
    """An older job of the same name is still within the look-back when the new one starts."""
    reading = read(list_counters())
    ends = [load.observed_at.timestamp() + load.window_seconds for load in reading.loads if load.observed_at]
    assert 1795041658 not in ends
