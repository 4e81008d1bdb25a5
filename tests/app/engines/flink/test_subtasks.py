"""app/engines/flink/subtasks.py: subtasks that work all the time while others of their vertex wait."""

import pytest

from app.engines.flink.subtasks import SubtaskActivity, find_shares
from tests.app.engines.flink.recorded import codes, load, read


def test_a_hot_key_is_seen_though_the_vertex_waits_on_the_average():
    """Two thirds of 300 records per second meet one subtask that can serve 125; Flink reports no back pressure."""
    reading = read(load("hot-key"))
    score = reading.loads[0].operators["score"]
    assert score.back_pressured_share == 0.0
    assert score.arrival_rate == pytest.approx(2 * 154.2, rel=0.01)
    assert score.served_rate == pytest.approx(231.0, rel=0.01)
    assert {"hot-subtasks", "overloaded", "arrivals-held-back"} <= codes(reading)
    said = next(one for one in reading.diagnostics if one.code == "hot-subtasks")
    assert said.operators == ("score",)


def test_the_share_of_a_hot_subtask_is_that_of_the_offered_records():
    """Half of the records have its key, and a third of the other half: what it serves is 54%."""
    score = read(load("hot-key")).loads[0].operators["score"]
    assert [one.share for one in score.instances] == pytest.approx([1 / 6, 1 / 6, 2 / 3], abs=0.01)


def test_without_its_subtasks_the_hot_one_is_not_seen():
    body = load("hot-key")
    plain = {"answers": [one for one in body["answers"] if "/vertices/" not in one["path"]]}
    reading = read(plain)
    assert "hot-subtasks" not in codes(reading)
    assert reading.loads[0].operators["score"].instances == []


def test_shares_of_what_was_taken():
    even = [SubtaskActivity(100.0, 0.5), SubtaskActivity(300.0, 0.9)]
    assert find_shares(even, 40.0, 50.0) == [0.25, 0.75]
    hot = [SubtaskActivity(100.0, 0.5), SubtaskActivity(300.0, 0.99)]
    assert find_shares(hot, 40.0, 50.0) == [0.2, 0.8]
    assert find_shares(hot, 40.0, None) == [0.25, 0.75]


@pytest.mark.parametrize(
    "subtasks",
    [
        [],
        [SubtaskActivity(None, None)],
        [SubtaskActivity(0.0, 1.0)],
        [SubtaskActivity(5.0, 0.1), SubtaskActivity(None, 0.1)],
    ],
)
def test_shares_of_unknown_counts_are_unknown(subtasks: list[SubtaskActivity]):
    assert find_shares(subtasks, 1.0, 1.0) == []


def test_a_subtask_that_hardly_serves_is_not_saturated():
    """An idle time that lasts is not counted yet, so it may look busy."""
    assert not SubtaskActivity(2.0, 1.0).is_saturated
    assert SubtaskActivity(20.0, 1.0).is_saturated
    assert not SubtaskActivity(20.0, None).is_saturated
