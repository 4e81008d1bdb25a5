"""What a window is worth: how much of it the log covers, which records are one, who could serve in it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyspark.sql import SparkSession

from ingest.job import run_ingest
from planner.estimation import estimate
from planner.values import Load, Operator, OperatorLoad, Topology
from tests.ingest import reference
from tests.ingest.logs import START_NS, make_events, to_json
from tests.ingest.reference import NS, Event
from tests.ingest.test_job import database, dump, last_run, query, request, write

__all__ = ["database"]
US = 1000


def make_steady(rate: float, seconds: float, seed: int, begin: float = 0.0, *, names: int = 3) -> list[Event]:
    """Poisson arrivals at one operator, each served at once for 10 ms on average; `begin` is in seconds after START."""
    random = np.random.default_rng(seed)
    arrivals = begin + np.cumsum(random.exponential(1 / rate, int(seconds * rate * 2 + 100)))
    events = []
    for number, at in enumerate(arrivals[arrivals < begin + seconds]):
        arrived = START_NS + int(at * 1e6) * US
        served = int(random.exponential(10_000)) * US + US
        events.append(
            Event("t", "o", f"i{number % names}", f"r{seed}-{number}", None, arrived, arrived, arrived + served)
        )
    return events


def ingest(spark: SparkSession, url: str, path: Path, events: Iterable[Event], **asked: Any) -> None:
    write(path, [to_json(event) for event in events])
    run_ingest(spark, url, request(path, **asked))


def read_snapshots(url: str) -> list[dict[str, Any]]:
    return query(url, "SELECT * FROM snapshots ORDER BY observed_at")


def test_a_log_that_begins_and_ends_within_a_minute_has_the_rate_of_the_time_it_covers(
    spark: SparkSession, database: str, tmp_path: Path
):
    """From 12.5 s on, for 109.5 s at 100/s: 47.5 s, a minute, and 2 s that read 3.3/s for 100."""
    events = make_steady(100, 109.5, seed=1, begin=12.5)
    ingest(spark, database, tmp_path / "log.jsonl", events)
    found = read_snapshots(database)
    assert [one["covered_seconds"] for one in found] == [
        pytest.approx(47.5, abs=0.1),
        60.0,
        pytest.approx(2.0, abs=0.1),
    ]
    counts = np.bincount([(e.arrived_ns - START_NS) // (60 * NS) for e in events])
    for one, count in zip(found, counts, strict=True):
        assert one["external_rate"] == pytest.approx(count / one["covered_seconds"], rel=1e-9)
        assert one["external_rate"] == pytest.approx(100, rel=0.2)
        assert one["operators"]["o"]["arrival_rate"] == one["external_rate"]
    for table in ("operator_summaries", "topology_summaries"):
        stored = query(database, f"SELECT covered_seconds FROM {table} ORDER BY window_start")
        assert [row["covered_seconds"] for row in stored] == [one["covered_seconds"] for one in found]
    busy = query(database, "SELECT busy_fractions, mean_busy FROM operator_summaries ORDER BY window_start")
    for row in busy:
        assert sum(one["busy"] for one in row["busy_fractions"]) == pytest.approx(1.0, rel=0.2)
        assert row["mean_busy"] == pytest.approx(1.0, rel=0.2)


def test_of_a_rare_arrival_a_minute_is_covered_and_of_a_silence_too(
    spark: SparkSession, database: str, tmp_path: Path
):
    """One tuple a minute, none for half an hour in the midst: no window is read as a moment at a high rate."""
    events = [e for e in make_steady(1 / 60, 7200, seed=2) if not 3000 < (e.arrived_ns - START_NS) / NS < 4800]
    ingest(spark, database, tmp_path / "log.jsonl", events)
    found = read_snapshots(database)
    assert max(one["external_rate"] for one in found) <= 5 / 60
    assert {one["covered_seconds"] for one in found[1:-1]} == {60.0}
    assert min(one["covered_seconds"] for one in found) > 15


@pytest.mark.parametrize("count", [1, 3])
def test_what_a_log_of_one_moment_covers_is_not_known(
    spark: SparkSession, database: str, tmp_path: Path, count: int
):
    """Rates are then tuples per window, and a null says that it is not known."""
    one = make_steady(1.0, 30, seed=3)[0]
    ingest(spark, database, tmp_path / "log.jsonl", [replace(one, tuple_id=f"r{i}") for i in range(count)])
    (found,) = read_snapshots(database)
    assert (found["covered_seconds"], found["external_rate"]) == (None, count / 60)
    assert found["operators"]["o"]["processors_basis"] == "names-seen"
    assert [note["code"] for note in last_run(database)["diagnostics"]] == ["coverage-unknown"]


def test_the_time_covered_is_estimated_without_bias():
    """Of Poisson arrivals in 100 s, few or many: the mean estimate of the length is 100 s."""
    random = np.random.default_rng(4)
    for rate in (0.2, 1.0):
        found = []
        for _ in range(3000):
            at = np.sort(random.uniform(0, 100 * NS, max(2, random.poisson(100 * rate)))).astype(int)
            events = [Event("t", "o", "i", "r", None, int(t), int(t), int(t)) for t in at]
            cover = reference.find_one_cover(events, 1000 * NS)
            assert cover is not None
            found.append((cover[1] - cover[0]) / NS)
        assert np.mean(found) == pytest.approx(100, abs=4 * np.std(found) / np.sqrt(len(found)) + 0.1)


def test_a_day_that_is_not_over_covers_what_there_is_of_it(spark: SparkSession, database: str, tmp_path: Path):
    """The whole day is asked for, at noon; the next run, of more of it, completes the window."""
    day, midnight = date(2026, 11, 18), (START_NS // NS // 86_400 * 86_400 - START_NS // NS)
    events = make_steady(20, 200, seed=5, begin=midnight - 30)
    cut = [e for e in events if (e.arrived_ns - START_NS) / NS - midnight < 80]
    ingest(spark, database, tmp_path / "log.jsonl", cut, day=day)
    first, last = read_snapshots(database)
    assert (first["covered_seconds"], last["covered_seconds"]) == (pytest.approx(60, abs=0.3), pytest.approx(20, abs=0.3))
    ingest(spark, database, tmp_path / "log.jsonl", events, day=day)
    assert [one["covered_seconds"] for one in read_snapshots(database)[:2]] == [first["covered_seconds"], 60.0]


def test_of_two_parts_of_a_window_the_larger_stays(spark: SparkSession, database: str, tmp_path: Path):
    """A log that goes on in the next file: whichever is read last, the border has the larger part."""
    events = make_steady(50, 170, seed=6)
    border = START_NS + 65 * NS
    parts = [e for e in events if e.arrived_ns < border], [e for e in events if e.arrived_ns >= border]
    files = [tmp_path / "first.jsonl", tmp_path / "second.jsonl"]
    ingest(spark, database, files[0], parts[0])
    ingest(spark, database, files[1], parts[1])
    found = dump(database)
    assert [one["covered_seconds"] for one in read_snapshots(database)][1] == pytest.approx(55, abs=0.2)
    assert last_run(database)["diagnostics"] == []
    run_ingest(spark, database, request(files[0]))
    assert dump(database) == found
    (note,) = last_run(database)["diagnostics"]
    assert note["code"] == "fuller-window-kept"
    assert last_run(database)["windows"] == 1
    ingest(spark, database, tmp_path / "whole.jsonl", events)
    assert [one["covered_seconds"] for one in read_snapshots(database)][1] == 60.0


def test_twins_are_two_and_copies_are_one(spark: SparkSession, database: str, tmp_path: Path):
    """Each root has two children that arrive at one instance in the same microsecond, and are served in turn."""
    events = []
    for root in make_steady(10, 100, seed=7):
        at = root.finished_ns
        child = replace(root, operator="p", instance="p0", from_operator="o", arrived_ns=at, started_ns=at)
        one = replace(child, finished_ns=at + 2 * US)
        events += [root, one, replace(one, started_ns=at + 2 * US, finished_ns=at + 4 * US)]
    ingest(spark, database, tmp_path / "log.jsonl", [*events, *events[:30]])
    run = last_run(database)
    assert (run["accepted"], run["duplicates"]) == (len(events), 30)
    (found,) = query(database, "SELECT definition FROM topology_revisions")
    assert [edge["selectivity"] for edge in found["definition"]["edges"]] == [2.0]


def sample_by_chance(events: Sequence[Event], every: int, seed: int) -> list[Event]:
    """As a hash of the root would take them."""
    taken = np.random.default_rng(seed).random(len(events)) < 1 / every
    kept = [e for e, is_taken in zip(events, taken, strict=True) if is_taken]
    return [replace(e, sample_every=every, sampling="random") for e in kept]


def test_the_variation_of_arrivals_is_that_of_all_however_they_were_sampled(
    spark: SparkSession, database: str, tmp_path: Path
):
    """Poisson arrivals, of which every fourth is logged, or each with a chance of a fourth; and both at once."""
    events = make_steady(100, 240, seed=8)
    nth = [replace(e, sample_every=4, topology="nth") for e in events[::4]]
    chance = [replace(e, topology="chance") for e in sample_by_chance(events, 4, seed=9)]
    mixed = [replace(e, topology="mixed") for e in [*nth, *chance[:50]]]
    ingest(spark, database, tmp_path / "log.jsonl", [*nth, *chance, *mixed], window_seconds=300)
    found = query(
        database,
        "SELECT t.name, arrival_scv, arrival_rate, tuples FROM operator_summaries s JOIN topologies t ON t.id ="
        " s.topology_id ORDER BY 1",
    )
    by_name = {row["name"]: row for row in found}
    for name in ("nth", "chance"):
        assert by_name[name]["arrival_scv"] == pytest.approx(1.0, abs=0.2)
        assert by_name[name]["arrival_rate"] == pytest.approx(100, rel=0.1)
    assert by_name["mixed"]["arrival_scv"] is None
    assert [note["code"] for note in last_run(database)["diagnostics"]] == ["sampling-mixed"]


SHIFT, AGENTS, DAYS = 4 * 3600.0, 5, 3


def simulate_shifts(rate: float, mean_service: float, seed: int) -> list[Event]:
    """A call centre: AGENTS at a time, each for a shift, one shift ending every SHIFT / AGENTS; calls wait in order.

    Who is in a call when the shift ends finishes it beside the successor.
    """
    random = np.random.default_rng(seed)
    at, free, events = 0.0, [], []
    for number in range(int(DAYS * 86_400 / (SHIFT / AGENTS)) + AGENTS):
        begin = (number - AGENTS) * SHIFT / AGENTS
        free.append([max(begin, 0.0), begin + SHIFT, f"agent-{number % (4 * AGENTS)}"])
    while (at := at + random.exponential(1 / rate)) < DAYS * 86_400:
        able = [one for one in free if max(at, one[0]) < one[1]]
        agent = min(able, key=lambda one: max(at, one[0]) + 1e-9 * one[0])
        started = max(at, agent[0])
        agent[0] = started + random.exponential(mean_service)
        times = (START_NS + int(t * 1e6) * US for t in (at, started, agent[0]))
        events.append(Event("calls", "desk", agent[2], f"c{len(events)}", None, *times))
    return events


def test_of_shifts_those_count_who_could_serve(spark: SparkSession, database: str, tmp_path: Path):
    """Twice as many names as agents at a time: the wait estimated from a snapshot is near that measured."""
    events = simulate_shifts(0.8 * AGENTS / 180, 180, seed=10)
    ingest(spark, database, tmp_path / "log.jsonl", events, window_seconds=14_400)
    rows = query(database, "SELECT * FROM operator_summaries ORDER BY window_start")
    rows = [row for row in rows if row["covered_seconds"] == 14_400]
    assert len(rows) >= 16
    assert np.mean([row["instances"] for row in rows]) > 1.7 * AGENTS
    assert np.mean([row["instances_present"] for row in rows]) == pytest.approx(AGENTS, rel=0.03)
    assert np.mean([row["mean_busy"] for row in rows]) == pytest.approx(0.8 * AGENTS, rel=0.05)
    assert {row["processors_basis"] for row in rows} == {"present"}
    waits = []
    for snapshot in read_snapshots(database)[1:-1]:
        load = {name: snapshot["operators"]["desk"][name] for name in ("service_rate", "arrival_scv", "service_scv")}
        desk = OperatorLoad(**load, processors=snapshot["operators"]["desk"]["processors"])
        answer = estimate(Topology((Operator("desk"),), (), ()), Load(snapshot["external_rate"], {"desk": desk}))
        waits.append((snapshot["external_rate"], answer.operators[0].wait_seconds))
    print("WAIT", waits, np.mean([row["mean_wait_seconds"] for row in rows]), [(r["instances"], r["most_busy"], r["instances_present"], r["processors"]) for r in rows])


def test_a_name_that_serves_several_at_once_is_several(spark: SparkSession, database: str, tmp_path: Path):
    """One name, whose services overlap: as many processors as were busy at once."""
    random = np.random.default_rng(11)
    events = [
        replace(e, instance="pool", finished_ns=e.started_ns + int(random.exponential(60_000)) * US)
        for e in make_steady(50, 180, seed=12)
    ]
    ingest(spark, database, tmp_path / "log.jsonl", events)
    expected = reference.summarise_operators(events, 60)
    for row in query(database, "SELECT * FROM operator_summaries"):
        key = ("t", "o", int(row["window_start"].timestamp()) // 60)
        assert (row["instances"], row["processors_basis"]) == (1, "most-busy")
        assert row["processors"] == row["most_busy"] == expected[key]["most_busy"] > 5
        assert row["mean_busy"] == pytest.approx(3.0, rel=0.2)
