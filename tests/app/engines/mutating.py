"""Documents of engines with parts deleted, replaced, doubled or shuffled, and what a reader may make of them."""

import copy
import json
import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from app.engines.answers import EngineName, EngineReading, UnreadableAnswer, list_answers, read_answers

GOLDEN = Path("tests/golden/engines")
AT = datetime(2026, 11, 18, 12, tzinfo=UTC)
REPLACEMENTS: tuple[Any, ...] = (
    None, "", -1, 0, "NaN", "1e308", 1e308, -1001, True, {}, [], [[]], {"": None}, 2**63, "Infinity", 1e-320, 0.5,
    "2026-11-18T22:41:39Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "\x00", "-0", 1, "RUNNING", "x" * 500,
    10**30, "\n", 1795041254793, -1e308,
)  # fmt: skip

Step = tuple[int, int]
"""Which place is changed, and how."""

STEPS = st.lists(st.tuples(st.integers(0, 2**31), st.integers(0, 2**16)), min_size=1, max_size=6)


def load_golden(name: str) -> Any:
    """A recorded document."""
    return json.loads((GOLDEN / name).read_text())


def list_places(document: Any) -> list[tuple[Any, Any]]:
    """Every part of a document as (what holds it, its key or index)."""
    return list(_walk(document))


def _walk(part: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(part, dict):
        for key in list(part):
            yield part, key
            yield from _walk(part[key])
    elif isinstance(part, list):
        for index in range(len(part)):
            yield part, index
            yield from _walk(part[index])


def mutate(document: Any, steps: Sequence[Step]) -> Any:
    """A copy of the document, changed step by step."""
    root = [copy.deepcopy(document)]
    for place, how in steps:
        places = list_places(root)
        if places:
            _change(*places[place % len(places)], how)
    return root[0] if root else None


def _change(holder: Any, key: Any, how: int) -> None:
    kind, what = how % 4, how // 4
    if kind == 0:
        del holder[key]
    elif kind == 1:
        holder[key] = copy.deepcopy(REPLACEMENTS[what % len(REPLACEMENTS)])
    elif kind == 2 and isinstance(holder, list):
        holder.insert(what % (len(holder) + 1), copy.deepcopy(holder[key]))
    elif isinstance(holder[key], list):
        turn = what % (len(holder[key]) or 1)
        holder[key] = holder[key][turn:] + holder[key][:turn]
    elif isinstance(holder[key], int | float) and not isinstance(holder[key], bool):
        holder[key] = holder[key] * (-1, 1000, 1e-6)[what % 3]


def check_reading(reading: EngineReading) -> None:
    """Every number is finite and not negative, and the load names operators of the topology."""
    graph = reading.topology
    names = [] if graph is None else [one.name for one in graph.operators]
    if graph is not None:
        edges = [(one.source, one.target) for one in graph.edges]
        assert len(set(names)) == len(names)
        assert len(set(edges)) == len(edges)
        assert {*chain(*edges), *[one.operator for one in graph.entries]} <= set(names)
    for load in reading.loads:
        assert load.observed_at is not None
        assert graph is None or load.operators.keys() <= set(names)
        numbers = list(_list_numbers(load.model_dump(exclude={"observed_at"})))
        assert all(math.isfinite(number) and number >= 0.0 for number in numbers)
    json.dumps(dict(reading.marks), allow_nan=False)
    assert all(one.detail and one.code for one in reading.diagnostics)
    # Numbers print as nan and inf; NaN and Infinity in a text are names that the document gave.
    assert not any(word in one.detail for one in reading.diagnostics for word in (" nan", " inf"))


def _list_numbers(part: Any) -> Iterator[float]:
    if isinstance(part, dict):
        for one in part.values():
            yield from _list_numbers(one)
    elif isinstance(part, list):
        for one in part:
            yield from _list_numbers(one)
    elif isinstance(part, int | float) and not isinstance(part, bool):
        yield float(part)


def read_mutated(engine: EngineName, document: Any, steps: Sequence[Step]) -> bool:
    """Whether the changed document is read; it is refused or read, and nothing else."""
    found: EngineReading | UnreadableAnswer
    try:
        found = read_answers(engine, list_answers(mutate(document, steps)))
    except UnreadableAnswer as error:
        found = error
    if isinstance(found, EngineReading):
        check_reading(found)
        return True
    assert found.pointer.startswith("#")
    assert len(found.detail) > 20
    return False


def write_answers(*bodies: Any, paths: Sequence[str] = (), path: str = "") -> Any:
    """A request's body: the answers ten seconds apart, each with its path of `paths`, or all with the same `path`."""
    times = [AT + timedelta(seconds=10 * place) for place in range(len(bodies))]
    named = paths or [path] * len(bodies)
    return {
        "answers": [
            {"path": one, "at": at.isoformat(), "body": body}
            for one, at, body in zip(named, times, bodies, strict=True)
        ]
    }
