"""The pieces of a part add up to its records, whatever the batches."""

from collections import Counter

import numpy as np
import pytest

from ingest.measuring.columns import make_codes
from ingest.measuring.cuts import Slicing, cut_records
from ingest.measuring.measures import MOST_SPANS
from ingest.measuring.merge import find_events, merge_part, number_topologies
from ingest.measuring.pieces import Pieces, join_pieces
from ingest.measuring.roots import RootSums
from tests.ingest import reference
from tests.ingest.in_memory import make_records, make_rows, slice_windows
from tests.ingest.logs import START_NS, make_events
from tests.ingest.reference import NS, Event
from tests.ingest.window_logs import rename

WINDOW_NS = 60 * NS
EVENTS = make_events(200, seed=91) + rename(make_events(80, seed=92, seconds=100), "short")
LONG = [
    Event("t", "o", "i", str(n), None, at, at + 70 * NS, at + 200 * NS)
    for n in range(9)
    for at in [START_NS + n]
]


def merge(events: list[Event], slicing: Slicing, blocks: int = 2) -> tuple[list[Pieces], list[RootSums]]:
    records = [make_records(events[block::blocks]) for block in range(blocks)]
    cuts = [cut for one in records for _, cut in cut_records(one, slicing._replace(parts=1))]
    found = list(merge_part(cuts, slicing))
    pieces = [one for one in found if isinstance(one, Pieces)]
    return pieces, [one for one in found if isinstance(one, RootSums)]


@pytest.mark.parametrize("cut", [{}, {"slices": 4}, {"most_records": 20}], ids=str)
def test_pieces_add_up_to_the_records(cut: dict[str, int]):
    slicing = slice_windows(**cut)
    pieces, roots = merge([*EVENTS, *EVENTS[:25]], slicing)
    kept = reference.drop_duplicates(EVENTS)
    assert sum(one.duplicates for one in pieces) == len(EVENTS) + 25 - len(kept)
    log = join_pieces(pieces)
    for name in ("operators", "instances", "edges", "services"):
        assert log.tables[name]["tuples"].sum() == len(kept), name
    assert sum(int(one.table["low"].sum()) + int(one.table["high"].sum() << 30) for one in roots) == sum(
        e.finished_ns - e.arrived_ns for e in kept
    )
    assert (len(log.tables["spans"]["wait"]) == len(kept)) == bool(cut)
    assert len(pieces) == len(roots) > 5 * ("most_records" in cut)


