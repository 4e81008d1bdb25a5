"""Reads JSON and YAML files as strictly as HTTP bodies, and names the line of a file where a part is wrong."""

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from app.terminal.commands import Refused
from app.web.problems.validation import list_validation_errors

B = TypeVar("B")

MOST_LEVELS = 100
MOST_PARTS = 5_000_000
"""A few lines of YAML can repeat themselves into more values than any memory holds."""
MERGE_TAG = "tag:yaml.org,2002:merge"
TIME_TAG = "tag:yaml.org,2002:timestamp"
FLAGS = {
    "t_max_seconds": "--t-max",
    "target.seconds": "--t-max",
    "target.quantile": "--target-quantile",
    "target.of": "--target-of",
    "external_rate": "--rate",
    "rate_factor": "--rate",
    "max_snapshot_age_seconds": "--max-age",
    "mst_samples": "--mst",
}
"""The option of a field of the body, for options that are not called as their field."""
FIELDS = re.compile(rf"\b({'|'.join(name for name in FLAGS if '.' not in name)})\b")


class Document(NamedTuple):
    """The value of a file, with the file's name and text, which show in which line each part stands."""

    name: str
    text: str
    value: Any

    def locate(self, parts: Sequence[str]) -> str:
        """Returns the place of a part of the value, such as `load.yaml, line 4: operators.score.service_rate`."""
        line = _find_line(self.text, parts) if parts else None
        place = self.name if line is None else f"{self.name}, line {line}"
        return f"{place}: {join_keys(parts)}" if parts else place


Inputs = Mapping[str, Any] | Document
"""The fields of a body by their names, where a document stands for its value; or the document of a whole body."""


def join_keys(parts: Sequence[str]) -> str:
    """Joins the keys and indexes that lead to a part of a value, as in `operators[0].name`."""
    return "".join(f"[{part}]" if part.isdecimal() else f".{part}" for part in parts).removeprefix(".")


