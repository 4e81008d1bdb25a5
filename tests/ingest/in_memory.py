"""The stages of the job in one process, without Spark, and their results beside those of the reference."""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest

from ingest.measuring.columns import Codes, TupleRows, make_codes
from ingest.measuring.cuts import Slicing, cut_records, find_slice_length, gather_batches
from ingest.measuring.merge import drop_duplicates
from ingest.reading.records import Judged, Records, TupleKind
from ingest.rollup import JobResults, encode, finish, merge, sort_results
from ingest.windows.operator_windows import summarise
from tests.ingest import reference
from tests.ingest.reference import NS, Event

Stored = dict[Any, dict[str, Any]]
MANY = 1_000_000


def make_records(events: Sequence[Event]) -> Records:
    """As a reader makes them, but for the hash of the root."""
    places: dict[TupleKind, int] = {}
    kinds = [
        TupleKind(e.topology, e.operator, e.instance, e.from_operator, e.sample_every, e.sampling == "random")
        for e in events
    ]
    kind = [places.setdefault(one, len(places)) for one in kinds]
    names = [f"{e.topology}/{e.tuple_id}".encode() for e in events]
    roots = [int.from_bytes(hashlib.sha256(name).digest()[:8]) for name in names]
    times = [(e.arrived_ns, e.started_ns - e.arrived_ns, e.finished_ns - e.started_ns) for e in events]
    columns = np.array(times, dtype=np.int64).reshape(-1, 3).T
    return Records(list(places), np.array(kind, dtype=np.int32), np.array(roots, dtype=np.uint64), *columns)


def judge(events: Sequence[Event], block: int = 0) -> Judged:
    return Judged("log.jsonl", block, len(events), make_records(events), [], {})


def run_stages(judged: Iterable[Judged], slicing: Slicing) -> JobResults:
    """What `roll_up` does, one task after another."""
    cuts, pieces = defaultdict(list), defaultdict(list)
    for one in judged:
        for part, cut in encode(one, slicing):
            cuts[part].append((part, cut))
    for part in range(slicing.parts):
        for target, piece in merge(cuts[part], slicing):
            pieces[target % slicing.root_parts].append((target, piece))
    return sort_results(one for part in range(slicing.root_parts) for one in finish(pieces[part], slicing))


def make_rows(events: Sequence[Event], slicing: Slicing) -> tuple[TupleRows, Codes, int]:
    """As the merge makes them of a batch, and how many were copies."""
    cuts = [cut for _, cut in cut_records(make_records(events), slicing._replace(parts=1))]
    with ExitStack() as stack:
        kinds, batches = gather_batches(stack, cuts, slicing)
        (batch,) = batches
        codes = make_codes(kinds)
        rows, repeated = drop_duplicates(batch.cut, codes, slicing)
    return rows, codes, repeated


def slice_windows(
    window_seconds: int = 60, *, slices: int = 1, parts: int = 3, most_records: int = MANY
) -> Slicing:
    window_ns = window_seconds * NS
    return Slicing(window_ns, find_slice_length(window_ns, slices), parts, most_records, None)


def roll_up(blocks: Sequence[Sequence[Event]], slicing: Slicing) -> tuple[Stored, Stored, int]:
    """Operators, topologies, duplicates; JSON texts are read."""
    found = run_stages((judge(events, number) for number, events in enumerate(blocks)), slicing)
    summaries, _ = summarise(found, slicing.window_ns)
    seconds = slicing.window_ns // NS
    operators = {
        (row["topology"], row["operator"], int(row["window_start"].timestamp()) // seconds): read_texts(row)
        for row in summaries.operators
    }
    topologies = {
        (row["topology"], int(row["window_start"].timestamp()) // seconds): row
        for row in summaries.topologies
    }
    return operators, topologies, found.add_up().duplicates


def read_texts(row: dict[str, Any]) -> dict[str, Any]:
    lists = ("busy_fractions", "upstream", "arrival_idc", "service_histogram", "instance_shares")
    return row | {name: row[name] and json.loads(row[name]) for name in lists}


def assert_equal(found: dict[str, Any], expected: dict[str, Any]) -> None:
    for name, value in expected.items():
        got = found[name]
        if name == "busy_fractions":
            got = {one["instance"]: one["busy"] for one in got}
        if name == "upstream":
            got = {one["from_operator"]: one["tuples"] for one in got}
        if value is None or isinstance(value, str):
            assert got == value, name
        else:
            is_near = re.match("(total|completion)_p", name)  # read from a histogram
            assert got == pytest.approx(value, rel=1 / 32 if is_near else 1e-9, abs=1e-12), name


def assert_same(blocks: Sequence[Sequence[Event]], slicing: Slicing) -> None:
    """All numbers of the blocks are those of the reference."""
    events = [event for block in blocks for event in block]
    seconds = slicing.window_ns // NS
    operators, topologies, duplicates = roll_up(blocks, slicing)
    expected = reference.summarise_operators(events, seconds)
    assert operators.keys() == expected.keys()
    for key, summary in expected.items():
        assert_equal(operators[key], summary)
    by_topology = reference.summarise_topologies(events, seconds)
    assert topologies.keys() == by_topology.keys()
    for window, numbers in by_topology.items():
        assert_equal(topologies[window], numbers)
    assert duplicates == len(events) - len(reference.drop_duplicates(events))
