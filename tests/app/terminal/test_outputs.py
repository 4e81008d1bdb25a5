"""The forms of an answer: each is read back by a reader of its own."""

import csv
import json
from io import StringIO

import pytest
import yaml

from app.terminal.outputs import render_document
from tests.app.test_cli import FILES, run_here

ROWS = [
    {"name": "parse|1", "processors": 4, "wait": None, "edges": ["a", "b"]},
    {"name": 'score, "é"', "processors": 8, "wait": 0.25},
]


def test_json_and_yaml_keep_everything():
    assert json.loads(render_document({"rows": ROWS}, "json", "rows")) == {"rows": ROWS}
    assert yaml.safe_load(render_document({"rows": ROWS}, "yaml", "rows")) == {"rows": ROWS}


def test_csv_has_a_line_for_each_row_and_a_column_for_each_field():
    read = list(csv.DictReader(StringIO(render_document({"rows": ROWS}, "csv", "rows"))))
    assert read == [
        {"name": "parse|1", "processors": "4", "wait": "", "edges": '["a", "b"]'},
        {"name": 'score, "é"', "processors": "8", "wait": "0.25", "edges": ""},
    ]


def test_markdown_is_a_table():
    assert render_document(ROWS, "markdown").splitlines() == [
        "| name | processors | wait | edges |",
        "| --- | --- | --- | --- |",
        '| parse\\|1 | 4 |  | ["a", "b"] |',
        '| score, "é" | 8 | 0.25 |  |',
    ]


def test_a_single_document_is_a_single_line_and_no_rows_are_an_empty_table():
    assert render_document({"stored": 1, "replaced": 0}, "csv") == "stored,replaced\n1,0\n"
    assert render_document([], "csv").strip() == ""


@pytest.mark.parametrize("command", [["plan", "min-latency", "--k-max", "22"], ["estimate"], ["gate"]])
def test_commands_write_the_same_answer_in_every_form(command: list[str]):
    answers = {
        form: run_here(*command, *FILES, "--output", form) for form in ("json", "yaml", "csv", "markdown")
    }
    assert {one.exit_code for one in answers.values()} == {0}
    whole = json.loads(answers["json"].stdout)
    assert yaml.safe_load(answers["yaml"].stdout) == whole
    listed = whole["checks" if command == ["gate"] else "operators"]
    read = list(csv.DictReader(StringIO(answers["csv"].stdout)))
    assert [one["name"] for one in read] == [one["name"] for one in listed]
    assert len(answers["markdown"].stdout.splitlines()) == 2 + len(listed)
