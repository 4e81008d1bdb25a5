"""app/engines/flink/intervals.py: which intervals are measured, and why others are not."""

import pytest

from app.engines.answers import list_answers
from app.engines.flink.intervals import JobIntervals, find_intervals
from app.engines.flink.samples import put_together
from tests.app.engines.flink.recorded import Json, load, remove_vertex, vertex


def find(body: Json) -> JobIntervals:
    return find_intervals(put_together(list_answers(body)).samples)


def codes(found: JobIntervals) -> list[str]:
    """The codes of the diagnostics that follow."""
    reasons = {
        "averages-since-start": found.is_since_start,
        "interval-discarded": found.resets,
        "stale-metrics": found.stale or found.unmoved,
        "samples-too-close": found.too_close,
    }
    return [code for code, holds in reasons.items() if holds]


def test_three_samples_are_two_intervals_by_the_clock_of_the_tasks():
    found = find(load("fork"))
    assert [one.seconds for one in found.measured] == pytest.approx([8.06, 8.05], abs=0.01)
    assert codes(found) == []


def test_one_sample_is_measured_since_its_start():
    found = find(load("overload-job"))
    assert [one.earlier is None for one in found.measured] == [True]
    assert found.measured[0].seconds == pytest.approx(35.04, abs=0.01)
    assert codes(found) == ["averages-since-start"]


def test_the_interval_with_a_rescale_is_discarded():
    found = find(load("fork-rescaled"))
    assert [one.earlier is None for one in found.measured] == [False]
    assert codes(found) == ["interval-discarded"]
    assert found.resets == ["the job was restarted"]


def test_right_after_a_rescale_nothing_is_measured_but_selectivities_stay_known():
    found = find(load("fork-rescaled-every-half-second")[:2])
    assert found.measured == []
    assert found.newest is not None
    assert found.newest.seconds == pytest.approx(30.6, abs=0.1)


def test_the_same_metrics_twice_are_no_interval():
    """Nor are they averages since the start: who sent two samples wants to know what happens now."""
    first = load("job")
    found = find([first, {**first, "now": first["now"] + 5000}])
    assert found.measured == []
    assert codes(found) == ["stale-metrics"]


def test_samples_half_a_second_apart_are_joined_to_more_than_a_second():
    found = find(load("fork-rescaled-every-half-second")[2:])
    assert [one.seconds > 1.0 for one in found.measured] == [True] * 3
    assert set(codes(found)) == {"samples-too-close"}


def test_metrics_from_before_a_rescale_are_left_out():
    job = load("job")
    vertex(job, "parse")["start-time"] = job["now"] - 3_000
    found = find(job)
    assert found.newest is None
    assert codes(found) == ["stale-metrics"]


def test_selectivities_are_those_of_the_longest_life():
    documents = load("fork-rescaled-every-half-second")
    found = find([documents[0], documents[2]])
    assert found.measured == []
    assert found.newest is not None
    assert found.newest.seconds == pytest.approx(30.6, abs=0.1)


def test_what_was_asked_beside_the_same_metrics_is_kept():
    """The job, the job again with the subtasks of score, and both 8 s later."""
    fork = [one["body"] for one in load("fork")["answers"]]
    jobs = [one for one in fork if "plan" in one]
    details = [one for one in fork if "subtasks" in one and one.get("name") == "score"]
    again = {**jobs[1], "now": jobs[1]["now"] + 500}
    first, second = {**details[1], "now": again["now"]}, {**details[2], "now": jobs[2]["now"]}
    (interval,) = find([jobs[1], again, first, jobs[2], second]).measured
    score = next(one for one in interval.activities.values() if one.vertex.name == "score")
    taken = [
        new["metrics"]["read-records"] - old["metrics"]["read-records"]
        for new, old in zip(second["subtasks"], first["subtasks"], strict=True)
    ]
    assert [one.taken for one in score.subtasks] == taken


def test_intervals_of_other_vertices_are_not_those_of_the_job():
    first, second, third = [one["body"] for one in load("fork")["answers"] if "plan" in one["body"]]
    remove_vertex(third, -1)
    found = find([first, second, third])
    assert found.measured == []
    assert codes(found) == ["interval-discarded"]


def test_a_sample_from_before_the_first_metrics_is_no_begin():
    """Right after a restart Flink writes 0 everywhere, and NaN for busy time; the next answer may be seconds old."""
    job = load("job")
    first = load("job")
    first["now"] = job["now"] - 20_000
    for one in first["vertices"]:
        one["metrics"] = {name: True if value is True else 0 for name, value in one["metrics"].items()}
        one["metrics"]["accumulated-busy-time"] = "NaN"
    found = find([first, job])
    assert [one.seconds for one in found.measured] == pytest.approx([9.883], abs=0.01)
