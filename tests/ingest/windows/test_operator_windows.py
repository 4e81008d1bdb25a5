"""Rows of operators and windows: what is stored as JSON, however the log is cut."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ingest.measuring.cuts import Slicing
from ingest.windows.operator_windows import list_dispersion, summarise
from tests.ingest import reference
from tests.ingest.in_memory import judge, roll_up, run_stages, slice_windows
from tests.ingest.logs import START_NS, make_events, make_single_events
from tests.ingest.reference import NS, Event
from tests.ingest.shapes import assert_shapes, describe_shapes
from tests.ingest.window_logs import make_steady, rename, sample_by_chance

WHOLE = slice_windows(900)


def deal(events: Sequence[Event], blocks: int) -> list[list[Event]]:
    order = np.random.default_rng(blocks).permutation(len(events))
    return [[events[i] for i in order[part::blocks]] for part in range(blocks)]


def index_of(row: dict[str, Any]) -> dict[float, float]:
    return {one["window_seconds"]: one["idc"] for one in row["arrival_idc"] or ()}


CUTS = [
    {"slices": 4},
    {"slices": 128, "parts": 7},
    {"most_records": 300},
    {"most_records": 300, "slices": 16},
]


@pytest.mark.parametrize("cut", CUTS, ids=map(str, CUTS))
def test_cutting_a_window_changes_no_dispersion_histogram_or_share(cut: dict[str, int]):
    """Pairs of tuples across the borders of slices would show bins that are cut."""
    events = make_single_events(800, seed=41)
    for e in rename(make_steady(2, 800, seed=42), "slower and slower"):
        events.append(replace(e, finished_ns=e.started_ns + (e.arrived_ns - START_NS) // 1000))
    first = events[0].moved(START_NS - events[0].arrived_ns)
    pairs = [first.moved(n * 900 * NS // 128 + shift) for n in range(4, 60) for shift in (-1000, 3000)]
    events = reference.drop_duplicates([*events, *pairs])
    whole, _, _ = roll_up([events], WHOLE)
    found, _, _ = roll_up(deal(events, 3), slice_windows(900, **cut))
    assert found.keys() == whole.keys()
    for key, row in whole.items():
        assert row["arrival_idc"], key
        assert index_of(found[key]) == pytest.approx(index_of(row), rel=1e-9), key
        assert found[key]["service_histogram"] == row["service_histogram"]
        for one, other in zip(found[key]["instance_shares"], row["instance_shares"], strict=True):
            assert one.pop("instance") == other.pop("instance")
            assert one == pytest.approx(other, rel=1e-9)


def test_bursts_histograms_and_shares_are_those_counted_directly():
    events = [*make_events(300, seed=43), *rename(make_steady(30, 90, seed=52), "steady")]
    events.append(Event("lone", "o", "i", "a", None, START_NS, START_NS, START_NS))
    operators, _, _ = roll_up([events], slice_windows())
    expected = describe_shapes(events, 60)
    assert operators.keys() == expected.keys()
    for key, shapes in expected.items():
        assert_shapes(operators[key], shapes)
        assert sum(one["share"] for one in shapes["instance_shares"]) == pytest.approx(1.0)
    assert {shapes["arrival_idc"] is None for shapes in expected.values()} == {True, False}


@pytest.mark.parametrize("sampling", ["random", "every-nth"])
def test_shares_and_scvs_of_a_sample_stand_for_all_tuples(sampling: str):
    """Two instances, of which one gets three of four tuples; each has Poisson arrivals."""
    events = make_steady(100, 300, seed=44)
    random = np.random.default_rng(45)
    events = [
        Event(**(vars(e) | {"instance": "often" if random.random() < 0.75 else "seldom"})) for e in events
    ]
    if sampling == "random":
        sample = sample_by_chance(events, 5, seed=46)
    else:
        streams = ([e for e in events if e.instance == name] for name in ("often", "seldom"))
        sample = [Event(**(vars(e) | {"sample_every": 5})) for stream in streams for e in stream[::5]]
    (row,) = roll_up([sample], slice_windows(900))[0].values()
    found = {one["instance"]: (one["share"], one["arrival_scv"]) for one in row["instance_shares"]}
    assert found["often"] == pytest.approx((0.75, 1.0), rel=0.15)
    assert found["seldom"] == pytest.approx((0.25, 1.0), rel=0.15)


def test_scales_without_a_number_are_left_out():
    idc = np.array([[np.nan] * 14, [np.nan] * 12 + [0.0, 2.5]])
    texts = list_dispersion(idc, 60 * NS)
    assert texts[0] is None
    assert texts[1] is not None
    assert texts[1].count("window_seconds") == 2


def test_the_dispersion_of_poisson_arrivals_is_near_one_and_that_of_batches_near_their_size():
    steady, first = make_steady(60, 240, seed=48), make_steady(20, 240, seed=51)
    batches = [Event(**(vars(e) | {"tuple_id": f"{e.tuple_id}-{n}"})) for e in first for n in range(6)]
    operators, _, _ = roll_up([[*rename(steady, "one"), *rename(batches, "six")]], slice_windows(240))
    for name, size in (("one", 1.0), ("six", 6.0)):
        found = index_of(operators[name, "o", START_NS // NS // 240])
        assert len(found) >= 7
        assert np.mean(list(found.values())[:6]) == pytest.approx(size, rel=0.1)


def test_a_window_that_is_covered_in_part_is_not_taken_for_bursts():
    """The bins after the end of the log are no silences."""
    events = make_steady(100, 230, seed=49)
    (row,) = roll_up([events], slice_windows(240))[0].values()
    assert row["covered_seconds"] < 231
    assert max(index_of(row).values()) < 1.8


def test_a_run_without_records_has_no_rows():
    slicing: Slicing = slice_windows()
    summaries, flows = summarise(run_stages([judge([])], slicing), slicing.window_ns)
    assert (list(summaries.operators), list(summaries.topologies), flows) == ([], [], [])


def test_flows_are_those_of_the_whole_run():
    events = reference.drop_duplicates(make_events(100, seed=50))
    _, flows = summarise(run_stages([judge(events)], WHOLE), WHOLE.window_ns)
    counted = Counter((e.operator, e.from_operator) for e in events)
    assert {(flow.operator, flow.from_operator): flow.weight for flow in flows} == counted
