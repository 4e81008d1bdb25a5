"""Every record lies in one part, with its start and finish where they fall."""

from collections import Counter
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.measuring.cuts import (
    ARRIVAL,
    FINISH,
    LONG_WINDOW_NS,
    MOST_PARTS,
    MOST_SLICES,
    PART_RECORDS,
    START,
    Cut,
    Slicing,
    cut_records,
    find_slice_length,
    keep_day,
    number_slices,
    plan_slices,
)
from ingest.measuring.dispersion import find_bin_lengths
from ingest.request import Request
from tests.ingest.in_memory import make_records, slice_windows
from tests.ingest.logs import START_NS, make_events
from tests.ingest.reference import NS, Event

DAY_NS = 86_400 * NS


def ask(window_seconds: int = 60, day: date | None = None) -> Request:
    return Request(("log",), day, window_seconds, 0.05)


def cut(events: list[Event], slicing: Slicing) -> dict[int, Cut]:
    cuts = list(cut_records(make_records(events), slicing))
    assert len(dict(cuts)) == len(cuts), "a part comes once"
    return dict(cuts)


def list_cut(one: Cut) -> list[tuple[str, str, int, int, int, int]]:
    """Topology, instance, role, time, wait and service of each row."""
    columns = (one.kind, one.role, one.at_ns, one.wait_ns, one.service_ns)
    return [
        (one.kinds[kind].topology, one.kinds[kind].instance, *times)
        for kind, *times in zip(*(column.tolist() for column in columns), strict=True)
    ]


def expect(events: list[Event], slicing: Slicing) -> Counter[tuple[str, str, int, int, int, int]]:
    """Arrivals, and the starts and finishes that fall in a later slice than the arrival."""
    found: Counter[tuple[str, str, int, int, int, int]] = Counter()
    for e in events:
        spans = (e.started_ns - e.arrived_ns, e.finished_ns - e.started_ns)
        for role, at in ((ARRIVAL, e.arrived_ns), (START, e.started_ns), (FINISH, e.finished_ns)):
            if role == ARRIVAL or slice_of(at, slicing) != slice_of(e.arrived_ns, slicing):
                found[e.topology, e.instance, role, at, *spans] += 1
    return found


def slice_of(at: int, slicing: Slicing) -> tuple[int, int]:
    return at // slicing.window_ns, at % slicing.window_ns // slicing.slice_ns


@pytest.mark.parametrize(("slices", "parts"), [(1, 1), (1, 5), (8, 3), (128, 256)])
def test_each_record_and_each_late_event_is_in_one_part(slices: int, parts: int):
    events = make_events(150, seed=51) + make_events(100, seed=52, topology="other")
    slicing = slice_windows(slices=slices, parts=parts)
    cuts = cut(events, slicing)
    assert sum((Counter(list_cut(one)) for one in cuts.values()), Counter()) == expect(events, slicing)
    places: dict[tuple[str, int], set[int]] = {}
    for part, one in cuts.items():
        assert 0 <= part < parts
        assert one.at_ns.tolist() == sorted(one.at_ns.tolist())
        assert len(set(one.kinds)) == len(one.kinds) == len(set(one.kind.tolist()))
        for topology, _, _, at, *_ in list_cut(one):
            places.setdefault((topology, number_slices_of(at, slicing)), set()).add(part)
    assert {len(found) for found in places.values()} == {1}, "a slice of a topology is in one part"
    assert parts == 1 or len(cuts) > 1


def number_slices_of(at: int, slicing: Slicing) -> int:
    return int(
        number_slices(make_records([Event("t", "o", "i", "a", None, at, at, at)]).arrived_ns, slicing)[0]
    )


def test_roots_stay_beside_their_records():
    events = make_events(50, seed=53)
    records = make_records(events)
    known = dict(zip(records.arrived_ns.tolist(), records.root.tolist(), strict=True))
    for one in cut(events, slice_windows(parts=4)).values():
        for root, at, role in zip(one.root.tolist(), one.at_ns.tolist(), one.role, strict=True):
            assert role != ARRIVAL or known[at] == root


def test_no_records_have_no_cuts():
    assert cut([], slice_windows()) == {}


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 86_400), st.sampled_from([1, 2, 16, 128]), st.integers(0, 10**15))
def test_slices_are_parts_of_windows_between_two_bins(seconds: int, slices: int, at: int):
    slicing = slice_windows(seconds, slices=slices)
    bin_ns = find_bin_lengths(slicing.window_ns)[0]
    assert slicing.slice_ns == slicing.window_ns or slicing.slice_ns % bin_ns == 0
    assert slicing.per_window <= slices
    number = number_slices_of(at, slicing)
    window, place = divmod(number, slicing.per_window)
    assert window == at // slicing.window_ns
    assert place == at % slicing.window_ns // slicing.slice_ns


def test_long_windows_are_cut_if_there_is_work_for_many():
    long = ask(int(LONG_WINDOW_NS / NS) + 1)
    assert plan_slices(ask(), 50 * PART_RECORDS).per_window == 1, "short windows are whole"
    assert plan_slices(long, PART_RECORDS).per_window == 1
    assert plan_slices(long, 5 * PART_RECORDS).per_window == 8
    assert plan_slices(long, 10**12).per_window == MOST_SLICES
    assert find_slice_length(long.window_ns, MOST_SLICES) == find_bin_lengths(long.window_ns)[-1]


@pytest.mark.parametrize(
    ("records", "parts"),
    [(0, 1), (1, 1), (PART_RECORDS, 1), (PART_RECORDS + 1, 2), (10**12, MOST_PARTS)],
)
def test_parts_are_as_many_as_the_records_need(records: int, parts: int):
    slicing = plan_slices(ask(), records)
    assert (slicing.parts, slicing.most_records) == (parts, ask().most_records)


def test_with_a_day_only_what_arrived_on_it_is_kept():
    slicing = plan_slices(ask(day=date(2026, 11, 18)), 10)
    assert slicing.day_ns == (START_NS, START_NS + DAY_NS)
    at = (START_NS - 1, START_NS, START_NS + DAY_NS - 1, START_NS + DAY_NS)
    records = make_records([Event("t", "o", "i", str(t), None, t, t, t + DAY_NS) for t in at])
    assert keep_day(records, slicing).arrived_ns.tolist() == list(at[1:3])
    assert keep_day(records, slicing).root.tolist() == records.root[1:3].tolist()
    assert keep_day(records, plan_slices(ask(), 10)) is records
