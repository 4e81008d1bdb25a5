"""Batches hold every record once, in stretches of time of limited size."""

from collections import Counter
from collections.abc import Generator
from contextlib import ExitStack
from inspect import getgeneratorlocals

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.measuring.cuts import Cut, RecordBatch, Slicing, cut_records, gather_batches, plan_stretches
from ingest.measuring.dispersion import find_bin_lengths
from ingest.reading.records import TupleKind
from tests.ingest.in_memory import make_records, slice_windows
from tests.ingest.logs import START_NS, make_events
from tests.ingest.reference import NS, Event


def make_cuts(events: list[Event], slicing: Slicing, blocks: int = 3) -> list[Cut]:
    """The cuts of all blocks that lie in one part."""
    parts = [make_records(events[block::blocks]) for block in range(blocks)]
    return [cut for one in parts for _, cut in cut_records(one, slicing._replace(parts=1))]


def gather(cuts: list[Cut], slicing: Slicing) -> tuple[list[TupleKind], list[RecordBatch]]:
    with ExitStack() as stack:
        kinds, batches = gather_batches(stack, iter(cuts), slicing)
        return kinds, list(batches)


def list_rows(one: Cut) -> Counter[tuple[object, ...]]:
    columns = (one.root, one.at_ns, one.wait_ns, one.service_ns, one.role)
    rows = zip(one.kind.tolist(), *(column.tolist() for column in columns), strict=True)
    return Counter((one.kinds[kind], *row) for kind, *row in rows)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(0, 400) | st.integers(90_000, 90_003), min_size=1, max_size=40),
    st.integers(1, 12),
    st.sampled_from([1, 4]),
)
def test_every_record_is_in_one_batch_whatever_the_limit(at: list[int], most: int, slices: int):
    """In milliseconds, some of them equal; windows of 60 ms and one second."""
    times = [START_NS + 1_000_000 * t for t in at]
    events = [Event("t", f"o{t % 3}", "i", str(n), None, t, t, t + 10**8) for n, t in enumerate(times)]
    slicing = slice_windows(1, slices=slices, most_records=most)
    cuts = make_cuts(events, slicing)
    kinds, batches = gather(cuts, slicing)
    assert all(one.cut.kinds == kinds for one in batches)
    assert sum((list_rows(one.cut) for one in batches), Counter()) == sum(map(list_rows, cuts), Counter())
    before = 0
    for one in batches:
        assert before <= one.begin_ns < one.end_ns
        before = one.end_ns
        at_ns = one.cut.at_ns
        assert ((at_ns >= one.begin_ns) & (at_ns < one.end_ns)).all()
        assert len(at_ns) <= most or one.end_ns - one.begin_ns == 1


def test_several_windows_are_one_batch_as_long_as_they_fit():
    events = [
        Event("t", "o", "i", str(n), None, at, at, at) for n in range(100) for at in [START_NS + n * 6 * NS]
    ]
    slicing = slice_windows(most_records=35)
    batches = gather(make_cuts(events, slicing), slicing)[1]
    assert [len(one.cut.at_ns) for one in batches] == [30, 30, 30, 10]
    assert {one.is_cut for one in batches} == {False}
    (whole,) = gather(make_cuts(events, slicing), slice_windows())[1]
    assert (whole.begin_ns, whole.end_ns) == (START_NS, START_NS + 600 * NS)


def test_a_window_above_the_limit_is_cut_between_two_bins_of_the_dispersion():
    random = np.random.default_rng(61)
    times = np.sort(START_NS + random.integers(0, 6 * NS, 4000))
    slicing = slice_windows(6, most_records=300)
    length = find_bin_lengths(6 * NS)[-1]
    stretches = list(plan_stretches([times], slicing))
    assert all(is_cut for _, _, is_cut in stretches)
    assert {(begin - START_NS) % length for begin, _, _ in stretches} == {0}
    assert [begin for begin, _, _ in stretches[1:]] == [end for _, end, _ in stretches[:-1]]
    assert (stretches[0][0], stretches[-1][1]) == (START_NS, START_NS + 6 * NS)


@pytest.mark.parametrize("most", [20, 10_000])
def test_slices_of_a_window_are_cut_even_if_all_fit(most: int):
    events = make_events(30, seed=62)
    slicing = slice_windows(slices=4, most_records=most)
    batches = gather(make_cuts(events, slicing), slicing)[1]
    assert (len(batches) > 2) == (most < len(events))
    assert {one.is_cut for one in batches} == {True}


def test_one_nanosecond_is_never_cut():
    events = [Event("t", "o", "i", str(n), None, START_NS, START_NS, START_NS) for n in range(50)]
    slicing = slice_windows(most_records=10)
    sizes = [len(one.cut.at_ns) for one in gather(make_cuts(events, slicing), slicing)[1]]
    assert max(sizes) == sum(sizes) == 50


@pytest.mark.parametrize(("most", "place"), [(1000, np.ndarray), (200, np.memmap)])
def test_beyond_the_limit_the_columns_lie_in_a_file(most: int, place: type):
    """Those of all cuts, of the first ones too."""
    events = make_events(150, seed=63)
    slicing = slice_windows(most_records=most)
    cuts = make_cuts(events, slicing, blocks=5)
    assert 200 < sum(len(one.at_ns) for one in cuts) < 1000
    with ExitStack() as stack:
        batches = gather_batches(stack, cuts, slicing)[1]
        assert isinstance(batches, Generator)
        held = getgeneratorlocals(batches)["cuts"]
        for one, cut in zip(held, cuts, strict=True):
            assert {type(column) for column in one[1:]} == {place}
            assert list_rows(one) == list_rows(cut)
