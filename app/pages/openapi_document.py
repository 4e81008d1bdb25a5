"""The OpenAPI document of FastAPI with shared problems and parameters, readable names, and each example once."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, TypeVar

import yaml
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic.json_schema import models_json_schema

from app.load.bodies.answers import to_estimate_answer
from app.load.bodies.load import PAIR_LOAD, LoadBody
from app.load.bodies.topology import PAIR, Graph
from app.pages.openapi_schemas import (
    list_parents,
    merge_directions,
    rename_schemas,
    share_fields,
    share_parents,
    tidy_schemas,
)
from app.planning.plans.answers import to_plan_answer
from app.web.fields import Answer
from app.web.problems.documented_problems import share_problems
from app.web.problems.problem_answers import Problem
from planner.plans.optimal import min_latency
from planner.situations.situation import estimate

Document = dict[str, Any]

EXAMPLE = "#/components/examples/"


def name_operation(route: APIRoute) -> str:
    """The operation id of a route: the name of its function in camelCase."""
    first, *others = route.name.split("_")
    return first + "".join(word.capitalize() for word in others)


def name_operations(app: FastAPI) -> None:
    """Gives every route its operation id; the app cannot, because the routers exist before it."""
    for route in app.routes:
        if isinstance(route, APIRoute):
            route.operation_id = name_operation(route)


def describe_api(app: FastAPI) -> Document:
    """The document at /openapi.json, which openapi.yaml contains."""
    document = get_openapi(
        title=app.title,
        version=app.version,
        summary=app.summary,
        description=app.description,
        routes=app.routes,
        tags=app.openapi_tags,
    )
    schemas = document["components"]["schemas"]
    for unused in ("HTTPValidationError", "ValidationError"):  # every 422 is a problem instead
        schemas.pop(unused, None)
    _, definitions = models_json_schema(
        [(Problem, "serialization")], ref_template="#/components/schemas/{model}"
    )
    schemas.update(definitions["$defs"])
    document = merge_directions(document)
    show_plan_answers(document)
    _move_body_examples(document)
    _say_security_once(document)
    _name_statuses(document)
    share_problems(document)
    tidy_schemas(document)
    share_parents(document, list_parents(Answer))
    _share_parameters(document)
    _inline_single_examples(document)
    document = rename_schemas(document)
    share_fields(document)
    return document


def _list_operations(document: Document) -> Iterator[Document]:
    return (operation for operations in document["paths"].values() for operation in operations.values())


def _move_body_examples(document: Document) -> None:
    """Moves every example of a body from its schema to the body; a schema keeps an example only if no body shows it."""
    schemas = document["components"]["schemas"]
    shown = {_write_sorted(part) for part in _list_parts(document["components"]["examples"])}
    for operation in _list_operations(document):
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if body is None:
            continue
        if "examples" not in body:
            name = body["schema"].get("anyOf", [body["schema"]])[0]["$ref"].rpartition("/")[2]
            [example] = schemas[name]["examples"]
            body["examples"] = {"example": {"value": example}}
        shown |= {_write_sorted(part) for part in _list_parts(body["examples"])}
    for schema in schemas.values():
        if all(_write_sorted(one) in shown for one in schema.get("examples", [])):
            schema.pop("examples", None)


def _write_sorted(value: Any) -> str:
    """The same text for equal values, in whatever order their fields are."""
    return json.dumps(value, sort_keys=True)


def _list_parts(value: Any) -> Iterator[Any]:
    """The value and every value inside of it."""
    yield value
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _list_parts(inner)


def _inline_single_examples(document: Document) -> None:
    """Puts every shared example that is used in one place into that place."""
    examples = document["components"]["examples"]
    uses = [
        part for part in _list_parts(document) if isinstance(part, dict) and EXAMPLE in str(part.get("$ref"))
    ]
    counted = Counter(use["$ref"] for use in uses)
    for use in uses:
        if counted[use["$ref"]] == 1:
            use.update(examples.pop(use.pop("$ref").removeprefix(EXAMPLE)))


def _say_security_once(document: Document) -> None:
    """Moves the security of most operations to the document; operations without a key get an empty list."""
    document["security"] = next(one["security"] for one in _list_operations(document) if "security" in one)
    for operation in _list_operations(document):
        if operation.pop("security", None) is None:
            operation["security"] = []


def _name_statuses(document: Document) -> None:
    """Replaces FastAPI's description `Successful Response` by the name of the status."""
    for operation in _list_operations(document):
        for status, response in operation["responses"].items():
            if response["description"] == "Successful Response":
                response["description"] = HTTPStatus(int(status)).phrase


