"""The nightly ingest beside DuckDB and Polars: the same summaries of the same files, one after the other.

    make bench BENCH=ingest                                          a million rows, to see that it works
    INGEST_ROWS="5000000 20000000" make bench BENCH=ingest           what docs/ingest.md quotes

Each engine runs in a process of its own with two threads. Headgate's time is that of the whole job, from files to
committed tables, once its context is up; the others compute the summaries and keep them in memory. Headgate's Java
heap, executor and driver in one, is 1 GB; its memory and processor time are those of Java, of the workers, and of the
driver. "cluster" is the same job on two workers of one core each; there they are those of the driver alone.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.ingest_logs import make_log, write_json
from benchmarks.processes import own_megabytes, peak_megabytes, spent_seconds

DEFAULT_ROWS = "1000000"
WINDOW_US = 60_000_000
# What an administrator sets where executors share a machine (docs/ingest.md).
CLUSTER_SETTINGS = {"spark.python.unix.domain.socket.enabled": "true", "spark.shuffle.compress": "false"}
POLARS_WINDOW = ["topology", "operator", "w"]


DUCKDB_STEPS = (
    """CREATE TEMP TABLE records AS
    SELECT topology, operator, instance, tuple_id, any_value(from_operator) AS from_operator, arrived,
        max(started) AS started, max(finished) AS finished
    FROM (SELECT *, round(arrived_at * 1e6)::BIGINT AS arrived, round(started_at * 1e6)::BIGINT AS started,
            round(finished_at * 1e6)::BIGINT AS finished
        FROM {source}
        WHERE isfinite(arrived_at) AND isfinite(started_at) AND isfinite(finished_at)
            AND arrived_at <= started_at AND started_at <= finished_at
            AND topology <> '' AND operator <> '' AND instance <> '' AND tuple_id <> '')
    GROUP BY ALL""",
    """CREATE TEMP TABLE operators AS
    WITH gaps AS (SELECT *, arrived - lag(arrived) OVER (PARTITION BY topology, operator ORDER BY arrived) AS gap
        FROM records)
    SELECT topology, operator, arrived // 60000000 AS w, count(*) AS tuples,
        var_pop(gap) / avg(gap) ** 2 AS arrival_scv,
        1e6 / avg(finished - started) AS service_rate,
        var_pop(finished - started) / avg(finished - started) ** 2 AS service_scv,
        avg(started - arrived) AS wait, avg(finished - arrived) AS sojourn,
        quantile_cont(started - arrived, [0.5, 0.95, 0.99]) AS wait_quantiles,
        quantile_cont(finished - arrived, [0.5, 0.95, 0.99]) AS sojourn_quantiles
    FROM gaps GROUP BY ALL""",
    """CREATE TEMP TABLE shares AS
    SELECT topology, operator, arrived // 60000000 AS w, instance, from_operator, count(*) AS tuples,
        sum(finished - started) AS busy
    FROM records GROUP BY ALL""",
    """CREATE TEMP TABLE topologies AS
    WITH roots AS (SELECT topology, tuple_id, sum(finished - arrived) AS total, min(arrived) AS first,
            max(finished) AS last
        FROM records GROUP BY ALL)
    SELECT topology, first // 60000000 AS w, count(*) AS roots, avg(total) AS total, avg(last - first) AS completion
    FROM roots GROUP BY ALL""",
)
DUCKDB_TYPES = (
    "{topology: 'VARCHAR', operator: 'VARCHAR', instance: 'VARCHAR', tuple_id: 'VARCHAR', from_operator: 'VARCHAR', "
    "arrived_at: 'DOUBLE', started_at: 'DOUBLE', finished_at: 'DOUBLE'}"
)


@dataclass(frozen=True)
class Result:
    """The report of one process: its time, its processor time, its peak memory, and numbers to compare."""

    seconds: float
    cpu_seconds: float
    megabytes: float
    check: tuple[float, float]


def run_duckdb(folder: str) -> Result:
    import duckdb  # noqa: PLC0415  # see above

    connection = duckdb.connect()
    connection.execute(
        "SET threads = 2; SET preserve_insertion_order = false; SET enable_progress_bar = false"
    )
    source = (
        f"read_parquet('{folder}/*.parquet')"
        if list(Path(folder).glob("*.parquet"))
        else f"read_json('{folder}/*.jsonl', format='newline_delimited', columns={DUCKDB_TYPES})"
    )
    began, cpu = time.perf_counter(), time.process_time()
    for step in DUCKDB_STEPS:
        connection.execute(step.format(source=source))
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu
    check = connection.execute("SELECT sum(tuples), sum(arrival_scv) FROM operators").fetchone()
    assert check is not None
    return Result(seconds, cpu_seconds, peak_megabytes(os.getpid()), (float(check[0]), float(check[1])))


def run_polars(folder: str) -> Result:
    os.environ["POLARS_MAX_THREADS"] = "2"
    began, cpu = time.perf_counter(), time.process_time()
    records = read_with_polars(folder)
    operators = summarise_with_polars(records)
    count_with_polars(records)
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu
    check = float(operators["tuples"].sum()), float(operators["arrival_scv"].sum())
    return Result(seconds, cpu_seconds, peak_megabytes(os.getpid()), check)


def read_with_polars(folder: str) -> Any:
    """The usable records without duplicates, as a lazy frame."""
    import polars as pl  # noqa: PLC0415  # see above

    names = ["topology", "operator", "instance", "tuple_id"]
    times = ["arrived_at", "started_at", "finished_at"]
    schema = dict.fromkeys([*names, "from_operator"], pl.String) | dict.fromkeys(times, pl.Float64)
    raw = (
        pl.scan_parquet(f"{folder}/*.parquet")
        if list(Path(folder).glob("*.parquet"))
        else pl.scan_ndjson(f"{folder}/*.jsonl", schema=schema)
    )
    return (
        raw.filter(*(pl.col(t).is_finite() for t in times), *(pl.col(n) != "" for n in names))
        .filter(pl.col("arrived_at") <= pl.col("started_at"), pl.col("started_at") <= pl.col("finished_at"))
        .with_columns((pl.col(t) * 1e6).round().cast(pl.Int64).alias(t.removesuffix("_at")) for t in times)
        .group_by([*names, "arrived"])
        .agg(pl.col("from_operator").first(), pl.col("started").max(), pl.col("finished").max())
        .with_columns((pl.col("arrived") // WINDOW_US).alias("w"))
        .collect()
        .lazy()
    )


def summarise_with_polars(records: Any) -> Any:
    """A frame with one row per operator and window."""
    import polars as pl  # noqa: PLC0415  # see above

    a, s, f = (pl.col(name) for name in ("arrived", "started", "finished"))
    wait, service, sojourn, gap = s - a, f - s, f - a, pl.col("gap")
    return (
        records.sort(["topology", "operator", "arrived"])
        .with_columns(gap=a.diff().over(["topology", "operator"]))
        .group_by(POLARS_WINDOW)
        .agg(
            pl.len().alias("tuples"),
            (gap.var(ddof=0) / gap.mean() ** 2).alias("arrival_scv"),
            (1e6 / service.mean()).alias("service_rate"),
            (service.var(ddof=0) / service.mean() ** 2).alias("service_scv"),
            wait.mean().alias("wait"),
            sojourn.mean().alias("sojourn"),
            *(wait.quantile(q, "linear").alias(f"wait{q}") for q in (0.5, 0.95, 0.99)),
            *(sojourn.quantile(q, "linear").alias(f"sojourn{q}") for q in (0.5, 0.95, 0.99)),
        )
        .collect()
    )


def count_with_polars(records: Any) -> None:
    """The other sums of Headgate's ingest: the busy time per instance, and root tuples per window."""
    import polars as pl  # noqa: PLC0415  # see above

    a, s, f = (pl.col(name) for name in ("arrived", "started", "finished"))
    records.group_by([*POLARS_WINDOW, "instance", "from_operator"]).agg(
        pl.len(), (f - s).sum().alias("busy")
    ).collect()
    roots = records.group_by(["topology", "tuple_id"]).agg(
        (f - a).sum().alias("total"), a.min().alias("first"), f.max().alias("last")
    )
    roots.group_by(["topology", pl.col("first") // WINDOW_US]).agg(
        pl.len(), pl.col("total").mean(), (pl.col("last") - pl.col("first")).mean().alias("completion")
    ).collect()


def run_headgate(folder: str) -> Result:
    return run_on(folder, "local[2]", {})


def run_cluster(folder: str) -> Result:
    """The result of the ingest on a standalone cluster of two workers; the memory is that of the driver."""
    from benchmarks.cluster import running_cluster  # noqa: PLC0415  # see above

    with tempfile.TemporaryDirectory() as name, running_cluster(Path(name)) as url:
        return run_on(folder, url, CLUSTER_SETTINGS)


def run_on(folder: str, master: str, more: dict[str, str]) -> Result:
    from app.database.embedded.embedded_postgres import shared_postgres  # noqa: PLC0415  # see above
    from ingest.job import run_ingest  # noqa: PLC0415
    from ingest.request import Request  # noqa: PLC0415
    from ingest.session import open_context  # noqa: PLC0415
    from ingest.storing.runs import connect  # noqa: PLC0415
    from migrations.runner import migrate  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as data, shared_postgres(Path(data)) as url:
        migrate(url)
        settings = {
            "spark.driver.memory": "1g",
            "spark.ui.showConsoleProgress": "false",
            "spark.scheduler.minRegisteredResourcesRatio": "1.0",  # both workers are there before the time begins
        }
        context = open_context(master, settings | more)
        context.parallelize(range(2), 2).count()
        process = int(context._jvm.java.lang.ProcessHandle.current().pid())  # type: ignore[union-attr]  # noqa: SLF001
        began, cpu = time.perf_counter(), spent_seconds(process) + time.process_time()
        run_ingest(context, url, Request((folder,), None, 60, 0.05))
        seconds = time.perf_counter() - began
        cpu_seconds = spent_seconds(process) + time.process_time() - cpu
        with connect(url) as connection:
            check = connection.execute(
                "SELECT sum(tuples)::float8, sum(arrival_scv) FROM operator_summaries"
            ).fetchone()
        megabytes = peak_megabytes(process) + own_megabytes(os.getpid())
        context.stop()
    assert check is not None
    return Result(seconds, cpu_seconds, megabytes, (check[0], check[1]))


ENGINES: dict[str, Callable[[str], Result]] = {
    "duckdb": run_duckdb,
    "polars": run_polars,
    "headgate": run_headgate,
    "cluster": run_cluster,
}


def measure(engine: str, folder: Path) -> Result:
    """The result of one program, which runs in a separate process, so that its peak memory can be measured."""
    command = [sys.executable, "-m", "benchmarks.ingest", engine, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{engine} failed:\n{done.stderr[-3000:]}")
    seconds, cpu_seconds, megabytes, check = json.loads(done.stdout.splitlines()[-1])
    return Result(seconds, cpu_seconds, megabytes, (check[0], check[1]))


def compare(title: str, folder: Path, rows: int) -> Result:
    results = {engine: measure(engine, folder) for engine in ENGINES}
    base = results["duckdb"]
    for engine, result in results.items():
        assert np.allclose(result.check, base.check, rtol=1e-9), f"{engine} computed something else"
        print(
            f"{title:28} {engine:9} {rows / result.seconds / 1e6:6.2f} million rows/s "
            f"{result.seconds / base.seconds:5.2f} × DuckDB's time "
            f"({result.cpu_seconds / base.cpu_seconds:5.2f} × its processor time) {result.megabytes:8.0f} MB",
            flush=True,
        )
    return results["headgate"]


def main() -> None:
    for rows in map(int, os.environ.get("INGEST_ROWS", DEFAULT_ROWS).split()):
        with tempfile.TemporaryDirectory() as name:
            folders = {kind: Path(name) / kind for kind in ("even", "json", "skewed")}
            for folder in folders.values():
                folder.mkdir()
            make_log(folders["even"], rows, skewed=False)
            even = compare(f"{rows:,} Parquet", folders["even"], rows)
            write_json(folders["even"], folders["json"])
            compare(f"{rows:,} JSON Lines", folders["json"], rows)
            make_log(folders["skewed"], rows, skewed=True)
            skewed = compare(f"{rows:,} Parquet, 90% in one", folders["skewed"], rows)
            print(f"skew costs {skewed.seconds / even.seconds:.2f} × the even log's time")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        result = ENGINES[sys.argv[1]](sys.argv[2])
        print(json.dumps([result.seconds, result.cpu_seconds, result.megabytes, result.check]))
    else:
        main()
