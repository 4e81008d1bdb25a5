"""The planner's sentences are for people: they hold no field names and no codes; planner/wording.py writes numbers."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("decisions", "gates", "outcomes", "situations", "targets")
FILES = [
    ROOT / "planner/errors.py",
    *[path for room in ROOMS for path in sorted((ROOT / "planner" / room).rglob("*.py"))],
]
NO_WORDS = re.compile(r"[a-z]+_[a-z_]+|[a-z]+ = |/v1/")
"""A field's name, a field set to a value, an address."""


def find_docstrings(tree: ast.AST) -> set[int]:
    """The places of texts that are statements: docstrings of modules, classes, functions and fields."""
    return {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}


def list_sentences(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of each constant that is part of a sentence: it has a space beside a word."""
    docstrings = find_docstrings(tree)
    for one in ast.walk(tree):
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and id(one) not in docstrings:
            text = re.sub(r"\{[^}]*\}", "", one.value)
            if re.search(r"\w | \w", text):
                yield one.lineno, text


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_sentences_for_people_hold_no_field_names_and_no_codes(path: Path) -> None:
    found = [
        (line, text) for line, text in list_sentences(ast.parse(path.read_text())) if NO_WORDS.search(text)
    ]
    assert found == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_only_wording_writes_measured_numbers(path: Path) -> None:
    specs = [
        (one.lineno, ast.unparse(one))
        for one in ast.walk(ast.parse(path.read_text()))
        if isinstance(one, ast.FormattedValue) and one.format_spec and "g" in ast.unparse(one.format_spec)
    ]
    assert specs == []
