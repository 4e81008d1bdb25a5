"""The topologies of a run, the time covered of each, and the flows between operators."""

from collections import Counter

import pytest

from ingest.measuring.pieces import Pieces, join_pieces
from ingest.windows.discovery import SeenFlow
from ingest.windows.topology_windows import find_topologies, list_flows
from tests.ingest import reference
from tests.ingest.in_memory import judge, run_stages, slice_windows
from tests.ingest.logs import START_NS, make_events
from tests.ingest.reference import NS, Event
from tests.ingest.window_logs import rename

SHORT = rename(make_events(60, seed=111, seconds=100, sample_every=3), "short")
LONE = [Event("lone", "o", "i", "a", None, START_NS, START_NS, START_NS)]
EVENTS = [*make_events(150, seed=112), *SHORT, *LONE]


def make_log() -> Pieces:
    return join_pieces(
        run_stages([judge(EVENTS[::2]), judge(EVENTS[1::2], 1)], slice_windows(parts=4)).pieces
    )


def test_each_operator_has_the_time_covered_of_its_topology():
    log = make_log()
    found = find_topologies(log)
    covers = reference.find_cover(reference.drop_duplicates(EVENTS), 60 * NS)
    assert found.names == ["fpd", "lone", "short"]
    assert [one.find_cover() for one in found.ends] == [covers[name] for name in found.names]
    for place, (topology, _) in enumerate(log.operators):
        assert found.names[found.of_operator[place]] == topology
        assert (found.begin_ns[place], found.end_ns[place]) == (covers[str(topology)] or (0, 0))
    assert covers["lone"] is None


def test_edges_are_told_from_outside_or_not():
    log = make_log()
    find_topologies(log)
    edges = log.tables["edges"]
    for edge, is_outside in zip(edges["edge"].tolist(), edges["is_outside"].tolist(), strict=True):
        assert is_outside == (log.edges[edge][2] is None)
    assert set(edges["is_outside"].tolist()) == {True, False}


def test_flows_are_weighed_by_what_the_records_stand_for():
    flows = list_flows(make_log())
    assert all(isinstance(flow, SeenFlow) for flow in flows)
    expected: Counter[tuple[str, str, str | None]] = Counter()
    for e in reference.drop_duplicates(EVENTS):
        expected[e.topology, e.operator, e.from_operator] += e.sample_every
    assert {(f.topology, f.operator, f.from_operator): f.weight for f in flows} == pytest.approx(expected)
