"""app/engines/flink/asking.py: one sample of a job, asked of recorded answers."""

from datetime import UTC, datetime

import pytest

from app.engines.answers import EngineAnswer, UnreadableAnswer, list_answers, read_answers
from app.engines.flink.asking import ask
from tests.app.engines.flink.recorded import Json, load


class Recorded:
    """Answers by their path, as they were recorded; each asked path is kept."""

    def __init__(self, answers: dict[str, Json]) -> None:
        self.answers, self.asked = answers, list[str]()
        self.later: dict[str, list[Json]] = {}

    def get(self, path: str) -> EngineAnswer:
        """The next of the later answers, and the last one again."""
        if "numBuffersIn" in path:
            return EngineAnswer([], path, datetime(2026, 11, 19, tzinfo=UTC))
        self.asked.append(path)
        body = self.answers[path]
        if self.later.get(path):
            self.answers[path] = self.later[path].pop(0)
        return EngineAnswer(body, path, datetime(2026, 11, 19, tzinfo=UTC))


def replay(name: str) -> Recorded:
    """The last sample of a recording; the names of its metrics from the values that were asked for."""
    answers: dict[str, Json] = {}
    for one in list_answers(load(name)):
        answers[one.path] = one.body
        if "metrics?get" in one.path:
            answers[one.path.partition("?")[0]] = one.body
    return Recorded(answers)


def test_a_sample_is_what_the_reader_needs_with_the_subtasks_after_the_job():
    asker = replay("chain")
    sample = ask(asker, "chain")
    job = "/jobs/bb1c417ff82350675e3e4be98575d9b0"
    assert asker.asked[0] == "/jobs/overview"
    assert asker.asked[1] == job
    assert [one.path for one in sample].count(job) == 1
    numbers = [path for path in asker.asked if "/vertices/" in path]
    assert asker.asked[-len(numbers) :] == numbers
    reading = read_answers("flink", sample)
    assert len(reading.loads) == 1
    assert reading.marks["slots_total"] == 16


def test_the_job_is_asked_until_its_counters_are_new():
    """Two documents asked one after the other: the second has counters of 8 s later."""
    old, new = load("fork-asked-at-once")
    asker = replay("fork")
    job = f"/jobs/{new['jid']}"
    asker.answers[job], asker.later[job] = old, [old, old, new]
    assert new in [one.body for one in ask(asker, "fork")]
    assert asker.asked.count(job) == 4


def test_the_job_is_not_asked_for_ever():
    """Within the update interval of Flink the counters stay as they are."""
    asker = replay("fork")
    ask(asker, "fork")
    assert asker.asked.count("/jobs/5325bba1b70e14f12844cf1327b75c65") == 11


def test_names_of_metrics_are_asked_before_their_values():
    """One unknown name in a question makes Flink answer [] for all."""
    asker = replay("chain")
    ask(asker, None)
    metrics = [path for path in asker.asked if "metrics" in path]
    assert len(metrics) == 2
    assert metrics[1].startswith(metrics[0] + "?get=Source__numbers.numRecordsOut,")
    assert "PerSecond" not in metrics[1]


def test_only_sources_are_asked_for_metrics_of_their_operators():
    asker = replay("fork")
    ask(asker, "5325bba1b70e14f12844cf1327b75c65")
    sources = {path.split("/")[4] for path in asker.asked if "metrics" in path}
    assert sources == {"bc764cd8ddf7a0cff126f51c16239658"}


def test_a_source_without_such_metrics_is_not_asked_for_values():
    asker = replay("fork")
    for path in list(asker.answers):
        if path.endswith("subtasks/metrics"):
            asker.answers[path] = load("vertex-parse-hg")
    assert not any("?get=Source" in one.path for one in ask(asker, "fork"))


def test_each_vertex_that_is_fed_is_asked_for_its_buffers():
    sample = ask(replay("chain"), "chain")
    asked = [one.path.split("/")[4] for one in sample if "numBuffersInLocal" in one.path]
    assert asked == ["9dd63673dd41ea021b896d5203f3ba7c", "1a936cb48657826a536f331e9fb33b5e"]


def test_the_newest_running_job_of_a_name_is_asked():
    overview = load("overload-jobs-overview")
    asker = Recorded({"/jobs/overview": overview})
    with pytest.raises(KeyError, match="8df13b155cc3789413aad9b2adf33ddb"):
        ask(asker, "network")


@pytest.mark.parametrize(
    ("job", "said"),
    [
        (None, "more than one job fits: network. Name one"),
        ("payments", "no job with the name or id 'payments' runs"),
    ],
)
def test_a_job_that_cannot_be_told_is_refused(job: str | None, said: str):
    with pytest.raises(UnreadableAnswer, match=said):
        ask(Recorded({"/jobs/overview": load("overload-jobs-overview")}), job)


def test_without_a_job_that_is_said():
    with pytest.raises(UnreadableAnswer, match=r"no job runs\.$"):
        ask(Recorded({"/jobs/overview": {}}), None)
