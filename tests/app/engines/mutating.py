"""Documents of engines with parts deleted, replaced, doubled or shuffled, and what a reader may make of them."""

import copy
import json
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from app.engines.answers import EngineAnswer, EngineReading, UnreadableAnswer, list_answers

GOLDEN = Path("tests/golden/engines")
REPLACEMENTS: tuple[Any, ...] = (
    None, "", -1, 0, "NaN", "1e308", 1e308, -1001, True, {}, [], [[]], {"": None}, 2**63, "Infinity", 1e-320, 0.5,
    "2026-11-18T22:41:39Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "\x00", "-0",
)  # fmt: skip

Reader = Callable[[Sequence[EngineAnswer]], EngineReading]
Lister = Callable[[Any], list[EngineAnswer]]
"""The answers that a document stands for."""

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
    names = {one.name for one in reading.topology.operators} if reading.topology is not None else None
    for load in reading.loads:
        assert load.observed_at is not None
        assert names is None or load.operators.keys() <= names
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


def read_mutated(
    read: Reader,
    document: Any,
    steps: Sequence[Step],
    answer: Lister = list_answers,
) -> bool:
    """Whether the changed document is read; it is refused or read, and nothing else."""
    found: EngineReading | UnreadableAnswer
    try:
        found = read(answer(mutate(document, steps)))
    except UnreadableAnswer as error:
        found = error
    if isinstance(found, EngineReading):
        check_reading(found)
        return True
    assert found.pointer.startswith("#")
    assert len(found.detail) > 20
    return False
