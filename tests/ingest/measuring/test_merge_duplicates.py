"""Copies of a record are one, whichever of them comes first; all that differs is kept."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.ingest import reference
from tests.ingest.in_memory import make_records, make_rows, slice_windows
from tests.ingest.logs import START_NS, make_events
from tests.ingest.reference import NS, Event

ONE = Event("t", "o", "i", "a", None, START_NS, START_NS + 1, START_NS + 2)


def list_rows(events: list[Event]) -> tuple[list[tuple[object, ...]], int]:
    rows, codes, repeated = make_rows(events, slice_windows())
    names = [(*codes.instances[codes.instance[kind]], codes.every[kind]) for kind in rows.kind]
    times = zip(*(c.tolist() for c in (rows.arrived_ns, rows.wait_ns, rows.service_ns)), strict=True)
    return [(*name, *spans) for name, spans in zip(names, times, strict=True)], repeated


def test_rows_are_the_records_each_once_in_order_of_operators_and_arrivals():
    events = make_events(150, seed=71)
    events += events[:50] + events[20:30]
    rows, codes, repeated = make_rows(events, slice_windows())
    kept = reference.drop_duplicates(events)
    assert (len(rows.kind), repeated) == (len(kept), len(events) - len(kept))
    order = [*zip(rows.operator.tolist(), rows.slice.tolist(), rows.arrived_ns.tolist(), strict=True)]
    assert order == sorted(order)
    assert (rows.slice == rows.arrived_ns // (60 * NS)).all()
    assert (rows.operator == codes.operator[rows.kind]).all()
    expected = [
        (
            e.topology,
            e.operator,
            e.instance,
            1,
            e.arrived_ns,
            e.started_ns - e.arrived_ns,
            e.finished_ns - e.started_ns,
        )
        for e in kept
    ]
    assert sorted(list_rows(events)[0]) == sorted(expected)


@pytest.mark.parametrize(
    "changes",
    [
        {"topology": "u"},
        {"operator": "p"},
        {"instance": "j"},
        {"tuple_id": "b"},
        {"arrived_ns": START_NS - 1},
        {"started_ns": START_NS},
        {"finished_ns": START_NS + 3},
    ],
    ids=str,
)
def test_a_record_that_differs_in_a_name_or_a_time_is_another(changes: dict[str, Any]):
    twin = replace(ONE, **changes)
    found, repeated = list_rows([ONE, twin, ONE, twin, twin])
    assert (len(found), repeated) == (2, 3)


@pytest.mark.parametrize(
    "changes", [{"from_operator": "x"}, {"sample_every": 5}, {"sampling": "random"}], ids=str
)
def test_of_copies_that_differ_otherwise_the_same_one_is_kept_in_any_order(changes: dict[str, Any]):
    """That of the largest `sample_every`, so that no tuple is lost."""
    other = replace(ONE, **changes)
    (found,), repeated = list_rows([ONE, other])
    assert ([found], repeated) == list_rows([other, ONE])
    assert found[3] == max(ONE.sample_every, other.sample_every)


def test_the_order_of_files_does_not_change_that_of_rows():
    events = make_events(80, seed=72)
    ties = [
        replace(e, instance=f"i{n}", finished_ns=e.finished_ns + n % 2) for n, e in enumerate(events[:40])
    ]
    ties += [replace(e, arrived_ns=START_NS + 5) for e in events[:30] if e.arrived_ns > START_NS + 5]
    found = list_rows([*events, *ties])
    random = np.random.default_rng(73)
    for _ in range(3):
        shuffled = [*events, *ties]
        random.shuffle(shuffled)
        assert list_rows(shuffled) == found


def test_records_of_the_tests_have_roots_of_their_own():
    """What the reader promises: equal roots have equal hashes, others not."""
    events = make_events(30, seed=74)
    roots = make_records(events).root.tolist()
    assert len(set(roots)) == len({(e.topology, e.tuple_id) for e in events})
