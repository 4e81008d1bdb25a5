"""app/engines/flink/samples.py: answers put together, and when counters of two samples cannot be subtracted."""

import copy
from collections.abc import Callable

import pytest

from app.engines.answers import UnreadableAnswer, list_answers
from app.engines.flink.samples import (
    JobSample,
    find_impossible_clock,
    find_moved_seconds,
    find_reset,
    has_moved,
    put_together,
)
from tests.app.engines.flink.recorded import JOB, PARSE, Json, load, remove_vertex, vertex


def take(body: Json) -> list[JobSample]:
    return list(put_together(list_answers(body)).samples)


def test_each_document_of_the_job_is_a_sample_with_what_was_asked_beside_it():
    samples = take(load("fork"))
    assert len(samples) == 3
    for sample in samples:
        assert sample.details.keys() == sample.job.vertices.keys()
        assert len(sample.metrics) == 1
        at_ms = sample.job.at_ms or 0.0
        assert all(abs((detail.at_ms or 0.0) - at_ms) < 2000.0 for detail in sample.details.values())
    counts = [
        sum(one.counters.records_in or 0.0 for one in s.details[list(s.details)[1]].subtasks) for s in samples
    ]
    assert counts == sorted(counts)


def test_a_plan_and_a_scheduler_that_were_asked_by_themselves_are_filled_in():
    job = load("job")
    plan = {"plan": job.pop("plan")}
    del job["schedulerType"]
    (sample,) = take([job, plan, load("jobs-overview")])
    assert len(sample.job.inputs) == 4
    assert sample.job.scheduler == "Adaptive"


def test_of_two_jobs_the_newest_is_read():
    asked = put_together(list_answers([load("overload-job"), load("job")]))
    assert [one.job.name for one in asked.samples] == ["network"]
    assert asked.samples[0].job.id == "8df13b155cc3789413aad9b2adf33ddb"
    assert (asked.other_jobs, asked.early) == (1, 0)


def test_a_job_that_died_is_read_again_once_it_runs():
    asked = put_together(list_answers(load("fork-died")))
    assert len(asked.samples) == 7
    assert (asked.other_jobs, asked.early > 0) == (0, True)
    with pytest.raises(UnreadableAnswer, match="RESTARTING"):
        take(load("fork-died")[:2])


@pytest.mark.parametrize("parallelism", [None, 0, -1, "NaN", 2**16])
def test_a_vertex_without_a_parallelism_is_not_left_out_of_the_topology(parallelism: Json):
    job = load("job")
    vertex(job, "parse")["parallelism"] = parallelism
    with pytest.raises(UnreadableAnswer, match=PARSE):
        take(job)


@pytest.mark.parametrize("part", ["vertices", "plan"])
def test_a_vertex_that_one_part_of_the_document_lacks_makes_no_other_vertex_a_source(part: str):
    job, whole = load("job"), load("job")
    listed = job["vertices"] if part == "vertices" else job["plan"]["nodes"]
    listed[:] = [one for one in listed if one["id"] != PARSE]
    with pytest.raises(UnreadableAnswer, match="whole document"):
        take(job)
    asked = put_together(list_answers([whole, job]))
    assert (len(asked.samples), asked.early) == (1, 1)


def test_the_cluster_is_joined_from_several_answers():
    cluster = put_together(list_answers([load("job"), load("overview"), load("jobmanager-config")])).cluster
    assert cluster.slots_total == 24
    assert cluster.options is not None


def change_start(job: Json) -> None:
    job["start-time"] += 1


def change_running(job: Json) -> None:
    job["timestamps"]["RUNNING"] += 1


def change_parallelism(job: Json) -> None:
    vertex(job, "parse")["parallelism"] = 6


def change_vertex_start(job: Json) -> None:
    vertex(job, "parse")["start-time"] += 1


def lower_a_counter(job: Json) -> None:
    vertex(job, "parse")["metrics"]["read-records"] = 0


def remove_a_vertex(job: Json) -> None:
    remove_vertex(job, 0)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (change_start, "the job was restarted"),
        (change_running, "the job was restarted"),
        (change_parallelism, "the parallelism of parse changed from 5 to 6"),
        (change_vertex_start, "parse was restarted"),
        (lower_a_counter, "a counter of parse went down"),
        (remove_a_vertex, "the vertices of the job changed"),
    ],
)
def test_counters_are_not_subtracted_across_a_start(change: Callable[[Json], None], reason: str):
    first = load("job")
    second = copy.deepcopy(first)
    second["now"] += 1000
    assert find_reset(*take([first, second])) is None
    change(second)
    assert find_reset(*take([first, second])) == reason


def test_a_new_attempt_of_a_subtask_is_a_start():
    job, detail = load("job"), load("vertex-parse")
    later_job, later_detail = copy.deepcopy(job), copy.deepcopy(detail)
    later_job["now"] += 20_000
    later_detail["now"] += 20_000
    later_detail["subtasks"][2]["attempt"] = 1
    assert find_reset(*take([job, detail, later_job, later_detail])) == "parse has a new attempt"


def test_metrics_from_before_a_rescale_are_recognised_by_their_clock():
    """A vertex cannot have counted 44 s where it has run for 30."""
    job = load("job")
    (sample,) = take(job)
    assert find_impossible_clock(sample) is None
    vertex(job, "parse")["start-time"] = job["now"] - 3_000
    (sample,) = take(job)
    assert find_impossible_clock(sample) == "parse"


def test_the_same_metrics_twice_have_not_moved():
    first = load("job")
    second = {**first, "now": first["now"] + 5000}
    assert not has_moved(*take([first, second]))
    assert find_moved_seconds(*take([first, second])) == 0.0


def test_metrics_asked_at_once_can_be_eight_seconds_apart():
    """Two documents asked 10 ms apart: the first held metrics that were fetched 8 s before."""
    earlier, later = take(load("fork-asked-at-once"))
    assert (later.job.at_ms or 0.0) - (earlier.job.at_ms or 0.0) < 1200.0
    assert find_moved_seconds(earlier, later) == pytest.approx(8.06, abs=0.01)


def test_metrics_of_another_job_are_left_out():
    body = load("vertex-parse-subtasks-metrics")
    path = "/jobs/0000/vertices/a0bcbe636c3291fd3f45c25deb2b0823/subtasks/metrics?get=numRecordsIn"
    (sample,) = take({"answers": [{"body": load("job")}, {"body": body, "path": path}]})
    assert sample.metrics == {}
    (sample,) = take({"answers": [{"body": load("job")}, {"body": body, "path": path.replace("0000", JOB)}]})
    assert len(sample.metrics) == 1