def open_documents(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Opens the inputs of a command: each path becomes its file's document, and inputs that are None are left out."""
    given = {name: one for name, one in inputs.items() if one is not None}
    return {name: open_document(one) if isinstance(one, Path) else one for name, one in given.items()}


def check_body(body_type: type[B], inputs: Mapping[str, Any]) -> B:
    """Makes the request from documents and options; raises Refused with every wrong part and its place."""
    body = write_body(inputs)
    try:
        return TypeAdapter(body_type).validate_python(body)
    except ValidationError as error:
        located = [
            one | {"loc": ("body", *one["loc"])} for one in error.errors()
        ]  # the location that FastAPI gives
        wrong = list_validation_errors(located, body, body_type, is_yaml=True)
        lines = [locate(inputs, one["pointer"], one["detail"]) for one in wrong]
        raise Refused("\n".join(dict.fromkeys(lines))) from error  # unions repeat an error


def write_body(inputs: Inputs) -> Any:
    """Returns the values of documents and options, or of the only document, as the body of a call over HTTP."""
    if isinstance(inputs, Document):
        return inputs.value
    return {name: one.value if isinstance(one, Document) else one for name, one in inputs.items()}


def locate(inputs: Inputs, pointer: str, detail: str) -> str:
    """Puts the place before a detail: a line of a file or an option of the command, for a pointer into the body."""
    way = [part.replace("~1", "/").replace("~0", "~") for part in pointer.removeprefix("#").split("/")[1:]]
    if isinstance(inputs, Document):
        return f"{inputs.locate(way)}: {detail}"
    field, *parts = way or [""]
    if not field:
        return FIELDS.sub(lambda found: FLAGS[found[0]], detail)
    if isinstance(document := inputs.get(field), Document):
        return f"{document.locate(parts)}: {detail}"
    both = ".".join([field, *parts])
    flag = FLAGS.get(both) or FLAGS.get(field, "--" + field.replace("_", "-"))
    is_whole = both in FLAGS or (
        len(parts) == 1 and parts[0].isdecimal()
    )  # the detail shows the wrong number
    return f"{flag}: {detail}" if is_whole else f"{flag} {join_keys(parts)}".strip() + f": {detail}"


def read_document(path: Path) -> Any:
    """Returns the value of a JSON or YAML file; the path `-` is standard input."""
    return open_document(path).value


def open_document(path: Path) -> Document:
    """Returns the document of a JSON or YAML file; the path `-` is standard input."""
    name, text = "standard input" if str(path) == "-" else str(path), read_text(path)
    try:
        value = _read_value(name, text, path.suffix)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = "" if mark is None else f", line {mark.line + 1}, column {mark.column + 1}"
        raise Refused(f"{name}{line}: is neither JSON nor YAML: {error.problem or error.context}") from error
    except json.JSONDecodeError as error:
        raise Refused(
            f"{name}, line {error.lineno}, column {error.colno}: is not JSON: {error.msg}"
        ) from error
    except RecursionError as error:
        raise _too_deep(name) from error
    except (yaml.YAMLError, ValueError) as error:
        [why, *_] = str(error).splitlines() or [""]
        raise Refused(f"{name}: has a value that cannot be read: {why}") from error
    if value is None:
        raise Refused(f"{name}: is empty")
    return Document(name, text, value)


def read_text(path: Path) -> str:
    """Returns the text of a file; the path `-` is standard input."""
    try:
        read = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
        return read.decode("utf-8-sig")
    except OSError as error:
        raise Refused(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Refused(f"{path}: cannot be read: it is not text in UTF-8 (see byte {error.start})") from error


def _read_value(name: str, text: str, suffix: str) -> Any:
    """Returns the value of a text. JSON is tried first, which is stricter about numbers than YAML and read faster."""
    if suffix == ".json" or text.lstrip()[:1] in {"{", "["}:
        try:
            return json.loads(text, object_pairs_hook=_read_pairs)
        except _Doubled as doubled:
            _refuse_doubles(name, text)
            raise Refused(
                f"{name}: the key {str(doubled)!r} stands twice in one object: keep one"
            ) from doubled
        except json.JSONDecodeError:
            if suffix == ".json":
                raise
    loader = _Loader(text)
    node = loader.get_single_node()
    if node is None:
        return None
    _check_nodes(name, loader, node, {})
    return loader.construct_document(node)


class _Doubled(ValueError):
    """The error for a key that stands twice in a JSON object."""


def _read_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _Doubled(next(name for name in found if names.count(name) > 1))
    return found


def _refuse_doubles(name: str, text: str) -> None:
    """Refuses double keys of a JSON text and names their lines; does nothing if YAML cannot read the text."""
    if found := _compose(text):
        _check_nodes(name, *found, {})


def _compose(text: str) -> "tuple[_Loader, yaml.Node] | None":
    """Returns a text's nodes with their lines, and the loader. YAML reads JSON, except tabs between values."""
    loader = _Loader(text.replace("\t", " "))
    try:
        node = loader.get_single_node()
    except (yaml.YAMLError, RecursionError):
        return None
    return None if node is None else (loader, node)


def _check_nodes(
    name: str, loader: "_Loader", node: yaml.Node, known: dict[int, tuple[int, int]]
) -> tuple[int, int]:
    """Returns how many levels and parts a node has, with aliases followed; refuses too many, and double keys.

    `known` has the results of the nodes before this one, because an alias leads to one of these nodes.
    """
    if id(node) in known:
        return known[id(node)]
    if isinstance(node, yaml.MappingNode):
        _check_keys(name, loader, node)
    known[id(node)] = MOST_LEVELS, 0  # a node that contains itself finds this
    inside = [_check_nodes(name, loader, part, known) for part in _list_parts(node)]
    levels = 1 + max((one for one, _ in inside), default=0)
    count = 1 + sum(one for _, one in inside)
    if levels > MOST_LEVELS:
        raise _too_deep(name)
    if count > MOST_PARTS:
        raise Refused(
            f"{name}: its aliases repeat it into more than {MOST_PARTS:,} values: write fewer aliases"
        )
    known[id(node)] = levels, count
    return levels, count


def _list_parts(node: yaml.Node) -> Iterator[yaml.Node]:
    for part in node.value if isinstance(node, yaml.CollectionNode) else ():
        yield part[1] if isinstance(part, tuple) else part


def _check_keys(name: str, loader: "_Loader", node: yaml.MappingNode) -> None:
    """Refuses a key that stands twice in an object, because nobody knows which of the two values was meant."""
    seen: dict[Any, int] = {}
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            continue  # an object as a key is refused when the value is made
        read, line = _read_key(loader, key), key.start_mark.line + 1
        if read in seen:
            raise Refused(
                f"{name}, line {line}: the key {key.value!r} stands twice in one object, first in line {seen[read]}: "
                "keep one of them"
            )
        seen[read] = line


def _read_key(loader: "_Loader", key: yaml.Node) -> Any:
    """Returns the value of a key in an object; the key `<<` stands for the keys of another object."""
    return "<<" if key.tag == MERGE_TAG else loader.construct_object(key, deep=True)


def _too_deep(name: str) -> Refused:
    return Refused(f"{name}: is nested too deeply: no file needs more than a few levels")


def _find_line(text: str, parts: Sequence[str]) -> int | None:
    """Returns the line of the last of these parts that the text has; None if YAML cannot read the text."""
    if (found := _compose(text)) is None:
        return None
    loader, node = found
    line = node.start_mark.line
    for part in parts:
        following = next(
            ((mark, value) for key, mark, value in _list_keys(loader, node) if key == part), None
        )
        if following is None:
            break
        mark, node = following
        line = mark.line
    return int(line) + 1


def _list_keys(loader: "_Loader", node: yaml.Node) -> Iterator[tuple[str, Any, yaml.Node]]:
    """Yields the keys or indexes of a node as a JSON pointer writes them, each with its place and its value."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            read = _read_key(loader, key)
            yield str(read).lower() if isinstance(read, bool) else str(read), key.start_mark, value
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield str(index), value.start_mark, value


class _Loader(yaml.SafeLoader):
    """A YAML loader that leaves times as text, as JSON has them."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != TIME_TAG]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
