"""A call of each kind that the client makes, and what openapi.yaml says of it."""

import re
from pathlib import Path
from typing import Any

import yaml

from app.client import calls
from app.client.exchanges import Call

DOCUMENT = yaml.load((Path(__file__).parents[2] / "openapi.yaml").read_text(), Loader=yaml.CSafeLoader)
MADE: dict[str, Call[Any]] = {
    "estimate": calls.estimate({}, {}, processors={}, model="mmk"),
    "plan": calls.plan("min-latency", {}, {}, k_max=3),
    "gate": calls.gate({}, {}, t_max_seconds=1.0, k_max=3),
    "create_topology": calls.create_topology({"name": "a", "operators": [], "edges": []}),
    "change_topology": calls.change_topology("a", {"operators": [], "edges": []}),
    "delete_topology": calls.delete_topology("a"),
    "topology": calls.topology("a"),
    "topologies": calls.topologies(),
    "push": calls.push("a", []),
    "estimate_stored": calls.estimate_stored("a", model="mmk"),
    "plan_stored": calls.plan_stored("a", "min-processors", t_max_seconds=1.0),
    "gate_stored": calls.gate_stored("a", k_max=3),
    "policy": calls.policy("a"),
    "set_policy": calls.set_policy("a", {"goal": {}}),
    "decide": calls.decide("a", policy={}),
    "decision": calls.decision("b"),
    "patch": calls.patch("b", "flink"),
    "record_outcome": calls.record_outcome("b", {"state": "applied"}),
    "overview": calls.overview(),
    "plan_fleet": calls.plan_fleet(500, topologies={"label": "prod"}, load_factor=1.3, new=[]),
    "fleet_policy": calls.fleet_policy(),
    "set_fleet_policy": calls.set_fleet_policy({"k_max": 500, "classes": []}),
    "decide_fleet": calls.decide_fleet(),
    "fleet_decision": calls.fleet_decision(),
    "what_if": calls.what_if("a", load_factor=1.5),
    "simulate_stored": calls.simulate_stored("a", roots=1000),
    "replay": calls.replay("a", policy={}),
    "report": calls.report("a"),
}


def resolve(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema without references at its top."""
    while "$ref" in schema:
        *_, kind, name = schema["$ref"].split("/")
        schema = DOCUMENT["components"][kind][name]
    return schema


def add_inherited(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema with the fields of those that it extends."""
    parts = [add_inherited(resolve(one)) for one in schema.get("allOf", [])]
    fields = {name: one for part in parts for name, one in part.get("properties", {}).items()}
    return schema | {"type": "object", "properties": fields} if parts else schema


def list_kinds(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The alternatives of a schema."""
    schema = add_inherited(resolve(schema))
    inner = schema.get("anyOf", schema.get("oneOf"))
    if inner is None and isinstance(schema.get("type"), list):
        inner = [schema | {"type": one} for one in schema["type"]]
    return [schema] if inner is None else [one for kind in inner for one in list_kinds(kind)]


def find_operation(call: Call[Any]) -> dict[str, Any]:
    """What openapi.yaml says of a call; of several paths that fit, the one with the most fixed parts."""
    fitting = [
        path for path in DOCUMENT["paths"] if re.fullmatch(re.sub(r"\{[^}]+\}", "[^/]+", path), call.path)
    ]
    path = min(fitting, key=lambda one: one.count("{"))
    operation: dict[str, Any] = DOCUMENT["paths"][path][call.method.lower()]
    return operation
