"""Recorded documents with random damage, and what must hold of everything that the reader makes of them."""

import copy
import json
import math
import random
from collections.abc import Iterator
from typing import Any

from pydantic import JsonValue

from app.engines.answers import EngineReading, UnreadableAnswer
from tests.app.engines.flink.recorded import load, read

Json = Any
DOCUMENTS = [
    ("job",),
    ("job", "plan", "overview", "jobs-overview", "jobmanager-config"),
    ("overload-job", "overload-vertex-parse"),
    ("job-first-second",),
    ("job27-apart",),
    ("job27-chained",),
    ("fork-asked-at-once",),
    ("fork-overload",),
    ("fork-died",),
    ("fork-rescaled-every-half-second",),
    ("fork",),
    ("fork-rescaled",),
    ("chain",),
    ("whole",),
    ("exchanges",),
    ("hot-key",),
    ("hot-key-blocked",),
]
VALUES: list[JsonValue] = [
    None, "", -1, 0, 1, "NaN", 1e308, -1e308, {}, [], 0.5, True, "RUNNING", 10**30, "x" * 500, "\n", 1795041254793,
]  # fmt: skip
MOST_DAMAGE = 6


def gather(names: tuple[str, ...]) -> Json:
    """The recorded documents as a body."""
    first = load(names[0])
    if len(names) == 1:
        return first
    return [first, *[load(name) for name in names[1:]]]


def list_places(node: Json) -> Iterator[tuple[Json, Any]]:
    """Every key of every object and every place of every list."""
    if isinstance(node, dict | list):
        keys = list(node) if isinstance(node, dict) else range(len(node))
        for key in keys:
            yield node, key
            yield from list_places(node[key])


def damage(body: Json, source: random.Random) -> Json:
    """The body with a few random changes."""
    changed = copy.deepcopy(body)
    for _ in range(source.randint(1, MOST_DAMAGE)):
        places = list(list_places(changed))
        if not places:
            return changed
        holder, key = source.choice(places)
        change_one(holder, key, source)
    return changed


def change_one(holder: Json, key: Any, source: random.Random) -> None:
    """One change: delete, replace, scale, swap, copy or shuffle."""
    kind = source.randrange(7)
    value = holder[key]
    if kind == 0:
        del holder[key]
    elif kind in {1, 2}:
        holder[key] = copy.deepcopy(source.choice(VALUES))
    elif kind == 3 and isinstance(value, int | float) and not isinstance(value, bool):
        holder[key] = value * source.choice([-1, 0, 1e-9, 0.5, 2, 1000, 1e12])
    elif kind == 4:
        other = source.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        holder[key], holder[other] = holder[other], holder[key]
    elif kind == 5 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(value))
    elif isinstance(value, list):
        source.shuffle(value)


def read_damaged(body: Json) -> EngineReading | None:
    """What the reader makes of it; None where it says what to send instead."""
    try:
        reading = read(body)
    except UnreadableAnswer:
        return None
    check(reading)
    return reading


def check(reading: EngineReading) -> None:
    """A topology whose names fit together, loads of its operators with a time, and no number that is none."""
    json.dumps(dict(reading.marks), allow_nan=False)
    assert reading.topology is not None
    names = [one.name for one in reading.topology.operators]
    assert len(set(names)) == len(names)
    assert {end for one in reading.topology.edges for end in (one.source, one.target)} <= set(names)
    assert {one.operator for one in reading.topology.entries} <= set(names)
    assert len({(one.source, one.target) for one in reading.topology.edges}) == len(reading.topology.edges)
    for measured in reading.loads:
        assert measured.observed_at is not None
        assert measured.operators.keys() <= set(names)
        for number in list_numbers(measured.model_dump(mode="json")):
            assert math.isfinite(number)
            assert number >= 0.0
    for one in reading.diagnostics:
        assert one.detail.isprintable()


def list_numbers(node: Json) -> Iterator[float]:
    """Every number in JSON."""
    if isinstance(node, dict):
        for value in node.values():
            yield from list_numbers(value)
    elif isinstance(node, list):
        for value in node:
            yield from list_numbers(value)
    elif isinstance(node, int | float) and not isinstance(node, bool):
        yield float(node)
