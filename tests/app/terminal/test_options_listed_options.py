"""Counts by operator from options and files, and levels of quantiles."""

from pathlib import Path

import pytest

from app.terminal.commands import Refused
from app.terminal.options import read_counts, read_levels


@pytest.mark.parametrize(
    ("given", "counts"),
    [
        (None, None),
        ([], None),
        (["a=3,b=4"], {"a": 3, "b": 4}),
        (["a=3", "b = 4"], {"a": 3, "b": 4}),
        (["a=3", "a=5"], {"a": 5}),
        (["a,b=3"], {"a,b": 3}),
        (["a=b=3"], {"a=b": 3}),
    ],
)
def test_pairs_are_read(given: list[str] | None, counts: dict[str, int] | None):
    assert read_counts("--processors", given) == counts


def test_a_file_has_pairs_too(tmp_path: Path):
    file = tmp_path / "counts.yaml"
    file.write_text("a: 3\nb: 4\n")
    assert read_counts("--processors", [str(file), "b=5"]) == {"a": 3, "b": 5}


@pytest.mark.parametrize("given", ["a", "a=", "=3", "a=x", "a=-1", "a=1.5"])
def test_what_is_neither_is_refused(given: str):
    with pytest.raises(Refused, match=f"--capacities {given}: write operator=count"):
        read_counts("--capacities", [given])


def test_an_operator_that_is_counted_twice_at_once_is_refused():
    with pytest.raises(Refused, match="--processors a=3,a=4: an operator stands twice"):
        read_counts("--processors", ["a=3,a=4"])


def test_a_file_without_pairs_is_refused(tmp_path: Path):
    file = tmp_path / "list.yaml"
    file.write_text("- a\n")
    with pytest.raises(Refused, match="name a file of such pairs"):
        read_counts("--processors", [str(file)])


def test_levels_are_numbers_with_commas_between():
    assert read_levels(None) is None
    assert read_levels("0.5, 0.99") == [0.5, 0.99]
    for wrong in ("half", "0.5;0.9", ""):
        with pytest.raises(Refused, match="write numbers with commas between"):
            read_levels(wrong)
