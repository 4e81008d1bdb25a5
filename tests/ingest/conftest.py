"""One Spark for all tests, since it takes seconds to start; and runs that several files look at."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from pyspark import SparkContext

from ingest.session import open_context
from migrations.runner import migrate
from tests.app.processes import made_database
from tests.ingest.logs import (
    START_NS,
)
from tests.ingest.reference import NS
from tests.ingest.stored import JobResults, ingest, last_run, query, read_tables
from tests.ingest.window_logs import (
    AGENTS,
    make_batches,
    make_idle,
    make_midway,
    make_once,
    make_pool,
    make_steady,
    make_twins,
    rename,
    sample_by_chance,
    simulate_shifts,
)


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkContext]:
    context = open_context("local[2]", {"spark.driver.memory": "1g"})
    yield context
    context.stop()


@pytest.fixture
def database(postgres_url: str) -> Iterator[str]:
    with made_database(postgres_url) as url:
        migrate(url)
        yield url


@pytest.fixture(scope="session")
def minutes(
    spark: SparkContext, postgres_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[JobResults]:
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


@pytest.fixture(scope="session")
def shifts(
    spark: SparkContext, postgres_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[JobResults]:
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
