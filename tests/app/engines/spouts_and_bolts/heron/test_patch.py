"""app/engines/spouts_and_bolts/heron/patch.py: heron update."""

from pydantic import JsonValue

from app.engines.spouts_and_bolts.heron.patch import make_patch

MARKS: dict[str, JsonValue] = {
    "cluster": "local",
    "role": "ads",
    "environ": "default",
    "topology": "words",
    "instances": {"split": 1, "count": 2},
}


def test_the_change_is_a_command_and_no_request():
    patch = make_patch({"split": 2, "count": 2}, MARKS)
    assert (patch.format, patch.method, patch.path, patch.body) == ("heron", None, None, None)
    assert patch.command == "heron update local/ads/default words --component-parallelism=split:2"
    assert patch.placeholders == ()
    assert any("not tested on a running Heron" in note for note in patch.notes)


def test_names_that_heron_update_refuses_are_left_out():
    patch = make_patch({"a b": 2, "split": 3}, MARKS)
    assert patch.command == "heron update local/ads/default words --component-parallelism=split:3"
    assert any("a b cannot be changed" in note for note in patch.notes)


def test_nothing_changes_nothing():
    patch = make_patch({"split": 1}, MARKS)
    assert (patch.command, patch.notes) == (
        None,
        ("The number of instances stays the same: there is nothing to run.",),
    )


def test_what_was_never_read_is_a_placeholder():
    patch = make_patch({"split": 2}, {})
    assert (
        patch.command == "heron update <cluster>/<role>/<environ> <topology> --component-parallelism=split:2"
    )
    assert patch.placeholders == ("<cluster>", "<role>", "<environ>", "<topology>")
