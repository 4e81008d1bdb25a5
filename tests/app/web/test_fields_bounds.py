"""Every number in a body or a query has a floor and a ceiling; no number or time makes the service fail."""

import re
from collections.abc import Iterator
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from math import isfinite, nextafter
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
import yaml

from tests.app.backtest_examples import SMALL

DOCUMENT: dict[str, Any] = yaml.load(
    (Path(__file__).parents[3] / "openapi.yaml").read_text(), yaml.CSafeLoader
)
SUBNORMAL = 5e-324
EXTREME_TIMES = (
    *("0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z"),
    *(
        "9999-12-31T23:59:59.999999Z",
        "9999-12-31T23:59:59-14:00",
        "10000-01-01T00:00:00Z",
        "+99999-01-01T00:00:00Z",
    ),
)
Schema = dict[str, Any]
Place = tuple[str, ...]


class Value(NamedTuple):
    """A number or a time of a body (`place` leads into it; `*`: an item or a value of any name) or of a query."""

    method: str
    path: str
    place: Place
    schema: Schema

    def __str__(self) -> str:
        return f"{self.method} {self.path} {'/'.join(self.place)}"


def resolve(schema: Schema) -> Schema:
    while "$ref" in schema:
        found: Any = DOCUMENT
        for part in schema["$ref"].split("/")[1:]:
            found = found[part]
        schema = found | {name: value for name, value in schema.items() if name != "$ref"}
    return schema


def walk_schema(
    schema: Schema, place: Place = (), above: tuple[str, ...] = ()
) -> Iterator[tuple[Place, Schema]]:
    """The numbers and times of a schema; a schema within itself is walked once."""
    reference = schema.get("$ref", "")
    if reference in above:
        return
    above, schema = (*above, *filter(None, [reference])), resolve(schema)
    kinds = schema.get("type", [])
    is_number = {"integer", "number"} & set([kinds] if isinstance(kinds, str) else kinds)
    if (is_number and "const" not in schema) or schema.get("format") == "date-time":
        yield place, schema
    for choice in ("anyOf", "oneOf", "allOf"):
        for one in schema.get(choice, []):
            yield from walk_schema(one, place, above)
    for name, one in schema.get("properties", {}).items():
        yield from walk_schema(one, (*place, name), above)
    for inner in ("items", "additionalProperties"):
        if isinstance(schema.get(inner), dict):
            yield from walk_schema(schema[inner], (*place, "*"), above)


def walk_operations() -> Iterator[Value]:
    for path, operations in DOCUMENT["paths"].items():
        for method, operation in operations.items():
            for parameter in map(resolve, operation.get("parameters", [])):
                for place, schema in walk_schema(parameter["schema"]):
                    yield Value(method, path, (f"?{parameter['name']}", *place), schema)
            for content in operation.get("requestBody", {}).get("content", {}).values():
                for place, schema in walk_schema(content["schema"]):
                    yield Value(method, path, place, schema)


VALUES = list(walk_operations())
NUMBERS = [one for one in VALUES if one.schema.get("format") != "date-time"]


def find_floor(schema: Schema) -> float | None:
    """The least number that the schema takes; None if there is none, or if it is next to 0."""
    if "minimum" in schema:
        return float(schema["minimum"])
    floor = schema.get("exclusiveMinimum")
    return None if floor is None or floor == 0 else nextafter(floor, floor + 1)


def find_ceiling(schema: Schema) -> float | None:
    """The largest number that the schema takes; None if there is none."""
    ceiling = schema.get("exclusiveMaximum")
    if ceiling is not None:
        return ceiling - 1 if schema["type"] == "integer" else nextafter(ceiling, 0)
    return None if "maximum" not in schema else float(schema["maximum"])


def test_every_number_has_a_floor_and_a_ceiling():
    assert len(NUMBERS) > 100
    open_ones = [
        str(one)
        for one in NUMBERS
        for bound in (find_floor(one.schema), find_ceiling(one.schema))
        if bound is None or not isfinite(bound)
    ]
    assert sorted(set(open_ones)) == []


def list_extremes(schema: Schema) -> list[Any]:
    """The bounds of a number, a number beyond each, and the smallest float above 0; or times far away."""
    if schema.get("format") == "date-time":
        return list(EXTREME_TIMES)
    floor, ceiling = find_floor(schema), find_ceiling(schema)
    assert floor is not None
    assert ceiling is not None
    if "integer" in schema["type"]:
        return [int(floor), int(ceiling), int(floor) - 1, int(ceiling) + 1, 10**30]
    return [floor, ceiling, nextafter(floor, -1e300), nextafter(ceiling, 1e300), SUBNORMAL, 1e308, -1e308]


