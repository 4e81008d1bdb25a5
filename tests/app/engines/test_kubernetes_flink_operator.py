"""The overrides of a FlinkDeployment: every vertex by its id, and said where none is known."""

import json
import shlex
from typing import Any

from app.engines.kubernetes import OVERRIDES, make_flink_operator_patch

COUNTS = {"parse": 2, "it's": 5}
IDS = {"parse": "a0bcbe636c3291fd3f45c25deb2b0823", "it's": "857f407b0f317b9a9f938362a2c2d026"}


def test_all_vertices_are_overridden_by_their_ids():
    patch = make_flink_operator_patch(COUNTS, {"vertices": dict(IDS)})
    overrides = ",".join(f"{IDS[name]}:{count}" for name, count in COUNTS.items())
    assert patch.body == {"spec": {"flinkConfiguration": {OVERRIDES: overrides}}}
    assert patch.placeholders == ("<namespace>", "<FlinkDeployment>")
    assert patch.command is not None
    assert json.loads(shlex.split(patch.command)[-1]) == patch.body
    assert "never read" not in patch.notes[0]


def test_a_vertex_that_is_no_operator_keeps_its_parallelism():
    other = "fc9a278080d8621edfb3a543f84d748f"
    patch = make_flink_operator_patch(
        COUNTS, {"vertices": dict(IDS), "parallelism": {other: 1, IDS["parse"]: 9}}
    )
    document: Any = patch.body
    overrides = document["spec"]["flinkConfiguration"][OVERRIDES]
    assert set(overrides.split(",")) == {f"{other}:1", *(f"{IDS[name]}:{COUNTS[name]}" for name in COUNTS)}


def test_a_vertex_that_was_never_read_is_a_placeholder():
    for marks in ({}, {"vertices": {"parse": IDS["parse"], "it's": ""}}):
        patch = make_flink_operator_patch(COUNTS, marks)  # type: ignore[arg-type]  # marks of any shape are stored
        assert "<vertex id of it's>" in patch.placeholders
        assert "no answer of Flink" in patch.notes[0]
        assert patch.command is not None
        assert json.loads(shlex.split(patch.command)[-1]) == patch.body
