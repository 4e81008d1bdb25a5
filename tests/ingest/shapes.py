"""Bursts, histograms and shares of instances, counted directly; of logs that hold every tuple."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

import pytest

from tests.ingest import reference
from tests.ingest.reference import NS, Event, Key

Shapes = dict[str, Any]


def describe_shapes(events: Iterable[Event], window_seconds: int) -> dict[Key, Shapes]:
    """The lists of each operator and window, as they are stored."""
    kept, window_ns = reference.drop_duplicates(events), window_seconds * NS
    covers = reference.find_cover(kept, window_ns)
    members: defaultdict[Key, list[Event]] = defaultdict(list)
    gaps: defaultdict[tuple[Key, str], list[int]] = defaultdict(list)
    last: dict[tuple[str, str, str], int] = {}
    for e in sorted(kept, key=lambda e: e.arrived_ns):
        key = (e.topology, e.operator, e.arrived_ns // window_ns)
        members[key].append(e)
        owner = (e.topology, e.operator, e.instance)
        if owner in last:
            gaps[key, e.instance].append(e.arrived_ns - last[owner])
        last[owner] = e.arrived_ns
    return {
        key: {
            "arrival_idc": list_indices(
                found, window_ns, reference.cover_window(covers[key[0]], key[2], window_ns) or window_seconds
            ),
            "service_histogram": list_buckets(e.finished_ns - e.started_ns for e in found),
            "instance_shares": [
                {
                    "instance": name,
                    "share": count / len(found),
                    "arrival_scv": reference.scv(gaps[key, name]),
                }
                for name, count in sorted(Counter(e.instance for e in found).items())
            ],
        }
        for key, found in members.items()
    }


def list_indices(events: list[Event], window_ns: int, covered: float) -> list[dict[str, float]] | None:
    """Variance over mean of the counts in bins, of those that hold half a mean service and fit a hundred times."""
    length = -(-window_ns // 2**20)
    service = sum(e.finished_ns - e.started_ns for e in events) / len(events)
    found = []
    for _ in range(14):
        counts = Counter(e.arrived_ns % window_ns // length for e in events)
        bins = covered * NS / length
        if bins >= 100 and 2 * length > service and len(events) > 1:
            index = sum(n * n for n in counts.values()) / len(events) - len(events) / bins
            found.append({"window_seconds": length / NS, "idc": max(0.0, index)})
        length *= 2
    return found or None


def list_buckets(services: Iterable[int]) -> list[dict[str, float]]:
    """Counts below 2^k (1 + i/8) nanoseconds, the upper bounds of buckets."""
    found = Counter(find_upper(service) for service in services)
    return [{"upper_seconds": upper / NS, "count": found[upper]} for upper in sorted(found)]


def find_upper(nanos: int) -> float:
    """The least bound above a service, found by counting up; 0 for one that took no time."""
    if nanos == 0:
        return 0.0
    octave = float(1 << nanos.bit_length() - 1)
    return next(bound for step in range(1, 9) if (bound := octave * (1 + step / 8)) > nanos)


def assert_shapes(found: Shapes, expected: Shapes) -> None:
    """The lists of a stored or answered row are those that were counted, up to the last digits."""
    for name, rows in expected.items():
        if rows is None:
            assert found[name] is None, name
            continue
        assert len(found[name]) == len(rows), name
        for got, row in zip(found[name], rows, strict=True):
            assert got.keys() == row.keys()
            for field, value in row.items():
                is_exact = value is None or isinstance(value, str)
                assert got[field] == (value if is_exact else pytest.approx(value, rel=1e-9, abs=1e-9)), (
                    name,
                    field,
                )
