"""Shapes of loads in snapshots: the service takes all of them, and nothing is made up or lost."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.load.bodies.load import OperatorLoadBody
from ingest.measuring.columns import cut_segments
from ingest.measuring.measures import find_buckets
from ingest.windows.listing import list_objects
from ingest.windows.snapshot_shapes import (
    MOST_IDC,
    MOST_INSTANCES,
    keep_buckets,
    keep_scales,
    keep_shares,
    list_bounds,
)
from tests.ingest.in_memory import roll_up, slice_windows
from tests.ingest.logs import make_single_events, make_sparse_events
from tests.ingest.reference import NS, Event
from tests.ingest.window_logs import make_pool, make_steady, rename

services = st.one_of(st.just(0), st.integers(0, 60), st.integers(0, 2**60), st.integers(10**6, 10**9))


def read_shapes(
    events: Sequence[Event], window_seconds: int = 60
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The row of each operator and window, and its shapes."""
    rows, _, _ = roll_up([events], slice_windows(window_seconds))
    return [(row, json.loads(row["shapes"] or "{}")) for row in rows.values()]


def keep_services(nanos: Sequence[int]) -> list[dict[str, Any]]:
    """The buckets of one window."""
    bucket, count = np.unique(find_buckets(np.array(nanos)), return_counts=True)
    table = {"bucket": bucket, "tuples": count}
    kept = keep_buckets(table, cut_segments(np.zeros(len(bucket))), np.array([True]))(0, 1)
    return list(json.loads(kept[0]))


def test_the_service_takes_the_shapes_of_all_kinds_of_logs():
    steady = rename(make_steady(200, 130, seed=6), "steady")
    logs = [make_single_events(300, seed=5), make_sparse_events(), make_pool(), steady]
    named: set[str] = set()
    for row, shapes in read_shapes([e for log in logs for e in log]):
        load = OperatorLoadBody.model_validate(shapes).to_values()
        named |= shapes.keys()
        assert sum(one.services for one in load.service_histogram) == (
            row["tuples"] if row["service_rate"] else 0
        )
        assert {one.instance for one in load.instances} == {one["instance"] for one in row["instance_shares"]}
        indices = [{"window_seconds": one.window_seconds, "idc": one.idc} for one in load.arrival_idc]
        assert indices == ((row["arrival_idc"] or []) if len(row["arrival_idc"] or []) > 1 else [])
    assert named == {"arrival_idc", "instances", "service_histogram"}


@given(nanos=st.lists(services, min_size=1, max_size=40))
def test_each_service_lies_in_its_bucket_and_no_bucket_is_wide(nanos: list[int]):
    kept = keep_services(nanos)
    OperatorLoadBody.model_validate({"service_histogram": kept})
    bounds = [0.0, *(one["upper_seconds"] for one in kept)]
    counts = [one["count"] for one in kept]
    for place, count in enumerate(counts):
        low, high = bounds[place], bounds[place + 1]
        inside = sum(low * (1 - 1e-5) <= max(n, 0.5) / NS < high * (1 + 1e-5) for n in nanos)
        assert inside >= count, "rounded bounds may also hold a neighbour's"
        assert not count or high <= 1.2501 * low or high == 1e-9
    assert sum(counts) == len(nanos)


def test_services_of_no_time_are_counted_apart():
    assert keep_services([0, 0, 0, 10**6]) == [
        {"upper_seconds": 1e-9, "count": 3},
        {"upper_seconds": 0.000917504, "count": 0},
        {"upper_seconds": 0.00104858, "count": 1},
    ]


def test_bounds_are_those_of_every_second_bucket():
    bounds = list_bounds(8)
    assert bounds == pytest.approx([1e-9, 1.25e-9, 1.5e-9, 1.75e-9, 2e-9, 2.5e-9, 3e-9, 3.5e-9, 4e-9])


def test_one_scale_alone_and_what_is_beyond_the_limit_is_left_out():
    idc = np.full((4, 14), np.nan)
    idc[0, 3], idc[1, 3:5], idc[2, :2] = 2.0, (1e12, 0.0), (1.0, 2.0)
    kept = keep_scales(lambda begin, end: [f"text {n}" for n in range(begin, end)], idc)
    assert kept(0, 4) == [None, None, "text 2", None]
    assert kept(2, 3) == ["text 2"]
    assert MOST_IDC < 1e12


def test_shares_of_all_instances_or_of_none():
    names = ["a", "b", " c", "d", *(f"i{n}" for n in range(MOST_INSTANCES + 1))]
    windows = cut_segments(np.repeat([0, 1, 2], [2, 2, MOST_INSTANCES + 1]))
    scvs = np.append([np.nan, 1e9], np.ones(len(names) - 2))
    texts = list_objects({"instance": names, "arrival_scv": scvs}, windows)
    known, renamed, many = keep_shares(texts, names, scvs, windows)(0, 3)
    assert json.loads(known) == [
        {"instance": "a", "arrival_scv": None},
        {"instance": "b", "arrival_scv": 1e6},
    ]
    assert renamed is None, "the service takes no name with spaces around it"
    assert many is None


def test_an_operator_whose_services_take_no_time_has_no_histogram():
    events = [replace(e, finished_ns=e.started_ns) for e in make_steady(50, 60, seed=1)]
    for row, shapes in read_shapes(events):
        assert row["service_rate"] is None
        assert "service_histogram" not in shapes
        assert sum(one["share"] for one in shapes["instances"]) == pytest.approx(1.0)
