"""Sums of roots, however their records are spread."""

from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from ingest.measuring.columns import Table, stack
from ingest.measuring.cuts import Slicing
from ingest.measuring.roots import LOW, RootSums, finish_roots, join_roots, split_roots, sum_roots
from tests.ingest import reference
from tests.ingest.in_memory import make_rows, slice_windows
from tests.ingest.logs import START_NS, make_single_events
from tests.ingest.reference import NS, Event
from tests.ingest.window_logs import rename

WINDOW_NS = 60 * NS
CENTURIES_NS = 170 * 365 * 86_400 * NS
ONE = slice_windows()
EVENTS = [*make_single_events(150, seed=101), *rename(make_single_events(60, seed=102), "other")]
Key = tuple[str, int, bool]


def sum_up(events: list[Event], slicing: Slicing = ONE) -> RootSums:
    rows, codes, _ = make_rows(events, slicing)
    return sum_roots(rows, codes)


def expect(events: list[Event]) -> dict[Key, tuple[int, int, int]]:
    """Roots, totals and completions by topology, window and whether the root's own record is there."""
    roots: defaultdict[tuple[str, str], list[Event]] = defaultdict(list)
    for e in reference.drop_duplicates(events):
        roots[e.topology, e.tuple_id].append(e)
    found: defaultdict[Key, list[int]] = defaultdict(lambda: [0, 0, 0])
    for (topology, _), inside in roots.items():
        first = min(e.arrived_ns for e in inside)
        sums = found[topology, first // WINDOW_NS, any(e.from_operator is None for e in inside)]
        sums[0] += 1
        sums[1] += sum(e.finished_ns - e.arrived_ns for e in inside)
        sums[2] += max(e.finished_ns for e in inside) - first
    return {key: (sums[0], sums[1], sums[2]) for key, sums in found.items()}


def read(found: RootSums) -> dict[Key, tuple[int, int, int]]:
    columns = [column.tolist() for column in found.table.values()]
    rows: list[dict[str, Any]] = [
        dict(zip(found.table, row, strict=True)) for row in zip(*columns, strict=True)
    ]
    return {
        (found.topologies[row["topology"]], row["window"], row["is_begun"]): (
            row["roots"],
            row["total_high"] * (LOW + 1) + row["total_low"],
            row["completion_high"] * (LOW + 1) + row["completion_low"],
        )
        for row in rows
    }


@pytest.mark.parametrize("blocks", [1, 5])
def test_roots_are_summed_by_the_window_of_their_first_arrival(blocks: int):
    events = [e for e in EVENTS if e.arrived_ns > START_NS + 20 * NS]
    sums = [sum_up(events[block::blocks]) for block in range(blocks)]
    found = finish_roots(sums, WINDOW_NS)
    assert read(found) == expect(events)


def test_roots_without_their_own_record_are_kept_apart():
    events = [e for e in EVENTS if e.from_operator is not None or e.arrived_ns > START_NS + 60 * NS]
    found = read(finish_roots([sum_up(events)], WINDOW_NS))
    assert found == expect(events)
    assert {key[2] for key in found} == {True, False}


@pytest.mark.parametrize("parts", [1, 4])
def test_all_sums_of_a_root_come_together(parts: int):
    held: defaultdict[int, list[RootSums]] = defaultdict(list)
    for block in range(3):
        for part, sums in split_roots(sum_up(EVENTS[block::3]), parts):
            held[part].append(sums)
    roots = [set(np.concatenate([one.table["root"] for one in found]).tolist()) for found in held.values()]
    assert len(held) == parts
    assert len(set.union(*roots)) == sum(map(len, roots)), "no root is in two parts"
    joined: defaultdict[Key, list[int]] = defaultdict(lambda: [0, 0, 0])
    for found in held.values():
        for key, counts in read(finish_roots(found, WINDOW_NS)).items():
            joined[key] = [a + b for a, b in zip(joined[key], counts, strict=True)]
    assert {key: tuple(counts) for key, counts in joined.items()} == expect(EVENTS)


def test_joining_in_steps_changes_no_sum():
    tables = [sum_up(EVENTS[block::3]).table for block in range(3)]
    steps: Table = join_roots(stack([join_roots(stack(tables[:2])), tables[2]]))
    at_once = join_roots(stack(tables))
    assert {name: column.tolist() for name, column in steps.items()} == {
        name: column.tolist() for name, column in at_once.items()
    }


def test_centuries_do_not_overflow():
    events = [
        Event("t", "o", "i", "a", None, START_NS + n, START_NS + n, START_NS + n + CENTURIES_NS)
        for n in range(40)
    ]
    assert read(finish_roots([sum_up(events)], WINDOW_NS)) == {
        ("t", START_NS // WINDOW_NS, True): (1, 40 * CENTURIES_NS, CENTURIES_NS + 39)
    }


def test_no_sums_are_no_roots():
    assert finish_roots([], WINDOW_NS) == RootSums([], {})
