"""Files that cannot be used: what is wrong, where it stands, and how YAML read it."""

import json
from pathlib import Path

import pytest

from app.terminal.files import join_keys, locate
from tests.app.test_cli import FILES, run, run_here

BOMB = "a0: &a0 [1]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
"""Twelve lines that stand for nine to the eleventh values."""


def refuse(content: str) -> str:
    """What `headgate plan` says on standard error about a topology that it cannot use."""
    ended = run_here("plan", "min-latency", "--topology", "-", *FILES[2:], "--k-max", "9", stdin=content)
    assert ended.exit_code == 2
    assert "Traceback" not in ended.stderr
    return ended.stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            "operators: [{name: a, colour: red}]",
            "standard input, line 1: operators[0].colour: This field is not",
        ),
        (
            "operators: [{name: a}]\nedges:\n- {source: a,\n   target: b}",
            "standard input, line 4: edges[0].target: invalid-topology: ",
        ),
        ("operators: [", "line 1, column 13: is neither JSON nor YAML"),
        ("", "standard input: is empty"),
        ("!!python/object/apply:os.system ['true']", "neither JSON nor YAML"),
        ("operators: !!timestamp 2001-99-99", "has a value that cannot be read: month must be in 1..12"),
        ("operators: \x00", "has a value that cannot be read: unacceptable character"),
        ("a: 1\n---\nb: 2", "line 2, column 1: is neither JSON nor YAML: but found another document"),
        (
            "operators: [{name: a}]\nedges: []\noperators: [{name: b}]",
            "line 3: the key 'operators' stands twice",
        ),
        ('{"operators": [{"name": "a"}],\n\t"operators":\n []}', "line 2: the key 'operators' stands twice"),
        (
            "operators: [{name: a, yes: 1, on: 2}]",
            "line 1: the key 'on' stands twice in one object, first in line 1",
        ),
        ("- " * 250 + "1", "is nested too deeply"),
        ("[" * 5000, "is nested too deeply"),
        ("{a: " * 120 + "1" + "}" * 120, "is nested too deeply"),
        ('{"a": ' * 100_000, "is nested too deeply"),
        ("a: &a [*a]", "is nested too deeply"),
        (BOMB, "aliases repeat it into more than 5,000,000 values"),
    ],
)
def test_input_that_cannot_be_used_ends_with_2_and_says_where(content: str, said: str):
    assert said in refuse(content)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            "operators: [{name: no}]",
            "operators[0].name: Must be a valid string; found false. YAML reads no, off and false",
        ),
        (
            "operators: [{name: a}]\nedges: [{source: a, target: a, selectivity: 1e-3}]",
            "write 0.001 or 1.0e-3",
        ),
        ("operators: [{name: a, max_processors: 1e3}]", "write 1000."),
        ("operators: [{name: 1_0}]", "found the number 10. YAML reads this as a number: quote the text"),
        ("operators: [{name: }]", "found null. YAML reads null, ~ and an empty place as null"),
        ("operators: [{name: a, max_procesors: 3}]", "Did you mean 'max_processors'?"),
        ("operators: [{name: score}]\nedges: [{source: scroe, target: score}]", "Did you mean 'score'?"),
    ],
)
def test_what_yaml_read_otherwise_than_it_was_meant_is_shown_with_the_reason(content: str, said: str):
    assert said in refuse(content)


def test_a_key_that_yaml_read_as_false_is_found_under_its_name(tmp_path: Path):
    load = tmp_path / "load.yaml"
    load.write_text("external_rate: 1.0\noperators: {no: {service_rate: 4.0, servce_rate: 1.0}}")
    ended = run_here("estimate", *FILES[:2], "--load", str(load))
    assert ended.exit_code == 2
    assert (
        f"{load}, line 2: operators.false: Must be a valid string; found false. YAML reads no" in ended.stderr
    )
    assert "Did you mean 'service_rate'?" in ended.stderr


def test_a_missing_file_ends_with_2():
    ended = run("estimate", "--topology", "/no/such.yaml", *FILES[2:])
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "headgate: /no/such.yaml: cannot be read: No such file or directory\n"


def test_a_part_that_is_wrong_is_named_by_its_file_and_line(tmp_path: Path):
    load = tmp_path / "load.yaml"
    load.write_text("external_rate: 5\noperators:\n  a/b:\n    service_rate: fast\n  c: []\n")
    (tmp_path / "t.json").write_text('{"operators": [\n\t{"name": "a/b"},\n\t{"name": "c", "max": 2}]}')
    ended = run_here(
        "estimate", "--topology", str(tmp_path / "t.json"), "--load", str(load), "--model", "mm1"
    )
    assert ended.exit_code == 2
    places = [line.partition(": Must")[0].partition(": This")[0] for line in ended.stderr.splitlines()]
    assert places == [
        f"headgate: {tmp_path / 't.json'}, line 3: operators[1].max",
        f"{load}, line 4: operators.a/b.service_rate",
        f"{load}, line 5: operators.c",
        "--model",
    ]


def test_a_planner_error_points_into_the_file(tmp_path: Path):
    load = tmp_path / "load.yaml"
    load.write_text(
        "external_rate: 5\noperators:\n  generator: {service_rate: 9}\n  dtector: {service_rate: 9}\n"
    )
    ended = run_here("estimate", *FILES[:2], "--load", str(load))
    assert ended.exit_code == 2
    assert f"{load}, line 4: operators.dtector: invalid-load: " in ended.stderr


def test_yaml_may_say_a_thing_once_and_use_it_twice(tmp_path: Path):
    """Anchors, aliases and merged keys are no double keys, where a key of one's own replaces a merged one."""
    load = tmp_path / "load.yaml"
    load.write_text(
        "external_rate: 1\noperators:\n  generator: &usual {service_rate: 4, processors: 3}\n"
        "  detector: *usual\n  reporter: {<<: *usual, processors: 2}\n"
    )
    ended = run_here("estimate", *FILES[:2], "--load", str(load), "--output", "json")
    assert ended.exit_code == 0, ended.stderr
    assert [one["processors"] for one in json.loads(ended.stdout)["operators"]] == [3, 3, 2]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x89PNG\r\n\xff\xfe", "it is not text in UTF-8 (see byte 0)"),
        (b'{"operators": [}', "line 1, column 16: is not JSON: Expecting value"),
        (b'{"operators": ' + b"1" * 5000 + b"}", "has a value that cannot be read"),
        (b"\xef\xbb\xbf[]", "Must be"),
        (None, "cannot be read: Is a directory"),
    ],
)
def test_what_is_no_json_is_refused_with_its_name(tmp_path: Path, content: bytes | None, said: str):
    path = tmp_path / "t.json"
    path.mkdir() if content is None else path.write_bytes(content)
    ended = run_here("estimate", "--topology", str(path), *FILES[2:])
    assert ended.exit_code == 2
    assert ended.stderr.startswith(f"headgate: {path}")
    assert said in ended.stderr


def test_keys_and_indexes_are_written_as_a_way():
    assert join_keys(["operators", "0", "name"]) == "operators[0].name"
    assert locate({"k_max": 3}, "#/k_max", "is wrong") == "--k-max: is wrong"
    assert locate({}, "#/processors/a~1b", "is wrong") == "--processors a/b: is wrong"
    assert locate({}, "#/target/quantile", "is wrong") == "--target-quantile: is wrong"
    assert locate({}, "#", "is wrong") == "is wrong"