@pytest.mark.parametrize("cut", [{}, {"slices": 8}, {"most_records": 4}], ids=str)
def test_every_start_and_finish_is_one_event_of_its_window(cut: dict[str, int]):
    """Also of copies, of services over many windows, and where a batch ends between a start and its finish."""
    events = [*EVENTS, *LONG, *LONG[:4]]
    pieces, _ = merge(events, slice_windows(**cut))
    log = join_pieces(pieces)
    levels = log.tables["levels"]
    found: Counter[tuple[object, ...]] = Counter()
    for operator, window, net in zip(
        *(levels[k].tolist() for k in ("operator", "window", "net")), strict=True
    ):
        found[*log.operators[operator], window] += net
    expected: Counter[tuple[object, ...]] = Counter()
    for e in reference.drop_duplicates(events):
        expected[e.topology, e.operator, e.started_ns // WINDOW_NS] += 1
        expected[e.topology, e.operator, e.finished_ns // WINDOW_NS] -= 1
    assert {key: net for key, net in found.items() if net} == {
        key: net for key, net in expected.items() if net
    }


@pytest.mark.parametrize("most_records", [1_000_000, 30])
def test_tails_are_the_events_behind_the_last_arrival_of_their_topology(most_records: int):
    """Of parts of windows they are more, since a later part may have arrivals; a batch without arrivals may be all."""
    pieces, _ = merge(EVENTS, slice_windows(most_records=most_records), blocks=1)
    log = join_pieces(pieces)
    tails = log.tables["tails"]
    found = Counter(
        zip(tails["operator"].tolist(), tails["at_ns"].tolist(), tails["change"].tolist(), strict=True)
    )
    places = {name: place for place, name in enumerate(log.operators)}
    last = {name: max(e.arrived_ns for e in EVENTS if e.topology == name) for name in ("fpd", "short")}
    expected = Counter(
        (places[e.topology, e.operator], at, change)
        for e in reference.drop_duplicates(EVENTS)
        for at, change in ((e.started_ns, 1), (e.finished_ns, -1))
        if at >= last[e.topology]
    )
    assert expected
    assert expected - found == Counter()
    assert found == expected or len(pieces) > 1


@pytest.mark.parametrize("slices", [1, 4, 128])
def test_of_a_window_in_slices_no_more_is_kept_for_quantiles_than_of_one_piece(slices: int):
    """All that is kept goes to the driver, for each operator and window."""
    times = np.random.default_rng(95).integers(0, WINDOW_NS, 25_000)
    one = make_short(seed=94)[0]
    many = make_records([one.moved(int(at) + START_NS - one.arrived_ns) for at in times])
    slicing = slice_windows(slices=slices)._replace(parts=1, most_records=20_000)
    found = merge_part([cut for _, cut in cut_records(many, slicing)], slicing)
    spans = join_pieces([one for one in found if isinstance(one, Pieces)]).tables["spans"]
    assert MOST_SPANS / 2 < len(spans["wait"]) <= MOST_SPANS * (2 if slices == 1 else 1)
    assert spans["stride"].sum() == pytest.approx(25_000, rel=0.1)


def make_short(seed: int) -> list[Event]:
    """Services of some seconds that overlap, all in one window, in whose second half nothing arrives."""
    random = np.random.default_rng(seed)
    times = [START_NS + int(at * NS) for at in random.uniform(0, 25, 20)]
    spans = random.uniform(0, 12, (20, 2)) * NS
    return [
        Event("t", "o", "i", str(n), None, at, at + int(wait), at + int(wait) + int(service))
        for n, (at, (wait, service)) in enumerate(zip(times, spans, strict=True))
    ]


@pytest.mark.parametrize("most_records", [1_000_000, 6, 1])
def test_the_batches_of_a_window_follow_each_other(most_records: int):
    """What starts or ends after its batch waits for the batch of its time; all behind the last arrival are tails."""
    events = make_short(seed=93)
    pieces, _ = merge(events, slice_windows(most_records=most_records))
    level, peak = 0, 0
    for one in pieces:
        levels = one.tables["levels"]
        for most, net in zip(levels["most"].tolist(), levels["net"].tolist(), strict=True):
            peak, level = max(peak, level + most), level + net
    assert (peak, level) == (reference.count_busy(events, (START_NS, START_NS + WINDOW_NS), None)[0], 0)
    last = max(e.arrived_ns for e in events)
    tails = join_pieces(pieces).tables["tails"]["at_ns"].tolist()
    assert sorted(at for at in tails if at > last) == sorted(
        at for e in events for at in (e.started_ns, e.finished_ns) if at > last
    )


def test_events_of_a_row_are_those_in_the_slice_of_its_arrival():
    slicing = slice_windows(slices=2)
    rows, _, _ = make_rows(
        [*LONG, Event("t", "o", "i", "x", None, START_NS, START_NS, START_NS + 5)], slice_windows()
    )
    starts, finishes = find_events(rows, slicing)
    assert (starts.at_ns.tolist(), starts.is_start.tolist()) == ([START_NS], [True])
    assert (finishes.at_ns.tolist(), finishes.is_start.tolist()) == ([START_NS + 5], [False])


def test_operators_know_their_topologies():
    codes = make_codes(make_records(EVENTS).kinds)
    topologies = number_topologies(codes)
    for operator, topology in zip(codes.operators, topologies.tolist(), strict=True):
        assert codes.topologies[topology] == operator[:1]


def test_a_part_without_cuts_has_no_pieces():
    assert merge([], slice_windows()) == ([], [])
    assert np.array(list(merge_part([], slice_windows()))).size == 0
