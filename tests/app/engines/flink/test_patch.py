"""app/engines/flink/patch.py: what Flink's resource-requirements take, as recorded."""

from app.engines.flink.patch import make_patch
from tests.app.engines.flink.recorded import load, read, vertex


def test_the_patch_is_what_flink_accepted():
    marks = read(load("job")).marks
    patch = make_patch({"parse": 40, "score": 3, "Sink: out": 1}, marks)
    accepted = next(case for case in load("put-traps") if case["case"].startswith("more than slots"))
    assert accepted["status"] == 200
    assert patch.method == "PUT"
    assert patch.path == "/jobs/137fb1cad48a7720f2976c548dfbb1bd/resource-requirements"
    assert patch.body == accepted["body"]
    assert not patch.placeholders


def test_every_vertex_is_in_the_patch_for_flink_refuses_a_part():
    refused = next(case for case in load("put-traps") if case["case"] == "only one vertex")
    assert refused["status"] == 400
    patch = make_patch({"parse": 6}, read(load("job")).marks)
    assert isinstance(patch.body, dict)
    assert patch.body == {
        vertex: {"parallelism": {"lowerBound": 1, "upperBound": 6 if wanted == 5 else wanted}}
        for vertex, wanted in (
            (vertex, one["parallelism"]["upperBound"])
            for vertex, one in load("resource-requirements").items()
        )
    }
    assert any("Sink: out, score keep" in note for note in patch.notes)


def test_without_the_adaptive_scheduler_there_is_nothing_to_send():
    job = load("job")
    job["schedulerType"] = load("default-scheduler-jobs-overview")["jobs"][0]["schedulerType"]
    refused = [status for _, _, _, status, _ in load("default-scheduler-requirements")]
    assert refused == [500, 500]
    patch = make_patch({"parse": 6}, read(job).marks)
    assert (patch.method, patch.body) == (None, None)
    assert "Default scheduler" in patch.notes[0]


def test_in_reactive_mode_there_is_nothing_to_send():
    """Flink: "Cannot change the parallelism of a job running in reactive mode." """
    options = [*load("jobmanager-config"), {"key": "scheduler-mode", "value": "reactive"}]
    marks = read([load("job"), options]).marks
    assert marks["scheduler"] == "Reactive"
    patch = make_patch({"parse": 6}, marks)
    assert (patch.method, patch.body) == (None, None)
    assert "reactive mode" in patch.notes[0]


def test_the_scheduler_of_an_older_flink_is_that_of_the_options():
    """Flink before 2.0 has no schedulerType in the documents of a job."""
    job = load("job")
    del job["schedulerType"]
    assert read(job).marks["scheduler"] == ""
    assert read([job, load("jobmanager-config")]).marks["scheduler"] == "Adaptive"
    plain = [{"key": "rest.port", "value": "8081"}]
    assert read([job, plain]).marks["scheduler"] == "Default"
    assert read([load("job"), plain]).marks["scheduler"] == "Adaptive"


def test_each_slot_sharing_group_has_slots_of_its_own():
    job = load("job")
    vertex(job, "score")["slotSharingGroupId"] = "b07065aa"
    marks = read([job, load("overview")]).marks
    assert marks["slots_used"] == 5 + 4
    # 9 are taken and 19 free: 20 + 8 fit.
    assert "needs" not in make_patch({"parse": 20, "score": 8}, marks).notes[0]
    assert "needs 29 slots" in make_patch({"parse": 20, "score": 9}, marks).notes[0]


def test_more_than_the_slots_is_said_for_flink_answers_as_if_all_were_well():
    marks = {**read([load("job"), load("overview")]).marks}
    assert (marks["slots_total"], marks["slots_available"], marks["slots_used"]) == (24, 19, 5)
    assert "needs 40 slots" in make_patch({"parse": 40}, marks).notes[0]
    assert "needs" not in make_patch({"parse": 24}, marks).notes[0]


def test_what_was_never_read_is_a_placeholder():
    patch = make_patch({"parse": 2}, {})
    assert patch.path == "/jobs/<job id>/resource-requirements"
    assert patch.placeholders == ("<vertex id of parse>", "<job id>")
    assert any("scheduler is not known" in note for note in patch.notes)


def test_nothing_is_scaled_to_0():
    assert "upper zero" in {case["case"] for case in load("put-traps") if case["status"] == 400}
    patch = make_patch({"parse": 0}, read(load("job")).marks)
    assert isinstance(patch.body, dict)
    assert patch.body["a0bcbe636c3291fd3f45c25deb2b0823"] == {
        "parallelism": {"lowerBound": 1, "upperBound": 1}
    }
