"""Files that cannot be used: what is wrong, where it stands, and how YAML read it."""

from pathlib import Path

import pytest

from tests.app.test_cli import FILES, run, run_here


def refuse(content: str) -> str:
    """What `headgate plan` says on standard error about a topology that it cannot use."""
    ended = run_here("plan", "min-latency", "--topology", "-", *FILES[2:], "--k-max", "9", stdin=content)
    assert ended.exit_code == 2
    assert "Traceback" not in ended.stderr
    return ended.stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("operators: [{name: a, colour: red}]", "#/topology/operators/0/colour"),
        ("operators: [{name: a}]\nedges: [{source: a, target: b}]", "invalid-topology"),
        ("operators: [", "neither JSON nor YAML"),
        ("", "#/topology"),
        ("!!python/object/apply:os.system ['true']", "neither JSON nor YAML"),
    ],
)
def test_input_that_cannot_be_used_ends_with_2_and_says_where(content: str, said: str):
    assert said in refuse(content)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            "operators: [{name: no}]",
            "#/topology/operators/0/name: Must be a valid string; found false. YAML reads no, off and false",
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
    assert "#/load/operators/false: Must be a valid string; found false. YAML reads no" in ended.stderr
    assert "Did you mean 'service_rate'?" in ended.stderr


def test_a_missing_file_ends_with_2():
    ended = run("estimate", "--topology", "/no/such.yaml", *FILES[2:])
    assert ended.returncode == 2
    assert "/no/such.yaml" in ended.stderr
