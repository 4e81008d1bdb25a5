"""Writes an answer in the form that --output names: JSON, YAML, CSV or Markdown; people read tables."""

import csv
import json
import sys
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

from pydantic import BaseModel

Row = Mapping[str, Any]


def write_document(found: Any, output: str, rows: str | None = None) -> None:
    """Writes an answer to standard output. CSV and Markdown have one line for each item of the list `rows` in it.

    Without `rows` the answer is a list itself, or a single line.
    """
    sys.stdout.write(render_document(found, output, rows))


def write_model(answer: BaseModel, output: str, rows: str | None = None, *, by_alias: bool = False) -> None:
    """As write_document, for an answer of the service."""
    if output == "json":
        sys.stdout.write(answer.model_dump_json(indent=2, by_alias=by_alias) + "\n")
    else:
        write_document(answer.model_dump(mode="json", by_alias=by_alias), output, rows)


def render_document(found: Any, output: str, rows: str | None = None) -> str:
    """The text of an answer in a form; `table` is none of them, because it differs from command to command."""
    if output == "json":
        return json.dumps(found, indent=2) + "\n"
    if output == "yaml":
        import yaml  # noqa: PLC0415  # other forms do not need it

        return yaml.safe_dump(found, sort_keys=False, allow_unicode=True)
    listed = found if rows is None else found[rows]
    return render_rows(listed if isinstance(listed, list) else [listed], output)


def render_rows(rows: Sequence[Row], output: str) -> str:
    """The rows as CSV or as a Markdown table, with a column for each field; lists and objects are written as JSON."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[write_cell(row.get(name)) for name in names] for row in rows]
    if output == "csv":
        text = StringIO()
        csv.writer(text, lineterminator="\n").writerows([names, *cells])
        return text.getvalue()
    lines = [names, ["---"] * len(names), *([one.replace("|", "\\|") for one in row] for row in cells)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def write_cell(value: Any) -> str:
    """A value as the text of a cell: nothing for null, and JSON for what is no text."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