def place_value(body: Any, place: Place, value: Any) -> bool:
    """Puts the value at a place of an example; False if the example has no such place."""
    *path, last = place
    for part in path:
        keys = (
            list(body) if isinstance(body, dict) else list(range(len(body))) if isinstance(body, list) else []
        )
        key = next(iter(keys), None) if part == "*" else part
        if key not in keys:
            return False
        body = body[key]
    if isinstance(body, list) and body and last == "*":
        body[0] = value
    elif isinstance(body, dict) and (body or last != "*"):
        body[next(iter(body)) if last == "*" else last] = value
    else:
        return False
    return True


def list_examples(method: str, path: str) -> list[Any]:
    """The bodies that the document shows for an operation; of a backtest one that gives its own workload."""
    if path == "/v1/backtests":
        return [SMALL]
    content = DOCUMENT["paths"][path][method].get("requestBody", {}).get("content", {})
    return [resolve(one)["value"] for kind in content.values() for one in kind.get("examples", {}).values()]


def list_requests(number: Value, name: str) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Each extreme with the query, or the body, that has it at the number's place."""
    for value in list_extremes(number.schema):
        if number.place[0].startswith("?"):
            yield value, {"params": {number.place[0][1:]: str(value)}}
            continue
        for example in list_examples(number.method, number.path):
            body = deepcopy(example)
            if place_value(body, number.place, value):
                if number.path == "/v1/topologies":
                    body["name"] = name
                yield value, {"json": body}


def is_allowed(schema: Schema, value: Any) -> bool:
    """Whether the value lies within the bounds; a time always does."""
    floor, ceiling = find_floor(schema), find_ceiling(schema)
    return floor is None or ceiling is None or floor <= value <= ceiling


@pytest.fixture
def parts(idle_client: httpx.Client, name: str) -> dict[str, str]:
    """The parts of addresses: a topology with snapshots, throughputs, a policy and a decision."""
    base = "/v1/topologies"
    [topology] = list_examples("post", base)
    assert idle_client.post(base, json=topology | {"name": name}).status_code == 201
    for method, noun in (("post", "snapshots"), ("post", "mst-samples"), ("put", "policy")):
        for example in list_examples(method, f"{base}/{{name}}/{noun}"):
            assert idle_client.request(method, f"{base}/{name}/{noun}", json=example).is_success, noun
    made = idle_client.post(f"{base}/{name}/decisions", json={"at": "2026-11-18T00:05:00Z"})
    assert made.status_code == 201, made.text
    return {"name": name, "decision_id": made.json()["id"]}


@pytest.mark.parametrize("operation", sorted({(one.method, one.path) for one in VALUES}), ids=" ".join)
def test_no_number_or_time_makes_the_service_fail(
    idle_client: httpx.Client, parts: dict[str, str], operation: tuple[str, str]
):
    address, wrong = re.sub(r"{(\w+)}", lambda part: parts.get(part[1], "1"), operation[1]), []
    for number in (one for one in VALUES if (one.method, one.path) == operation):
        for value, request in list_requests(number, parts["name"]):
            answer = idle_client.request(number.method, address, **request)
            if answer.status_code == 500 or not (
                answer.status_code in {404, 422} or is_allowed(number.schema, value)
            ):
                wrong.append(f"{number} = {value}: {answer.status_code} {answer.text[:200]}")
    assert wrong == []


@pytest.mark.parametrize("path", ["/v1/forecasts/workload", "/v1/forecasts/vms"])
@pytest.mark.parametrize("step_seconds", [60.0, 86_400.0])
def test_a_forecast_beyond_the_calendar_is_refused(client: httpx.Client, path: str, step_seconds: float):
    [body] = list_examples("post", path)
    points = [(one["rate"] or 0.0) + number % 7 for number, one in enumerate(body["workload"] * 20)][:200]
    first = datetime(9999, 12, 31, 23, 59, tzinfo=UTC) - timedelta(seconds=step_seconds * (len(points) - 1))
    workload = [
        {"at": (first + timedelta(seconds=step_seconds * number)).isoformat(), "rate": rate}
        for number, rate in enumerate(points)
    ]
    answer = client.post(path, json=body | {"workload": workload, "step_seconds": step_seconds})
    assert (answer.status_code, answer.json()["type"]) == (422, "invalid-request"), answer.text
    assert "year 9999" in answer.json()["detail"]
