"""Reads JSON and YAML files, and checks them as the body of the same call over HTTP."""

import json
import sys
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from app.terminal.commands import Refused
from app.web.validation import list_validation_errors

B = TypeVar("B")


def read_body(body_type: type[B], inputs: dict[str, Any]) -> B:
    """The body of the same call over HTTP; `topology` and `load` are read from their files."""
    return check_body(
        body_type, inputs | {name: read_document(inputs[name]) for name in ("topology", "load")}
    )


def check_body(body_type: type[B], body: dict[str, Any]) -> B:
    """The body, checked against its type; Refused lists every part that is wrong."""
    try:
        return TypeAdapter(body_type).validate_python(body)
    except ValidationError as error:
        located = [
            one | {"loc": ("body", *one["loc"])} for one in error.errors()
        ]  # the location that FastAPI gives
        wrong = list_validation_errors(located, body, body_type, is_yaml=True)
        raise Refused("\n".join(f"{one['pointer']}: {one['detail']}" for one in wrong)) from error


def read_document(path: Path) -> Any:
    """The document in a JSON or YAML file; `-` is standard input."""
    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
        # JSON first: it is stricter about numbers, and quicker.
        return json.loads(text) if path.suffix == ".json" else yaml.load(text, Loader=_Loader)  # noqa: S506
    except (OSError, UnicodeError) as error:
        raise Refused(f"{path}: cannot be read: {error}") from error
    except (yaml.YAMLError, json.JSONDecodeError) as error:
        raise Refused(f"{path}: is neither JSON nor YAML: {error}") from error


class _Loader(yaml.SafeLoader):
    """A YAML loader that leaves times as text, as JSON does."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
