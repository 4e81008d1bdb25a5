"""app/engines/flink/documents.py: which answer is which, and what each says."""

from datetime import UTC, datetime

import pytest

from app.engines.answers import EngineAnswer
from app.engines.flink import documents
from tests.app.engines.flink.recorded import JOB, PARSE, Json, answer, load, vertex

METRICS = f"/jobs/{JOB}/vertices/{PARSE}/subtasks/metrics?get=numRecordsIn"


def test_a_job_by_its_shape():
    job = documents.read_document(answer("job"))
    assert isinstance(job, documents.JobState)
    assert (job.id, job.name, job.state, job.scheduler) == (JOB, "network", "RUNNING", "Adaptive")
    assert (job.started_ms, job.running_ms, job.at_ms) == (1795041208700, 1795041209812, 1795041254793)
    parse = job.vertices[PARSE]
    assert (parse.name, parse.parallelism, parse.max_parallelism) == ("parse", 5, 128)
    assert job.inputs[PARSE] == (documents.VertexInput("fc9a278080d8621edfb3a543f84d748f", "REBALANCE"),)


def test_the_maximum_of_the_job_is_minus_1_and_that_of_a_vertex_is_read():
    assert load("job")["maxParallelism"] == -1
    job = documents.read_document(answer("job"))
    assert isinstance(job, documents.JobState)
    assert {one.max_parallelism for one in job.vertices.values()} == {128}


def test_a_plan_with_several_strategies():
    inputs = documents.read_inputs(load("job27-apart")["plan"])
    assert [[one.ship_strategy for one in its] for its in inputs.values()] == [[], ["REBALANCE"], ["FORWARD"]]


def test_a_vertex_subtask_by_subtask_without_the_sums_that_say_minus_1_for_nan():
    """`aggregated` of the legacy source says accumulated-busy-time -1."""
    assert load("vertex-arrivals")["aggregated"]["metrics"]["accumulated-busy-time"]["sum"] == -1
    detail = documents.read_document(answer("vertex-arrivals"))
    assert isinstance(detail, documents.VertexDetail)
    assert [one.counters.busy_ms for one in detail.subtasks] == [None]
    parse = documents.read_document(answer("vertex-parse"))
    assert isinstance(parse, documents.VertexDetail)
    assert [one.counters.records_in for one in parse.subtasks] == [353, 354, 354, 354, 354]
    assert {one.attempt for one in parse.subtasks} == {0}


def test_metrics_are_of_the_vertex_in_their_path():
    metrics = documents.read_document(answer("vertex-parse-subtasks-metrics", METRICS))
    assert isinstance(metrics, documents.MetricSums)
    assert (metrics.job, metrics.vertex) == (JOB, PARSE)
    assert metrics.values["numRecordsIn"] == 1769.0
    assert documents.read_document(answer("vertex-parse-subtasks-metrics")) is None


def test_metrics_by_subtask_are_added_up():
    path = f"/jobs/{JOB}/vertices/{PARSE}/metrics?get=0.numRecordsIn,1.numRecordsIn"
    metrics = documents.read_document(answer("vertex-parse-metrics-values", path))
    assert isinstance(metrics, documents.MetricSums)
    assert metrics.values["numRecordsIn"] == 1769.0


def test_unknown_names_are_answered_with_nothing_and_stay_unknown():
    """AskedJob for one metric that is not there, Flink answers [] for all."""
    assert load("vertex-parse-hg") == []
    metrics = documents.read_document(answer("vertex-parse-hg", METRICS))
    assert isinstance(metrics, documents.MetricSums)
    assert metrics.values == {}


def test_a_metric_that_is_nan_for_a_part_is_unknown():
    body: Json = [
        {"id": "0.accumulateBusyTimeMs", "value": "NaN"},
        {"id": "1.accumulateBusyTimeMs", "value": "5"},
    ]
    metrics = documents.read_document(EngineAnswer(body, f"/jobs/{JOB}/vertices/{PARSE}/metrics?get=x"))
    assert isinstance(metrics, documents.MetricSums)
    assert metrics.values == {}


def test_slots_and_options_of_the_cluster():
    assert documents.read_document(answer("overview")) == documents.FlinkCluster(24, 19)
    options = documents.read_document(answer("jobmanager-config"))
    assert isinstance(options, documents.FlinkCluster)
    assert options.options is not None
    assert options.options["jobmanager.scheduler"] == "adaptive"


@pytest.mark.parametrize("name", ["config", "put-traps", "resource-requirements", "vertex-parse-hg"])
def test_an_answer_without_use_is_none(name: str):
    assert documents.read_document(answer(name)) is None


def test_what_has_not_happened_has_no_time():
    assert documents.read_time(-1) is None
    assert documents.read_time(0) is None
    assert documents.read_time(1e300) is None
    assert documents.read_time(1795041254793) == 1795041254793
    moment = datetime(2026, 11, 18, tzinfo=UTC)
    assert documents.to_milliseconds(None) is None
    assert documents.to_time(documents.to_milliseconds(moment) or 0.0) == moment


def test_without_a_clock_of_the_engine_the_time_of_the_answer_counts():
    body = load("job")
    del body["now"]
    moment = datetime(2026, 11, 18, tzinfo=UTC)
    job = documents.read_document(EngineAnswer(body, at=moment))
    assert isinstance(job, documents.JobState)
    assert job.at_ms == documents.to_milliseconds(moment)


def test_a_vertex_with_more_subtasks_than_flink_can_run_is_left_out():
    body = load("job")
    vertex(body, "parse")["parallelism"] = 2**15 + 1
    vertex(body, "score")["maxParallelism"] = 2**15 + 1
    job = documents.read_document(EngineAnswer(body))
    assert isinstance(job, documents.JobState)
    assert PARSE not in job.vertices
    assert [one.max_parallelism for one in job.vertices.values()] == [128, None, 128]


def test_a_sender_with_two_exchanges_is_one_input():
    """A stream joined with itself."""
    node: Json = {
        "id": "b",
        "inputs": [{"id": "a", "ship_strategy": "HASH"}, {"id": "a", "ship_strategy": "BROADCAST"}],
    }
    assert documents.read_inputs({"nodes": [node]}) == {"b": (documents.VertexInput("a", "HASH"),)}
