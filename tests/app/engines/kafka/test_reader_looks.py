"""Looks at the ends of a group's partitions between two samples."""

from datetime import timedelta
from itertools import accumulate

import pytest

from app.engines.answers import EngineAnswer
from app.engines.kafka.asking import list_looks
from app.engines.kafka.reader import read
from app.engines.looks import LOOK
from tests.app.engines.kafka.made import AT, row

PATH = "/v3/clusters/c/consumer-groups/g/lags"
CAME = [3, 9, 0, 1, 14, 2, 6, 5, 8, 4]


def make_answers(*, skipped: int = 0, group: str = "g") -> list[EngineAnswer]:
    """Two samples ten seconds apart, and a look each second between them, the partitions of which grow by turns."""
    ends = [0, *accumulate(CAME)]
    return [
        EngineAnswer(
            [
                row(0, 0, 100 + end // 2, group=group if 0 < second < 10 else "g"),
                row(1, 0, 200 + end - end // 2, group=group if 0 < second < 10 else "g"),
            ],
            PATH + LOOK * (0 < second < 10),
            AT + timedelta(seconds=second),
        )
        for second, end in enumerate(ends)
        if second in {0, 10} or second > skipped
    ]


def test_spans_between_looks_are_counted():
    (load,) = read(make_answers()).loads
    assert load.external_rate == pytest.approx(sum(CAME) / 10)
    # The third look brought nothing new, so its second belongs to the span of the fourth.
    assert [(one.seconds, one.tuples) for one in load.external_counts] == [
        (2.0 if came == 1 else 1.0, came) for came in CAME if came
    ]


def test_looks_change_nothing_else():
    looked, plain = (read(list(answers)) for answers in (make_answers(), make_answers(skipped=10)))
    assert not plain.loads[0].external_counts
    assert looked.loads[0].model_copy(update={"external_counts": []}) == plain.loads[0]
    assert looked.topology == plain.topology
    assert looked.diagnostics == plain.diagnostics


def test_looks_at_another_group_or_with_a_gap_tell_nothing():
    assert not read(make_answers(group="other")).loads[0].external_counts
    assert not read(make_answers(skipped=6)).loads[0].external_counts


def test_a_look_asks_what_the_sample_asked():
    assert list_looks(make_answers(skipped=10)) == [PATH]
