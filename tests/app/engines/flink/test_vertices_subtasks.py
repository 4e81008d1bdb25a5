"""app/engines/flink/vertices.py: subtasks that work all the time while others of their vertex wait."""

import pytest

from app.engines.answers import list_answers
from app.engines.flink.counters import VertexCounters
from app.engines.flink.samples import put_together
from app.engines.flink.vertices import SubtaskActivity, find_shares, is_saturated, list_subtasks
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
    even = [SubtaskActivity(100.0, is_saturated=False), SubtaskActivity(300.0, is_saturated=False)]
    assert find_shares(even, 40.0, 50.0) == [0.25, 0.75]
    hot = [SubtaskActivity(100.0, is_saturated=False), SubtaskActivity(300.0, is_saturated=True)]
    assert find_shares(hot, 40.0, 50.0) == [0.2, 0.8]
    assert find_shares(hot, 40.0, None) == [0.25, 0.75]


@pytest.mark.parametrize("taken", [[], [None], [0.0], [5.0, None]])
def test_shares_of_unknown_counts_are_unknown(taken: list[float | None]):
    assert find_shares([SubtaskActivity(one, is_saturated=False) for one in taken], 1.0, 1.0) == []


@pytest.mark.parametrize(
    ("counted", "expected"),
    [
        (VertexCounters(20.0, 20.0, 990.0, 10.0, 0.0), True),
        (VertexCounters(20.0, 20.0, 490.0, 10.0, 500.0), True),
        (VertexCounters(20.0, 20.0, 900.0, 100.0, 0.0), False),
        (VertexCounters(2.0, 2.0, 1000.0, 0.0, 0.0), False),
        (VertexCounters(0.0, 0.0, 0.0, 0.0, 1000.0), True),
        (VertexCounters(20.0, 20.0, None, 0.0, 0.0), False),
    ],
)
def test_no_idle_time_is_left_where_it_is_busy_or_blocked(counted: VertexCounters, *, expected: bool):
    """One that hardly serves may be in an idle time that is not yet counted: it only looks busy."""
    assert is_saturated(counted, counted.records_in) == expected


def test_subtasks_are_counted_in_the_interval():
    body = [one["body"] for one in load("fork")["answers"]]
    counts = [
        [one["metrics"]["read-records"] for one in part["subtasks"]]
        for part in body
        if isinstance(part, dict) and part.get("name") == "score"
    ]
    _, earlier, later = put_together(list_answers(load("fork"))).samples
    found = list_subtasks("ea632d67b7d595e5b851708ae9ad79d6", earlier, later)
    assert [one.taken for one in found] == [new - old for old, new in zip(*counts[1:], strict=True)]
    assert list_subtasks("ea632d67b7d595e5b851708ae9ad79d6", None, later)[0].taken == counts[2][0]
    assert list_subtasks("unknown", earlier, later) == ()
