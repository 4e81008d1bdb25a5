"""app/engines/flink/reader.py: recorded documents of real jobs as topologies and loads."""

import copy

import pytest

from app.engines.answers import UnreadableAnswer
from app.planning.objectives.objective import EstimateRequest, compute_estimate
from tests.app.engines.flink.recorded import codes, later, load, read

STEADY = {
    "arrivals": (0.0, 40.0, 0.0),
    "parse": (40.0, 80.0, 0.4),
    "score": (80.0, 79.0, 0.5),
    "out": (79.0, 0.0, 0.02),
}


def test_two_documents_of_a_job_give_its_topology_and_one_load():
    first = load("job")
    reading = read([first, later(first, 20.0, **STEADY)])
    assert reading.topology is not None
    assert [one.name for one in reading.topology.operators] == ["parse", "score", "Sink: out"]
    assert {one.queueing for one in reading.topology.operators} == {"round-robin"}
    assert {one.max_parallelism for one in reading.topology.operators} == {128}
    assert [(one.source, one.target) for one in reading.topology.edges] == [
        ("parse", "score"),
        ("score", "Sink: out"),
    ]
    assert [one.selectivity for one in reading.topology.edges] == pytest.approx([2.0, 79.0 / 80.0])
    assert [(one.operator, one.share) for one in reading.topology.entries] == [("parse", 1.0)]
    (measured,) = reading.loads
    assert measured.window_seconds == pytest.approx(20.0)
    assert measured.external_rate == pytest.approx(40.0)
    parse, score = measured.operators["parse"], measured.operators["score"]
    assert parse.service_rate == pytest.approx(20.0)
    assert (parse.arrival_rate, parse.processors) == (40.0, 5)
    assert score.service_rate == pytest.approx(40.0)
    assert (score.served_rate, score.processors) == (80.0, 4)
    assert parse.service_scv is None


def test_the_order_of_the_documents_does_not_matter():
    first = load("job")
    second = later(first, 20.0, **STEADY)
    assert read([second, first]) == read([first, second])


def test_one_document_gives_averages_since_the_start():
    reading = read(load("job"))
    (measured,) = reading.loads
    # 5 subtasks of parse were busy for 20.397 s and idle for 29.053 s: 9.89 s each, and 394 records served.
    assert measured.operators["parse"].service_rate == pytest.approx(394 / 20.397)
    assert measured.operators["parse"].served_rate == pytest.approx(394 / 9.89)
    assert measured.external_rate == pytest.approx(40.0, rel=0.01)
    assert "averages-since-start" in codes(reading)


def test_the_marks_are_what_a_patch_needs():
    marks = read(load("overload-job")).marks
    assert marks["job"] == "8df13b155cc3789413aad9b2adf33ddb"
    assert marks["scheduler"] == "Adaptive"
    assert marks["vertices"] == {
        "parse": "a0bcbe636c3291fd3f45c25deb2b0823",
        "score": "857f407b0f317b9a9f938362a2c2d026",
        "Sink: out": "4d648856f35492026b8f75b0a6ec795e",
    }
    assert marks["parallelism"] == {
        "fc9a278080d8621edfb3a543f84d748f": 1,
        "a0bcbe636c3291fd3f45c25deb2b0823": 2,
        "857f407b0f317b9a9f938362a2c2d026": 2,
        "4d648856f35492026b8f75b0a6ec795e": 1,
    }
    assert marks["slots_used"] == 2


def test_a_job_whose_vertices_are_empty_at_first_is_read_once_they_run():
    first, second = load("job-first-second")
    with pytest.raises(UnreadableAnswer, match="CREATED"):
        read(first)
    reading = read([first, second])
    assert reading.topology is not None
    assert "job-not-running" in codes(reading)


def test_a_job_that_has_counted_nothing_makes_no_topology_of_assumptions():
    """In its first second a legacy source has a busy time of 0, as if it were an operator."""
    first, second = load("job-first-second")
    first["state"], first["plan"] = "RUNNING", second["plan"]
    first["start-time"], first["timestamps"] = second["start-time"], second["timestamps"]
    with pytest.raises(UnreadableAnswer, match="counted nothing yet"):
        read(first)
    for one in first["vertices"]:
        one["start-time"] = second["vertices"][0]["start-time"]
    reading = read([first, second])
    assert reading.topology is not None
    assert [one.name for one in reading.topology.operators] == ["parse", "score", "Sink: out"]


@pytest.mark.parametrize(
    "body", [[], {}, {"vertices": []}, load("config"), load("put-traps"), [load("overview")]]
)
def test_what_is_no_running_job_is_told_what_to_send(body: object):
    with pytest.raises(UnreadableAnswer, match=r"[Ss]end"):
        read(body)


def test_a_rescale_between_samples_is_no_load_and_the_next_interval_is():
    reading = read(load("fork-rescaled"))
    assert [one.processors for one in reading.loads[0].operators.values()] == [3, 2, 1, 2, 3]
    assert len(reading.loads) == 1
    assert "interval-discarded" in codes(reading)


def test_slots_that_a_job_uses_are_those_of_its_widest_vertex():
    """24 slots, 11 tasks run, and 19 slots are free: tasks share slots."""
    overview = load("overview")
    marks = read([load("job"), overview]).marks
    assert overview["slots-total"] - overview["slots-available"] == marks["slots_used"] == 5


def test_expected_time_of_a_job_from_two_documents_is_computed():
    """The reading is a body that an estimate takes as it is."""
    first = load("job")
    reading = read([first, later(first, 20.0, **STEADY)])
    assert reading.topology is not None
    request = EstimateRequest.model_validate(
        {
            "topology": reading.topology.model_dump(mode="json"),
            "load": reading.loads[0].model_dump(mode="json"),
        }
    )
    answer = compute_estimate(request.topology.to_values(), request.load.to_values(), request)
    assert answer.stable
    # Two services of 50 and 25 ms, the second for two records, and a sink of half a millisecond: 0.1 s of work.
    assert 0.1 < (answer.expected_sojourn_seconds or 0.0) < 0.2


def test_names_with_line_breaks_stay_on_one_line():
    job = load("overload-job")
    job["vertices"][1]["name"] = "pa\nrse"
    wider = copy.deepcopy(job)
    wider["now"] += 1000
    wider["vertices"][1]["parallelism"] = 3
    reading = read([job, wider])
    said = next(one for one in reading.diagnostics if one.code == "interval-discarded")
    assert "the parallelism of pa rse changed from 2 to 3" in said.detail
