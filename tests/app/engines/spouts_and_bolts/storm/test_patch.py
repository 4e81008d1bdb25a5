"""app/engines/spouts_and_bolts/storm/patch.py: the rebalance of a topology."""

import pytest
from pydantic import JsonValue

from app.engines.spouts_and_bolts.storm.patch import make_patch

MARKS: dict[str, JsonValue] = {
    "topology_id": "words-1-1446571009",
    "topology_name": "words",
    "storm_version": None,
    "executors": {"parse": 2, "score": 2},
    "tasks": {"parse": 8, "score": 4},
}


def test_a_rebalance_is_a_request_and_a_command():
    patch = make_patch({"parse": 3, "score": 2}, MARKS)
    assert (patch.format, patch.method, patch.path) == (
        "storm",
        "POST",
        "/api/v1/topology/words-1-1446571009/rebalance/30",
    )
    assert patch.body == {"rebalanceOptions": {"executors": {"parse": 3}}}
    assert patch.command == "storm rebalance words -w 30 -e parse=3"
    assert (len(patch.notes), patch.placeholders) == (2, ())


def test_tasks_bound_the_executors_and_a_note_says_so():
    patch = make_patch({"score": 9, "parse": 3}, MARKS)
    assert patch.body == {"rebalanceOptions": {"executors": {"score": 4, "parse": 3}}}
    assert any("score has 4 tasks, so it gets 4 executors, not 9" in note for note in patch.notes)
    unknown = make_patch({"score": 9}, MARKS | {"tasks": {"score": None}})
    assert unknown.body == {"rebalanceOptions": {"executors": {"score": 9}}}
    assert any("tasks of score are unknown" in note for note in unknown.notes)


@pytest.mark.parametrize(
    ("version", "method"),
    [("1.2.4", "POST"), ("0.10.2", "POST"), (None, "POST"), ("2.0.0", None), ("2.8.8", None)],
)
def test_the_ui_of_storm_2_would_ignore_the_executors_and_gets_no_request(
    version: str | None, method: str | None
):
    patch = make_patch({"parse": 3}, MARKS | {"storm_version": version})
    assert (patch.method, patch.body is None) == (method, method is None)
    assert patch.command == "storm rebalance words -w 30 -e parse=3"
    assert any("leave all executors as they are" in note for note in patch.notes)


def test_nothing_changes_nothing():
    patch = make_patch({"parse": 2, "score": 2}, MARKS)
    assert (patch.method, patch.command, patch.body) == (None, None, None)
    assert "The number of executors stays the same: there is nothing to send." in patch.notes


def test_names_that_were_never_read_are_placeholders():
    patch = make_patch({"a b": 2}, {})
    assert patch.path == "/api/v1/topology/<topology id>/rebalance/30"
    assert patch.command == "storm rebalance <topology name> -w 30 -e 'a b=2'"
    assert patch.placeholders == ("<topology id>", "<topology name>")
