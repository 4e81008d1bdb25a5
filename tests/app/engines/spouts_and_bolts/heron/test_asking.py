"""app/engines/spouts_and_bolts/heron/asking.py: which paths of the tracker are asked for one sample."""

from datetime import datetime
from typing import Any

import pytest

from app.engines.answers import EngineAnswer, UnreadableAnswer, read_parameters
from app.engines.spouts_and_bolts.heron.asking import MOST_NAMES, ask, cut, list_places
from app.engines.spouts_and_bolts.heron.reader import read
from tests.app.engines.spouts_and_bolts.heron.composed import AT, WHERE, load


class Tracker:
    """Answers of a tracker; it remembers what was asked."""

    def __init__(self, at: datetime | None = AT) -> None:
        self.at, self.asked = at, list[str]()
        self.listed: Any = load("topologies")

    def get(self, path: str) -> EngineAnswer:
        self.asked.append(path)
        name = path.partition("?")[0].removeprefix("/topologies").strip("/") or "topologies"
        if name == "metricstimeline":
            name = "timeline-" + read_parameters(path)["component"].strip("_")
        if name == "topologies":
            return EngineAnswer(self.listed, path, self.at)
        return EngineAnswer(load(name) if name != "metrics" else {"metrics": {}}, path, self.at)


def test_a_sample_is_both_plans_and_ten_minutes_of_every_component():
    tracker = Tracker()
    answers = ask(tracker, None)
    assert tracker.asked[:3] == [
        "/topologies",
        f"/topologies/logicalplan?{WHERE}",
        f"/topologies/physicalplan?{WHERE}",
    ]
    rest = [read_parameters(path) for path in tracker.asked[3:]]
    assert [one["component"] for one in rest] == ["word", "split", "count", "__stmgr__"]
    ends = int(AT.timestamp())
    assert {(one["starttime"], one["endtime"]) for one in rest} == {(str(ends - 660), str(ends))}
    assert "metricname=__execute-latency%2Fword%2Fdefault" in tracker.asked[4]
    assert "metricname=__time_spent_back_pressure_by_compid%2Fcontainer_1_split_3" in tracker.asked[6]
    assert read(answers).marks["topology"] == "words"


def test_without_a_clock_the_last_ten_minutes_are_asked_for():
    tracker = Tracker(at=None)
    ask(tracker, "words")
    assert tracker.asked[3].startswith("/topologies/metrics?")
    assert tracker.asked[3].endswith("interval=600")


@pytest.mark.parametrize("job", ["words", "local/ads/default/words", None])
def test_a_topology_is_named_by_its_name_or_with_where_it_runs(job: str | None):
    tracker = Tracker()
    ask(tracker, job)
    assert tracker.asked[1] == f"/topologies/logicalplan?{WHERE}"


def test_trackers_wrap_the_list_or_not_and_may_know_no_role():
    listed = load("topologies")
    assert list_places({"status": "success", "result": listed}) == list_places(listed)
    (place,) = list_places({"local": {"null": {"default": ["words"]}}}).values()
    assert place == {"cluster": "local", "role": "", "environ": "default", "topology": "words"}


@pytest.mark.parametrize("listed", [{}, None, {"a": {"b": {"c": ["x", "y"]}}}])
def test_a_topology_that_is_not_clear_is_refused(listed: Any):
    tracker = Tracker()
    with pytest.raises(UnreadableAnswer):
        ask(tracker, "other")
    tracker.listed = listed
    with pytest.raises(UnreadableAnswer):
        ask(tracker, None)


def test_many_names_are_asked_in_parts():
    names = [str(n) for n in range(MOST_NAMES + 1)]
    assert [len(part) for _, part in cut("a", names)] == [MOST_NAMES, 1]
