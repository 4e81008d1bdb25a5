"""app/engines/spouts_and_bolts/heron/asking.py: which paths of the tracker are asked for one sample."""

from datetime import datetime
from typing import Any

import pytest

from app.engines.answers import EngineAnswer, UnreadableAnswer, read_parameters
from app.engines.spouts_and_bolts.heron.asking import MOST_NAMES, ask, choose_place, cut
from app.engines.spouts_and_bolts.heron.reader import read
from tests.app.engines.spouts_and_bolts.heron.composed import AT, WHERE, load


class Tracker:
    """Answers of a tracker; it remembers what was asked."""

    def __init__(self, at: datetime | None = AT) -> None:
        self.at, self.asked = at, list[str]()

    def get(self, path: str) -> EngineAnswer:
        self.asked.append(path)
        name = path.partition("?")[0].removeprefix("/topologies").strip("/") or "topologies"
        if name == "metricstimeline":
            name = "timeline-" + read_parameters(path)["component"].strip("_")
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
    listed = load("topologies")
    assert choose_place(listed, job) == ("local", "ads", "default", "words")
    assert choose_place({"status": "success", "result": listed}, job).topology == "words"


def test_a_tracker_may_know_no_role():
    place = choose_place({"local": {"null": {"default": ["words"]}}}, "words")
    assert dict(place.parameters) == {"cluster": "local", "environ": "default", "topology": "words"}


@pytest.mark.parametrize(
    ("listed", "job"),
    [({}, None), (None, None), (load("topologies"), "other"), ({"a": {"b": {"c": ["x", "y"]}}}, None)],
)
def test_a_topology_that_is_not_clear_is_refused(listed: Any, job: str | None):
    with pytest.raises(UnreadableAnswer) as caught:
        choose_place(listed, job)
    assert "name one with --job" in caught.value.detail


def test_many_names_are_asked_in_parts():
    names = [str(n) for n in range(MOST_NAMES + 1)]
    assert [len(part) for _, part in cut("a", names)] == [MOST_NAMES, 1]
