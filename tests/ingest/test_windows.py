"""What a window is worth: how much of it the log covers, which records are one, who could serve in it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyspark.sql import SparkSession

from ingest.job import run_ingest
from migrations.runner import migrate
from planner.plans.estimation import estimate
from planner.topology.load_smoothing import smooth_window
from planner.values import Load, Operator, OperatorLoad, Topology
from tests.app.processes import made_database
from tests.ingest import reference
from tests.ingest.logs import START_NS, to_json
from tests.ingest.reference import NS, Event
from tests.ingest.test_job import database, dump, last_run, query, request, write

__all__ = ["database"]
US = 1000
TABLES = ("operator_summaries", "topology_summaries", "snapshots")
Found = dict[str, dict[str, list[dict[str, Any]]]]


def make_steady(rate: float, seconds: float, seed: int, begin: float = 0.0, *, names: int = 3) -> list[Event]:
    """Poisson arrivals at one operator, each served at once for 10 ms on average; `begin` is in seconds after START."""
    random = np.random.default_rng(seed)
    arrivals = begin + np.cumsum(random.exponential(1 / rate, int(seconds * rate * 2 + 100)))
    events = []
    for number, at in enumerate(arrivals[arrivals < begin + seconds]):
        arrived = START_NS + int(at * 1e6) * US
        served = int(random.exponential(10_000)) * US + US
        events.append(
            Event(
                "t", "o", f"i{number % names}", f"r{seed}-{number}", None, arrived, arrived, arrived + served
            )
        )
    return events


def rename(events: Iterable[Event], topology: str) -> list[Event]:
    return [replace(e, topology=topology) for e in events]


def make_twins() -> list[Event]:
    """Each root has two children that arrive at one instance in the same microsecond, and are served in turn."""
    events = []
    for root in make_steady(10, 100, seed=7):
        at = root.finished_ns
        child = replace(root, operator="p", instance="p0", from_operator="o", arrived_ns=at, started_ns=at)
        one = replace(child, finished_ns=at + 2 * US)
        events += [root, one, replace(one, started_ns=at + 2 * US, finished_ns=at + 4 * US)]
    return events


def make_pool() -> list[Event]:
    """One name, whose services overlap."""
    random = np.random.default_rng(11)
    return [
        replace(e, instance="pool", finished_ns=e.started_ns + int(random.exponential(60_000)) * US)
        for e in make_steady(50, 180, seed=12)
    ]


def make_batches() -> list[Event]:
    """Twenty tuples at one time, once a minute for ten minutes."""
    first = make_steady(1, 30, seed=16)[0]
    return [
        replace(e, instance=f"i{n % 4}", tuple_id=f"r{minute}-{n}")
        for minute in range(10)
        for e in [first.moved(minute * 60 * NS)]
        for n in range(20)
    ]


def make_midway() -> list[Event]:
    """Each tuple has a child half a minute later; of the first ones the log has the child alone."""
    events = []
    for root in make_steady(5, 150, seed=17, begin=-30):
        at = root.arrived_ns + 30 * NS
        late = replace(root, operator="p", from_operator="o", arrived_ns=at, started_ns=at)
        events += [root, replace(late, finished_ns=at + 100_000 * US)]
    return [e for e in events if e.arrived_ns >= START_NS]


def make_once() -> list[Event]:
    """Eight names, of which each serves one tuple for half a minute."""
    first = make_steady(1, 30, seed=13)[0]
    times = [first.arrived_ns + number * 7 * NS for number in range(8)]
    return [
        replace(
            first,
            instance=f"i{n}",
            tuple_id=f"r{n}",
            arrived_ns=at,
            started_ns=at,
            finished_ns=at + 30 * NS,
        )
        for n, at in enumerate(times)
    ]


def make_idle() -> list[Event]:
    """Ten names, each of which has nothing to do for two minutes on average; they stay to the end."""
    random = np.random.default_rng(14)
    return [
        replace(e, instance=f"i{random.integers(10)}") for e in make_steady(10 / 120, 3600, seed=15, begin=20)
    ]


def ingest(spark: SparkSession, url: str, path: Path, events: Iterable[Event], **asked: Any) -> None:
    write(path, [to_json(event) for event in events])
    run_ingest(spark, url, request(path, **asked))


def read_snapshots(url: str) -> list[dict[str, Any]]:
    return query(url, "SELECT * FROM snapshots ORDER BY observed_at")


def read_tables(url: str) -> Found:
    """Per topology, the rows of each table, oldest first."""
    found: Found = {}
    for table in TABLES:
        time = "observed_at" if table == "snapshots" else "window_start"
        for row in query(
            url,
            f"SELECT t.name, s.* FROM {table} s JOIN topologies t ON t.id = s.topology_id ORDER BY {time}",
        ):
            found.setdefault(row["name"], {}).setdefault(table, []).append(row)
    return found


@pytest.fixture(scope="module")
def minutes(
    spark: SparkSession, postgres_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Found]:
    """Logs that have nothing to do with each other, in one run: it takes seconds."""
    rare = make_steady(1 / 60, 7200, seed=2)
    moment = make_steady(1.0, 30, seed=3)[0]
    events = [
        *rename(make_steady(100, 109.5, seed=1, begin=12.5), "cut"),
        *rename([e for e in rare if not 3000 < (e.arrived_ns - START_NS) / NS < 4800], "rare"),
        *rename([moment], "one"),
        *rename([replace(moment, tuple_id=f"r{i}") for i in range(3)], "three"),
        *rename(make_twins(), "twins"),
        *rename(make_twins()[:30], "twins"),
        *rename(make_pool(), "pool"),
        *rename(make_batches(), "batches"),
        *rename(make_midway(), "midway"),
        *rename(make_once(), "once"),
        *rename(make_idle(), "idle"),
    ]
    with made_database(postgres_url) as url:
        migrate(url)
        ingest(spark, url, tmp_path_factory.mktemp("minutes") / "log.jsonl", events)
        found = read_tables(url)
        run = last_run(url)
        for note in run["diagnostics"]:
            found[note["topology"]].setdefault("notes", []).append(note)
        found["twins"]["edges"] = query(
            url,
            "SELECT e.* FROM topologies t JOIN topology_revisions r ON r.topology_id = t.id,"
            " jsonb_to_recordset(r.definition -> 'edges') AS e(source text, target text, selectivity float)"
            " WHERE t.name = 'twins'",
        )
        assert (run["rejected"], run["duplicates"]) == (0, 30), "copies are one, twins are two"
        yield found


def test_a_log_that_begins_and_ends_within_a_minute_has_the_rate_of_the_time_it_covers(minutes: Found):
    """From 12.5 s on, for 109.5 s at 100/s: 47.5 s, a minute, and 2 s that read 3.3/s for 100."""
    events = make_steady(100, 109.5, seed=1, begin=12.5)
    counts = np.bincount([(e.arrived_ns - START_NS) // (60 * NS) for e in events])
    operators, topologies, snapshots = (minutes["cut"][table] for table in TABLES)
    lengths = (pytest.approx(47.5, abs=0.1), 60.0, pytest.approx(2.0, abs=0.1))
    for table in TABLES:
        assert [row["covered_seconds"] for row in minutes["cut"][table]] == list(lengths)
    for one, whole, snapshot, count in zip(operators, topologies, snapshots, counts, strict=True):
        rate = snapshot["external_rate"]
        assert rate == pytest.approx(count / snapshot["covered_seconds"], rel=1e-9)
        assert rate == pytest.approx(100, rel=0.2)
        assert (
            whole["external_rate"]
            == snapshot["operators"]["o"]["arrival_rate"]
            == one["arrival_rate"]
            == rate
        )
        assert sum(part["busy"] for part in one["busy_fractions"]) == pytest.approx(1.0, rel=0.2)
        assert one["mean_busy"] == pytest.approx(1.0, rel=0.2)


def test_of_a_rare_arrival_a_minute_is_covered_and_of_a_silence_too(minutes: Found):
    """One tuple a minute, none for half an hour in the midst: no window is read as a moment at a high rate."""
    found = minutes["rare"]["snapshots"]
    assert max(one["external_rate"] for one in found) <= 5 / 60
    assert {one["covered_seconds"] for one in found[1:-1]} == {60.0}
    assert min(one["covered_seconds"] for one in found) > 15


@pytest.mark.parametrize(("name", "count"), [("one", 1), ("three", 3)])
def test_what_a_log_of_one_moment_covers_is_not_known(minutes: Found, name: str, count: int):
    """Rates are then tuples per window, and a null says that it is not known."""
    (found,) = minutes[name]["snapshots"]
    (note,) = minutes[name]["notes"]
    assert (found["covered_seconds"], found["external_rate"]) == (None, count / 60)
    assert found["operators"]["o"]["processors_basis"] == "names-seen"
    assert note["code"] == "coverage-unknown"
    assert ("all arrivals at one time" in note["detail"]) == (count > 1)


def test_a_log_whose_ends_are_batches_of_one_moment_covers_what_lies_between(minutes: Found):
    """There the gaps are those of the whole log; "too few arrivals" was said of two hundred."""
    lengths = [one["covered_seconds"] for one in minutes["batches"]["snapshots"]]
    assert lengths[1:-1] == [60.0] * 8
    assert min(lengths) > 0
    assert "notes" not in minutes["batches"]


def test_of_a_root_that_came_before_the_log_no_part_is_taken_for_a_root(minutes: Found):
    """Half of the roots in the first minute were children, and its measured E[T] half of what it was."""
    counts = np.bincount(
        [(e.arrived_ns - START_NS) // (60 * NS) for e in make_midway() if e.from_operator is None]
    )
    whole = minutes["midway"]["topology_summaries"][:2]
    assert [row["root_tuples"] for row in whole] == list(counts[:2])
    for row in whole:
        assert row["mean_total_sojourn_seconds"] == pytest.approx(0.11, rel=0.1)
        assert row["mean_completion_seconds"] == pytest.approx(30.1, rel=0.01)


def test_two_children_in_the_same_microsecond_are_two(minutes: Found):
    assert [edge["selectivity"] for edge in minutes["twins"]["edges"]] == [2.0]


def test_a_name_that_serves_several_at_once_is_several(minutes: Found):
    """As many processors as were busy at once."""
    expected = reference.summarise_operators(rename(make_pool(), "pool"), 60)
    for row in minutes["pool"]["operator_summaries"]:
        most = expected["pool", "o", int(row["window_start"].timestamp()) // 60]["most_busy"]
        assert (row["instances"], row["processors_basis"]) == (1, "most-busy")
        assert row["processors"] == row["most_busy"] == most > 5
        assert row["mean_busy"] == pytest.approx(3.0, rel=0.2)


def test_who_served_one_tuple_could_have_served_more(minutes: Found):
    """Three processors would be too few even for what the eight were seen to do."""
    for row in minutes["once"]["operator_summaries"]:
        assert (row["processors"], row["processors_basis"]) == (8, "present")


def test_who_is_idle_when_the_log_ends_is_still_there(minutes: Found):
    """The newest window, on which plans stand, said seven of ten."""
    present = [row["instances_present"] for row in minutes["idle"]["operator_summaries"]]
    assert min(present) >= 9
    assert np.mean(present) > 9.8
    assert present[-1] == pytest.approx(10)


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


def test_a_day_that_is_not_over_covers_what_there_is_of_it(
    spark: SparkSession, database: str, tmp_path: Path
):
    """The whole day is asked for, at noon; the next run, of more of it, completes the window."""
    day, midnight = date(2026, 11, 18), (START_NS // NS // 86_400 * 86_400 - START_NS // NS)
    events = make_steady(20, 200, seed=5, begin=midnight - 30)
    cut = [e for e in events if (e.arrived_ns - START_NS) / NS - midnight < 80]
    ingest(spark, database, tmp_path / "log.jsonl", cut, day=day)
    first, last = read_snapshots(database)
    assert (first["covered_seconds"], last["covered_seconds"]) == (
        pytest.approx(60, abs=0.3),
        pytest.approx(20, abs=0.3),
    )
    ingest(spark, database, tmp_path / "log.jsonl", events, day=day)
    assert [one["covered_seconds"] for one in read_snapshots(database)[:2]] == [
        first["covered_seconds"],
        60.0,
    ]


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


def sample_by_chance(events: Sequence[Event], every: int, seed: int) -> list[Event]:
    """As a hash of the root would take them."""
    taken = np.random.default_rng(seed).random(len(events)) < 1 / every
    kept = [e for e, is_taken in zip(events, taken, strict=True) if is_taken]
    return [replace(e, sample_every=every, sampling="random") for e in kept]


SHIFT, AGENTS, DAYS = 4 * 3600.0, 5, 3


def simulate_shifts(rate: float, mean_service: float, seed: int) -> list[Event]:
    """A call centre: AGENTS at a time, each for a shift, one shift ending every SHIFT / AGENTS; calls wait in order.

    Who is in a call when the shift ends finishes it beside the successor.
    """
    random = np.random.default_rng(seed)
    begins = np.arange(-AGENTS, DAYS * 86_400 / (SHIFT / AGENTS)) * SHIFT / AGENTS
    free = np.maximum(begins, 0.0)
    at = 0.0
    events: list[Event] = []
    while (at := at + float(random.exponential(1 / rate))) < DAYS * 86_400:
        can_start = np.maximum(free, at)
        agent = int(np.argmin(np.where(can_start < begins + SHIFT, can_start + 1e-9 * free, np.inf)))
        started = float(can_start[agent])
        free[agent] = started + random.exponential(mean_service)
        arrived, begun, done = (START_NS + int(t * 1e6) * US for t in (at, started, free[agent]))
        name = f"agent-{agent % (4 * AGENTS)}"
        events.append(Event("calls", "desk", name, f"c{len(events)}", None, arrived, begun, done))
    return events


@pytest.fixture(scope="module")
def shifts(
    spark: SparkSession, postgres_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Found]:
    """Windows of four hours: calls, and samples of four minutes."""
    events = make_steady(100, 240, seed=8)
    nth = [replace(e, sample_every=4) for e in events[::4]]
    chance = sample_by_chance(events, 4, seed=9)
    logs = {
        "calls": simulate_shifts(0.8 * AGENTS / 180, 180, seed=10),
        "nth": nth,
        "chance": chance,
        "mixed": [*nth, *chance[:50]],
    }
    with made_database(postgres_url) as url:
        migrate(url)
        renamed = [e for name, log in logs.items() for e in rename(log, name)]
        ingest(spark, url, tmp_path_factory.mktemp("shifts") / "log.jsonl", renamed, window_seconds=14_400)
        notes = [(note["code"], note["topology"]) for note in last_run(url)["diagnostics"]]
        assert notes == [("sampling-mixed", "mixed")]
        yield read_tables(url)


def test_the_variation_of_arrivals_is_that_of_all_however_they_were_sampled(shifts: Found):
    """Poisson arrivals, of which every fourth is logged, or each with a chance of a fourth; and both at once."""
    for name in ("nth", "chance"):
        (row,) = shifts[name]["operator_summaries"]
        assert row["arrival_scv"] == pytest.approx(1.0, abs=0.2)
        assert row["arrival_rate"] == pytest.approx(100, rel=0.1)
    assert [row["arrival_scv"] for row in shifts["mixed"]["operator_summaries"]] == [None]


def test_of_shifts_those_count_who_could_serve(shifts: Found):
    """Twice as many names as agents at a time, and one more busy at once: E[T] is near that measured with neither."""
    rows = [row for row in shifts["calls"]["operator_summaries"] if row["covered_seconds"] == 14_400]
    assert len(rows) >= 16
    assert np.mean([row["instances"] for row in rows]) > 1.7 * AGENTS
    assert {row["most_busy"] for row in rows} == {AGENTS + 1}
    assert np.mean([row["instances_present"] for row in rows]) == pytest.approx(AGENTS, rel=0.03)
    assert np.mean([row["mean_busy"] for row in rows]) == pytest.approx(0.8 * AGENTS, rel=0.05)
    assert {(row["processors"], row["processors_basis"]) for row in rows} == {(AGENTS, "present")}
    loads = []
    for snapshot in shifts["calls"]["snapshots"]:
        desk = {
            key: value for key, value in snapshot["operators"]["desk"].items() if key != "processors_basis"
        }
        loads.append(Load(snapshot["external_rate"], {"desk": OperatorLoad(**desk)}))
    smoothed, _ = smooth_window(loads[1:-1], len(loads) - 2)
    answer = estimate(Topology((Operator("desk"),), (), ()), smoothed)
    waited = float(np.mean([row["mean_wait_seconds"] for row in rows]))
    assert answer.operators[0].wait_seconds == pytest.approx(waited, rel=0.25)
