"""Lines of a log: every fault with its reason, and usable ones with their times."""

import json
from pathlib import Path
from typing import Any

from ingest.reading.blocks import plan_blocks, read_block
from ingest.reading.records import Judged, number_rejects
from ingest.reading.sources import find_sources

Rejects = list[tuple[str, int, str, str]]

T0 = 1_794_960_000
GOOD: dict[str, Any] = {
    "topology": "t",
    "operator": "o",
    "instance": "i",
    "tuple_id": "a",
    "arrived_at": T0,
    "started_at": T0 + 1,
    "finished_at": T0 + 2.5,
}


def good(**changes: Any) -> str:
    return json.dumps({name: value for name, value in (GOOD | changes).items() if value is not ...})


REJECTED: dict[str, str] = {
    '{"topology":"t","operator":"o"': "not one JSON object",
    "": "",
    "null": "not one JSON object",
    "[" + good() + "]": "not one JSON object",
    good() + good(): "not one JSON object",
    good() + " and more": "not one JSON object",
    "plain text": "not one JSON object",
    "{}": "topology is missing",
    good(topology=""): "topology is empty",
    good(operator="  "): "operator is empty",
    good(instance=""): "instance is empty",
    good(tuple_id=None): "tuple_id is missing",
    good(operator=7): "operator is not a string",
    good(operator={"name": "o"}): "operator is not a string",
    good(topology=True): "topology is not a string",
    good(from_operator=3): "from_operator is not a string",
    good(tuple_id=["a"]): "tuple_id is not a string",
    good(topology="a/b"): "topology holds a slash or is dots alone",
    good(operator=" o"): "operator begins or ends with white space",
    good(operator="a\u0000b"): "operator holds control characters",
    good(operator="o" * 201): "operator is longer than 200 characters",
    good(arrived_at=...): "arrived_at is missing",
    good(arrived_at=None): "arrived_at is missing",
    good(arrived_at="soon"): "arrived_at is not a time",
    good(arrived_at=True): "arrived_at is not a time",
    good(arrived_at=[1]): "arrived_at is not a time",
    good(arrived_at="2026-11-18T00:00:00"): "arrived_at has no time zone",
    good(arrived_at="2026-02-30T00:00:00Z"): "arrived_at is not a time",
    good(arrived_at="2026-11-18"): "arrived_at is not a time",
    good(arrived_at=float("nan")): "arrived_at is not finite",
    good(started_at=float("inf")): "started_at is not finite",
    good(finished_at=-1.0): "finished_at is not between 1970 and 2200",
    good(arrived_at=T0 * 1000): "arrived_at is not between 1970 and 2200",
    good(arrived_at=1e300): "arrived_at is not between 1970 and 2200",
    good(started_at=T0 - 0.001): "started_at is before arrived_at",
    good(finished_at=T0 + 0.5): "finished_at is before started_at",
    good(sample_every=10**6 + 1): "sample_every is not a whole number between 1 and 1000000",
    good(sample_every=0): "sample_every is not a whole number between 1 and 1000000",
    good(sample_every=1.5): "sample_every is not a whole number between 1 and 1000000",
    good(sample_every="many"): "sample_every is not a whole number between 1 and 1000000",
    good(sampling="Random"): "sampling is neither every-nth nor random",
    good(sampling=7): "sampling is neither every-nth nor random",
}
SECOND = 1_000_000_000
ACCEPTED: dict[str, tuple[int, int]] = {  # line -> arrived_ns, sample_every
    good(): (T0 * SECOND, 1),
    good(arrived_at=T0 + 0.123456): (T0 * SECOND + 123_456_000, 1),
    good(arrived_at=T0 + 2**-10): (T0 * SECOND + 976_562, 1),  # to even
    good(arrived_at=str(T0 + 0.25)): (T0 * SECOND + 250_000_000, 1),
    good(arrived_at="2026-11-18T00:00:00Z"): (T0 * SECOND, 1),
    good(arrived_at="2026-11-18T00:00:00.123456789Z"): (T0 * SECOND + 123_456_789, 1),
    good(arrived_at="2026-11-18T05:30:00.5+05:30"): (T0 * SECOND + 500_000_000, 1),
    good(arrived_at="2026-11-17T20:00:00-0400"): (T0 * SECOND, 1),
    good(sample_every=10): (T0 * SECOND, 10),
    good(sample_every=None): (T0 * SECOND, 1),
    good(sampling="random", sample_every=2): (T0 * SECOND, 2),
    good(sampling="every-nth"): (T0 * SECOND, 1),
    good(sampling=""): (T0 * SECOND, 1),
    good(sampling=None): (T0 * SECOND, 1),
    good(tuple_id=17, instance=3): (T0 * SECOND, 1),
    good(operator="7", from_operator=""): (T0 * SECOND, 1),
    good(instance="[::1]:6700", tuple_id="{a"): (T0 * SECOND, 1),
    good(operator='ядро, {x} "y"', extra={"nested": [1, {"deep": 2}]}): (T0 * SECOND, 1),
    "\ufeff" + good(): (T0 * SECOND, 1),
    "  " + good() + "  \r": (T0 * SECOND, 1),
}


def parse(path: Path, most_bytes: int = 1 << 26) -> list[Judged]:
    """What is read of all files below the path."""
    blocks = plan_blocks(find_sources([str(path)], None).files, most_bytes)
    return [judged for block in blocks for judged in read_block(block)]


def list_rejects(judged: list[Judged]) -> Rejects:
    return list(number_rejects((one.file, one.block, one.lines, one.rejects) for one in judged))


def list_records(judged: list[Judged]) -> list[tuple[Any, ...]]:
    """TupleKind, root and times of each record, sorted."""
    return sorted(
        (tuple(map(str, one.records.kinds[row[0]])), *row[1:])
        for one in judged
        for row in zip(*(column.tolist() for column in one.records[1:]), strict=True)
    )
