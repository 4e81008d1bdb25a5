"""app/engines/kafka/reader.py: a group of consumers as one operator."""

import json
from pathlib import Path

import pytest

from app.engines.answers import EngineAnswer, UnreadableAnswer, list_answers
from app.engines.kafka.reader import read
from tests.app.engines.kafka.made import RECORDED, answer, assign, go_on, row
from tests.app.engines.mutating import check_reading, load_golden


def test_two_documents_give_a_load():
    reading = read(answer(RECORDED, go_on(RECORDED, 10.5, 200, 100)))
    (load,) = reading.loads
    measured = load.operators["clicks"]
    assert load.window_seconds == pytest.approx(10.5)
    assert load.external_rate == pytest.approx(4 * 200 / 10.5)
    assert measured.served_rate == pytest.approx(4 * 100 / 10.5)
    assert measured.service_rate == pytest.approx(4 * 100 / 10.5)  # one consumer, and its lag grows
    assert (measured.backlog_tuples, measured.processors) == (430, 1)
    check_reading(reading)


def test_real_members_that_fall_behind_show_what_one_serves():
    """Two consumers slept 25 ms for each message: each served at most 40/s, on a busy machine some fewer."""
    reading = read([EngineAnswer(document) for document in load_golden("kafka/two-members-behind.json")])
    measured = [load.operators["clicks"] for load in reading.loads]
    assert [one.processors for one in measured] == [2, 2]
    assert all(33.0 < (one.service_rate or 0.0) < 40.0 for one in measured)
    assert all(len(one.instances) == 2 for one in measured)
    assert "service-rate-at-saturation" in {one.code for one in reading.diagnostics}


def test_the_lag_of_librdkafka_counts_from_commits_and_is_not_taken():
    """All was read, while consumer_lag was what had come in the five seconds since the last commit."""
    documents = load_golden("kafka/one-member-keeps-up.json")
    told = [one["consumer_lag"] for one in documents[-1]["topics"]["clicks"]["partitions"].values()]
    assert sum(told) > 400
    reading = read([EngineAnswer(document) for document in documents])
    measured = [load.operators["clicks"] for load in reading.loads]
    assert [one.backlog_tuples for one in measured] == [0.0, 0.0]
    assert [one.service_rate for one in measured] == [None, None]
    assert [one.served_rate for one in measured] == [load.external_rate for load in reading.loads]


def test_the_group_is_one_operator_bounded_by_its_partitions():
    reading = read(answer(RECORDED))
    assert reading.topology is not None
    (operator,) = reading.topology.operators
    assert (operator.name, operator.max_parallelism) == ("clicks", 4)
    assert (operator.queueing, operator.group_assignment) == ("keyed", "round-robin")
    assert reading.loads == ()
    assert {one.code for one in reading.diagnostics} >= {"one-sample", "queueing-unknown"}


def test_members_tell_of_their_own_partitions():
    one, other = assign(RECORDED, "one", "01"), assign(RECORDED, "other", "23")
    rounds = [one, other, go_on(one, 10, 100, 100), go_on(other, 10, 50, 50)]
    reading = read([EngineAnswer(document) for document in rounds])
    measured = reading.loads[0].operators["clicks"]
    assert measured.processors == 2
    assert reading.loads[0].external_rate == pytest.approx(30.0)
    assert sorted(one.share for one in measured.instances) == pytest.approx([1 / 3, 2 / 3])
    assert measured.group_shares == pytest.approx([1 / 3, 1 / 3, 1 / 6, 1 / 6])


def test_one_member_alone_does_not_stand_for_the_group():
    one = assign(RECORDED, "one", "01")
    reading = read(answer(one, go_on(one, 10, 100, 100)))
    assert reading.loads == ()
    assert "partitions-missing" in {one.code for one in reading.diagnostics}


def test_lists_give_loads_by_the_time_of_their_answers():
    reading = read(answer([row(0, 0, 50)], [row(0, 100, 300)], [row(0, 200, 500)]))
    assert [load.external_rate for load in reading.loads] == [25.0, 20.0]
    assert reading.marks == {"job": "g", "topics": ["clicks"], "group": "g"}


def test_rows_that_come_one_by_one_are_one_sample():
    """A bare list in a request comes as one answer for each of its items, all of one time."""
    rows = [*answer(row(0, 0, 50), row(1, 0, 50), seconds=0.0)]
    assert "one-sample" in {one.code for one in read(rows).diagnostics}


def test_the_path_names_the_group():
    both = [row(0, 0, 50), row(0, 10, 50, group="h")]
    with pytest.raises(UnreadableAnswer, match="more than one group fits"):
        read(answer(both))
    assert read(answer(both, path="?group=h")).marks["group"] == "h"
    assert read(answer(RECORDED, path="/stats?group=billing")).marks["job"] == "billing"


def test_the_example_of_the_guide_is_read():
    page = Path("docs/guides/kafka.md").read_text()
    sent = json.loads(page.partition("```json")[2].partition("```")[0])
    load = read(list_answers(sent)).loads[0].operators["billing"]
    assert (load.arrival_rate, load.served_rate, load.backlog_tuples) == (50.0, 40.0, 180.0)


def test_several_topics_have_one_name():
    rows = [row(0, 0, 50), row(0, 0, 50) | {"topic": "orders"}]
    del rows[0]["group"], rows[1]["group"]
    reading = read(answer(rows))
    assert reading.topology is not None
    assert reading.topology.operators[0].name == "consumers"


@pytest.mark.parametrize(
    "sent",
    [[], answer(None), answer({}), answer(RECORDED | {"type": "producer"}), [EngineAnswer([row(0, 0, 50)])]],
    ids=["nothing", "null", "empty", "producer", "no time"],
)
def test_what_says_nothing_is_told_what_to_send(sent: list[EngineAnswer]):
    with pytest.raises(UnreadableAnswer, match=r"statistics\.interval\.ms"):
        read(sent)
