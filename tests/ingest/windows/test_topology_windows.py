"""Rows of topologies: what came from outside, and how long the counted roots took."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ingest.measuring.columns import Table, stack
from ingest.measuring.roots import LOW, RootSums
from ingest.windows.topology_windows import sum_counted_roots
from tests.ingest.in_memory import roll_up, slice_windows
from tests.ingest.logs import START_NS
from tests.ingest.reference import NS, Event

MINUTE = START_NS // NS // 60


def make(
    tuple_id: str, seconds: float, upstream: str | None = None, took: float = 1.0, **changes: Any
) -> Event:
    at = START_NS + round(seconds * NS)
    one = Event("t", "p" if upstream else "o", "i", tuple_id, upstream, at, at, at + round(took * NS))
    return replace(one, **changes)


def read(events: list[Event], **cut: int) -> dict[int, dict[str, Any]]:
    """By minutes after the first."""
    rows = roll_up([events[::2], events[1::2]], slice_windows(**cut))[1]
    return {window - MINUTE: row for (_, window), row in rows.items()}


@pytest.mark.parametrize("cut", [{}, {"parts": 1}, {"slices": 8}, {"most_records": 2}], ids=str)
def test_a_root_counts_where_it_begins_with_all_that_derives_from_it(cut: dict[str, int]):
    events = [
        make("a", 10),
        make("a", 55, "o", took=20.0),
        make("a", 130, "o", took=4.0),
        make("b", 62, took=2.0),
        make("b", 70, "o", took=0.5),
    ]
    rows = read(events, **cut)
    assert [rows[n]["root_tuples"] for n in (0, 1, 2)] == [1, 1, 0]
    assert rows[0]["mean_total_sojourn_seconds"] == pytest.approx(25.0)
    assert rows[0]["mean_completion_seconds"] == pytest.approx(124.0)
    assert rows[1]["mean_total_sojourn_seconds"] == pytest.approx(2.5)
    assert rows[1]["mean_completion_seconds"] == pytest.approx(8.5)
    assert rows[2]["mean_total_sojourn_seconds"] is None


def test_what_derives_from_a_root_before_the_log_is_no_root_where_the_log_has_roots():
    late = [make("old", 20, "o", took=30.0), make("older", 30, "o", took=40.0)]
    begun = [make("a", 25), make("b", 35)]
    assert [row["root_tuples"] for row in read(late).values()] == [2], "a log of one operator has no other"
    (row,) = read([*late, *begun]).values()
    assert (row["root_tuples"], row["mean_total_sojourn_seconds"]) == (2, pytest.approx(1.0))


def test_whether_a_log_has_roots_is_asked_of_each_topology():
    late = [replace(e, topology="late") for e in (make("old", 20, "o"), make("older", 30, "o"))]
    rows = roll_up([[*late, make("a", 25), make("b", 35), make("c", 28, "o")]], slice_windows())[1]
    assert {name: row["root_tuples"] for (name, _), row in rows.items()} == {"late": 2, "t": 2}


def test_the_rate_from_outside_counts_what_samples_stand_for():
    events = [make(f"r{n}", n, sample_every=4) for n in range(0, 60, 2)]
    events += [make(f"r{n}", n + 0.5, "o") for n in range(0, 60, 2)]
    (row,) = read(events).values()
    assert row["covered_seconds"] == pytest.approx(60.0, abs=1.0)
    assert row["external_rate"] == pytest.approx(30 * 4 / row["covered_seconds"])


def test_a_log_of_one_arrival_has_its_rate_per_window():
    (row,) = read([make("a", 3)]).values()
    assert (row["covered_seconds"], row["external_rate"], row["root_tuples"]) == (
        None,
        pytest.approx(1 / 60),
        1,
    )


def test_the_sums_of_all_parts_are_added_under_the_names_of_the_run():
    """Each part numbers the topologies that it has."""

    def make_sums(names: list[str], roots: int, high: int) -> RootSums:
        places = np.arange(len(names))
        same = {name: np.full(len(names), high) for name in ("total_high", "completion_high")}
        rest = {name: np.full(len(names), 5) for name in ("total_low", "completion_low")}
        table: Table = {"topology": places, "window": places * 0 + 7, "is_begun": places < 9}
        table["roots"] = roots + 10 * (np.array(names) == "v")
        spreads = [table | {"time": places * 0 + time, "bucket": places + 700} for time in (0, 1)]
        return RootSums(names, table | same | rest, stack(spreads))

    parts = [make_sums(["v", "u"], 2, 1 << 20), RootSums([], {}), make_sums(["u"], 3, 1)]
    found = sum_counted_roots(["u", "v"], parts)
    assert [found[name].tolist() for name in ("topology", "window", "roots")] == [[0, 1], [7, 7], [5, 12]]
    for name in ("total", "completion"):
        sums = (found[f"{name}_mean"] * found["roots"]).tolist()
        assert sums == pytest.approx([((1 << 20) + 1) * (LOW + 1) + 10, (1 << 20) * (LOW + 1) + 5], rel=1e-15)
        assert (np.diff(found[f"{name}_p50"]) < 0).all(), "u has a bucket of its own, and one with v's number"
