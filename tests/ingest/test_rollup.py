"""Every number of the summaries against the definitions in numpy, however the log is cut into blocks and parts."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.measuring.pieces import pack
from ingest.measuring.roots import finish_roots, sum_roots
from ingest.reading.records import Reject
from ingest.rollup import MOST_REJECTS, Lines, drop_rejects, merge, sort_results
from ingest.windows.topology_windows import sum_counted_roots
from tests.ingest import reference
from tests.ingest.in_memory import (
    assert_same,
    judge,
    make_records,
    make_rows,
    roll_up,
    run_stages,
    slice_windows,
)
from tests.ingest.logs import START_NS, make_events, make_single_events
from tests.ingest.reference import NS, Event
from tests.ingest.stored import JobResults
from tests.ingest.window_logs import make_midway


def vars_of(event: Event) -> dict[str, Any]:
    return {name: getattr(event, name) for name in Event.__dataclass_fields__}


def make_mixed() -> list[Event]:
    """Three topologies; some records twice, some with a twin that was served otherwise."""
    events = make_events(400, seed=1) + make_events(150, seed=2, topology="other", sample_every=10)
    late = [Event(**(vars_of(e) | {"finished_ns": e.finished_ns + 5000})) for e in events[5:9]]
    tied = [Event(**(vars_of(e) | {"started_ns": e.finished_ns})) for e in events[50:90]]
    by_chance = make_events(100, seed=6, topology="random", sample_every=4, sampling="random")
    return [*events, *events[:40], *late, *tied, *by_chance]


def deal(events: list[Event], blocks: int, seed: int) -> list[list[Event]]:
    """The events in blocks, shuffled."""
    order = np.random.default_rng(seed).permutation(len(events))
    return [[events[i] for i in order[part::blocks]] for part in range(blocks)]


def test_every_number_equals_the_definitions():
    assert_same(deal(make_mixed(), 3, seed=3), slice_windows())


CUTS = [
    {"parts": 1},
    {"parts": 7},
    {"slices": 4},
    {"slices": 128, "parts": 5},
    {"most_records": 100},
    {"most_records": 7, "slices": 8},
]


@pytest.mark.parametrize("cut", CUTS, ids=map(str, CUTS))
def test_how_windows_are_cut_changes_no_number(cut: dict[str, int]):
    assert_same(deal(make_mixed(), 2, seed=4), slice_windows(**cut))


@pytest.mark.parametrize("seconds", [1, 7, 600])
def test_windows_of_any_length(seconds: int):
    assert_same(deal(make_events(150, seed=7), 2, seed=5), slice_windows(seconds))


@st.composite
def odd_events(draw: st.DrawFn) -> list[Event]:
    """Few names and times near each other and near borders of windows, so that ties and copies are frequent."""
    times = st.integers(0, 40).map(lambda n: START_NS + n * 250_000_000)
    spans = st.integers(0, 5).map(lambda n: n * 250_000_000) | st.integers(0, 40 * NS)
    count = draw(st.integers(1, 25))
    events = []
    for _ in range(count):
        arrived, wait, service = draw(times), draw(spans), draw(spans)
        every, sampling = draw(st.sampled_from([(1, "every-nth"), (3, "every-nth"), (4, "random")]))
        names = (draw(st.sampled_from("tu")), draw(st.sampled_from("ab")), draw(st.sampled_from("ij")))
        upstream = draw(st.sampled_from([None, "a"]))
        times_of = (arrived, arrived + wait, arrived + wait + service)
        events.append(Event(*names, draw(st.sampled_from("xyz")), upstream, *times_of, every, sampling))
    return events


@settings(max_examples=40, deadline=None)
@given(
    odd_events(),
    st.integers(1, 3),
    st.integers(1, 4),
    st.sampled_from([1, 3, 1000]),
    st.sampled_from([1, 2, 8]),
)
def test_odd_logs_are_measured_by_the_definitions(
    events: list[Event], blocks: int, parts: int, most_records: int, slices: int
):
    """Copies that differ in sampling or upstream are left out: which of them stays is not defined."""
    single: dict[tuple[Any, ...], Event] = {}
    for e in events:
        key = (e.topology, e.operator, e.instance, e.tuple_id, e.arrived_ns, e.started_ns, e.finished_ns)
        first = single.setdefault(key, e)
        single[key] = first
    same = [e for e in events if e in single.values()]
    slicing = slice_windows(2, parts=parts, most_records=most_records, slices=slices)
    assert_same([same[part::blocks] for part in range(blocks)], slicing)


def test_the_order_of_files_changes_no_bit():
    """Sums of floats depend on their order, which is therefore that of the records, and not that of the tasks."""
    events = make_mixed()
    again = [Event(**(vars_of(e) | {"sample_every": 3, "from_operator": None})) for e in events[90:95]]
    found = [roll_up(deal([*events, *again], blocks, seed=blocks), slice_windows()) for blocks in (1, 4)]
    assert found[0] == found[1]


def test_centuries_of_a_broken_clock_add_up():
    """In nanoseconds each takes most of 64 bits, and each stands for a million."""
    one = Event("t", "o", "i", "a", None, START_NS, START_NS, START_NS + 170 * 365 * 86_400 * NS, 1_000_000)
    assert_same([[one.moved(i * NS) for i in range(40)]], slice_windows())


def test_a_clock_that_stood_at_1970_and_at_2191_in_one_log():
    """The mean gap is centuries long, and the log ends beyond what 64 bits of nanoseconds can say."""
    one = Event("t", "o", "i", "a", None, NS, NS, 2 * NS)
    late = 221 * 365 * 86_400 * NS
    assert_same([[one, one.moved(NS), one.moved(late), one.moved(late + NS)]], slice_windows())


def test_a_hundred_thousand_services_of_a_day_are_under_way():
    """Together they take more nanoseconds than 64 bits hold."""
    day, many = 86_400 * NS, 107_000
    begin = START_NS // day * day
    events = [Event("t", "o", "i", f"{n}", None, begin + n, begin + n, begin + day) for n in range(many)]
    last = Event("t", "o", "i", "last", None, begin + day - 2, begin + day - 2, begin + day - 1)
    for most_records in (20_000, 1_000_000):
        (row,) = roll_up([[*events, last]], slice_windows(86_400, most_records=most_records))[0].values()
        assert row["mean_busy"] == pytest.approx(many, rel=1e-6)


def test_a_run_without_records_has_no_rows():
    found = run_stages([judge([])], slice_windows())
    assert (found.pieces, found.add_up().read) == ([], 0)
    assert roll_up([[]], slice_windows()) == ({}, {}, 0)


def test_with_a_day_only_its_records_are_counted():
    events = make_events(30, seed=21)
    early = [event.moved(-86_400 * NS) for event in events[:4]]
    slicing = slice_windows()._replace(day_ns=(START_NS, START_NS + 86_400 * NS))
    assert run_stages([judge([*events, *early])], slicing).add_up().read == len(events)
    assert len(make_records(early).kind) == 4


def test_of_very_many_rejects_the_first_are_kept():
    lines = [
        Lines("log", block, 60_000, 0, [Reject(0, "r", "t")] * 60_000, {"r": 60_000})
        for block in (2, 0, 3, 1)
    ]
    kept = [one for _, one in merge([(0, one) for one in lines], slice_windows())]
    assert sum(len(one.rejects) for one in kept if isinstance(one, Lines)) <= 2 * MOST_REJECTS
    assert drop_rejects(lines) == MOST_REJECTS
    assert [(one.block, len(one.rejects)) for one in lines] == [(0, 60_000), (1, 40_000), (2, 0), (3, 0)]
    assert sum(one.reasons["r"] for one in lines) == 240_000


def test_tuples_of_roots_before_the_log_are_not_taken_for_roots(minutes: JobResults):
    """Counted as roots, they would halve the measured E[T] of the first minute."""
    counts = np.bincount(
        [(e.arrived_ns - START_NS) // (60 * NS) for e in make_midway() if e.from_operator is None]
    )
    whole = minutes["midway"]["topology_summaries"][:2]
    assert [row["root_tuples"] for row in whole] == list(counts[:2])
    for row in whole:
        assert row["mean_total_sojourn_seconds"] == pytest.approx(0.11, rel=0.1)
        assert row["mean_completion_seconds"] == pytest.approx(30.1, rel=0.01)


def test_two_children_in_the_same_microsecond_are_two(minutes: JobResults):
    assert [edge["selectivity"] for edge in minutes["twins"]["edges"]] == [2.0]


def test_the_variation_of_arrivals_is_that_of_all_however_they_were_sampled(shifts: JobResults):
    """Poisson arrivals, of which every fourth is logged, or each with a chance of a fourth; and both at once."""
    for name in ("nth", "chance"):
        (row,) = shifts[name]["operator_summaries"]
        assert row["arrival_scv"] == pytest.approx(1.0, abs=0.2)
        assert row["arrival_rate"] == pytest.approx(100, rel=0.1)
    assert [row["arrival_scv"] for row in shifts["mixed"]["operator_summaries"]] == [None]


def test_the_reference_tells_copies_from_twins():
    events = make_mixed()
    assert len(reference.drop_duplicates(events)) == len(events) - 40


def test_counts_of_roots_are_added_up_as_they_come():
    """Those of all parts would be gigabytes in the driver."""
    events = [replace(e, topology=f"t{n % 3}") for n, e in enumerate(make_single_events(200, seed=21))]
    sums = [
        finish_roots([sum_roots(*make_rows(events[part::6], slice_windows())[:2])], 60 * NS)
        for part in range(6)
    ]
    names = ["t0", "t1", "t2"]
    whole = sum_counted_roots(names, sums)
    found = sort_results(map(pack, sums), most_counts=100).roots
    assert len(found) < len(sums)
    joined = sum_counted_roots(names, found)
    assert {name: column.tolist() for name, column in joined.items()} == {
        name: column.tolist() for name, column in whole.items()
    }