def _share_parameters(document: Document) -> None:
    """Replaces a parameter that several operations take by a reference; its schema does not repeat its description.

    A component has the name of its parameter; if that is taken, the first word of the description is added.
    """
    uses: dict[str, list[Document]] = {}
    for operation in _list_operations(document):
        for parameter in operation.get("parameters", []):
            parameter["schema"].pop("description", None)
            if not parameter["required"]:
                del parameter["required"]
            uses.setdefault(repr(parameter), []).append(parameter)
    shared: dict[str, Document] = {}
    for same in sorted((same for same in uses.values() if len(same) > 1), key=len, reverse=True):
        words = [same[0]["name"], same[0].get("description", "").partition(" ")[0]]
        name, longer = ("".join(map(str.capitalize, re.split(r"[-_ ]", " ".join(words[:n])))) for n in (1, 2))
        name = longer if name in shared else name
        shared[name] = dict(same[0])
        for parameter in same:
            parameter.clear()
            parameter["$ref"] = f"#/components/parameters/{name}"
    document["components"]["parameters"] = dict(sorted(shared.items()))


LONGEST_LINE, WIDTH = 1500, 360
"""The characters up to which an object is written without line breaks of its own, and where lines are folded."""

Node = TypeVar("Node", bound=yaml.CollectionNode)


class _ShortDumper(yaml.SafeDumper):
    """Writes short lists and objects, and all lists of scalars or of flat objects, without line breaks."""

    def ignore_aliases(self, _data: object) -> bool:
        return True

    def represent_sequence(self, *arguments: Any, **settings: Any) -> yaml.SequenceNode:
        return _on_one_line(super().represent_sequence(*arguments, **settings))

    def represent_mapping(self, *arguments: Any, **settings: Any) -> yaml.MappingNode:
        return _on_one_line(super().represent_mapping(*arguments, **settings))


def _represent_float(dumper: yaml.SafeDumper, value: float) -> yaml.Node:
    """Writes a bound such as 1e15 or 1e-15 without zeros, with the point that YAML 1.1 wants in a number."""
    short = f"{value:.1e}"
    text = short if "e" in f"{value:.6g}" and float(short) == value else repr(value)
    return dumper.represent_scalar("tag:yaml.org,2002:float", text)


_ShortDumper.add_representer(float, _represent_float)


def _on_one_line(node: Node) -> Node:
    node.flow_style = _is_list_of_flat_values(node) or _measure(node) <= LONGEST_LINE
    return node


def _is_list_of_flat_values(node: yaml.Node) -> bool:
    return isinstance(node, yaml.SequenceNode) and all(map(_is_flat, node.value))


def _is_flat(node: yaml.Node) -> bool:
    """Whether a node is a scalar, or an object of scalars."""
    parts = [value for _, value in node.value] if isinstance(node, yaml.MappingNode) else [node]
    return all(isinstance(one, yaml.ScalarNode) for one in parts)


def _measure(node: yaml.Node) -> int:
    """The approximate number of characters of a node on one line."""
    if isinstance(node, yaml.ScalarNode):
        return len(node.value) + 2
    if isinstance(node, yaml.MappingNode):
        return sum(_measure(key) + _measure(value) for key, value in node.value)
    return sum(map(_measure, node.value))


def render_yaml(document: dict[str, Any]) -> str:
    """The document as YAML, in the order of the document."""
    return yaml.dump(document, Dumper=_ShortDumper, sort_keys=False, allow_unicode=True, width=WIDTH)


def show_plan_answers(document: dict[str, Any]) -> None:
    """Adds to both calls, stateless and stored, the answer for the example of the stateless one."""
    topology = Graph.model_validate(PAIR).to_values()
    load = LoadBody.model_validate(PAIR_LOAD).to_values()
    answers = {
        "estimate": to_estimate_answer(estimate(topology, load)),
        "plans/min-latency": to_plan_answer(min_latency(topology, load, 22)),
    }
    for call, answer in answers.items():
        name = f"{call.rpartition('/')[2]}-answer"
        value = round_numbers(answer.model_dump(mode="json", exclude_none=True))
        document["components"].setdefault("examples", {})[name] = {"value": value}
        for path in (f"/v1/{call}", f"/v1/topologies/{{name}}/{call}"):
            responses = document["paths"][path]["post"]["responses"]
            answered = responses.get("201", responses.get("200"))["content"]["application/json"]
            answered["examples"] = {"example": {"$ref": f"#/components/examples/{name}"}}


def round_numbers(value: Any) -> Any:
    """Rounds every float to six digits: short, and equal on machines whose logarithms differ in the last digit."""
    if isinstance(value, dict):
        return {name: round_numbers(one) for name, one in value.items()}
    if isinstance(value, list):
        return [round_numbers(one) for one in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value
