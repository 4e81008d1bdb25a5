"""app/engines/prometheus/reader.py: what was left out is said, and why nothing could be read."""

from typing import get_args

import pytest

from app.engines.answers import UnreadableAnswer
from app.engines.prometheus.loads import LeftTimes, ReadLoads, Reason, make_loads
from app.engines.prometheus.moments import Moment
from app.engines.prometheus.reader import LEFT, explain_nothing, list_notes
from tests.app.engines.prometheus.test_loads import at

REASONS: tuple[Reason, ...] = get_args(Reason)
NOTHING = ReadLoads([], {}, LeftTimes())


def test_every_reason_has_words():
    assert tuple(sorted(LEFT)) == tuple(sorted(REASONS))


@pytest.mark.parametrize("reason", REASONS)
def test_times_left_out_are_listed(reason: Reason):
    read = ReadLoads([], {}, LeftTimes({reason: [86_400.0 + 60.0 * k for k in range(5)]}))
    said = {one.code: one.detail for one in list_notes(read, [], [], [])}
    assert "5 times (UTC: 00:00:00, 00:01:00, 00:02:00 and 2 more)" in said[reason]
    assert LEFT[reason] in explain_nothing(read, [at(100, {})])


def test_what_the_loads_do_not_show_is_said():
    doubled = at(160, {"served_rate": 4.0, "busy_processors": 1.0, "processors": 1.0})
    doubled.doubled.add("a")
    moments = [doubled, at(220, {"served_rate": 4.0, "processors": 1.0})]
    problem = UnreadableAnswer("#/answers/3/body", "it is odd.")
    said = {
        one.code: one for one in list_notes(make_loads(moments, is_asked=False), moments, ["up"], [problem])
    }
    assert said.keys() == {
        "edges-not-in-prometheus", "start-not-seen", "service-rate-unknown", "several-means", "answer-left-out",
        "query-without-series", "arrival-rate-unknown",
    }  # fmt: skip
    assert said["several-means"].operators == ("a",)
    assert "#/answers/3/body: it is odd." in said["answer-left-out"].detail
    assert "up" in said["query-without-series"].detail


def test_a_saturated_operator_and_unchecked_changes_are_said():
    moments = [at(100, {"served_rate": 4.0, "busy_processors": 1.0, "processors": 1.0})]
    said = {one.code for one in list_notes(make_loads(moments, is_asked=False), moments, [], [])}
    assert said == {"edges-not-in-prometheus", "changes-not-checked", "saturated"}


@pytest.mark.parametrize(
    ("read", "moments", "says"),
    [
        (NOTHING, [], "no series"),
        (NOTHING, [Moment(100)], "measure no operator"),
        (ReadLoads([], {"Source:_a": True}, LeftTimes(chained=True)), [Moment(100)], "one chain"),
    ],
)
def test_nothing_is_explained(read: ReadLoads, moments: list[Moment], says: str):
    assert says in explain_nothing(read, moments)
