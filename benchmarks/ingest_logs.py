"""Logs for the benchmark of the ingest, as Parquet and as lines of JSON."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

SPAN_US = 7_200_000_000
START_US = 1_794_960_000_000_000
FILES = 8
SEED = 7
Numbers = NDArray[np.int64]


def make_log(folder: Path, rows: int, *, skewed: bool) -> None:
    """A log of root tuples that pass four of eight operators each; skewed: one operator has 90% of all tuples."""
    columns = make_columns(rows // 4, skewed=skewed)
    order = np.argsort(columns[4], kind="stable")
    operator, instance, root, upstream, arrived, started, finished = (column[order] for column in columns)
    names = np.array([f"operator-{i}" for i in range(8)] + [None], dtype=object)
    table = pa.table(
        {
            "topology": pa.array(["bench"] * len(order)),
            "operator": pa.array(names[operator]),
            "instance": pa.array(np.array([f"worker-{i}" for i in range(5)], dtype=object)[instance]),
            "tuple_id": pa.array(np.char.add("root-", root.astype(str)).astype(object), pa.string()),
            "from_operator": pa.array(names[upstream], pa.string()),
            "arrived_at": arrived / 1e6,
            "started_at": started / 1e6,
            "finished_at": finished / 1e6,
        }
    )
    for part in range(FILES):
        size = -(-len(order) // FILES)
        pq.write_table(table.slice(part * size, size), folder / f"part{part}.parquet")


def make_columns(roots: int, *, skewed: bool) -> list[Numbers]:
    """The columns of a log: operator, instance, root, upstream operator (8: outside), and times in microseconds."""
    random = np.random.default_rng(SEED)
    at = np.sort(random.integers(0, SPAN_US, roots)) + START_US
    lane = np.arange(roots) % 2
    parts = []
    for stage in range(4):
        wait = random.exponential(20_000, roots).astype(np.int64)
        service = random.exponential(5_000, roots).astype(np.int64)
        operator = stage * 2 + lane
        if skewed:
            operator = np.where(random.random(roots) < 0.9, 0, operator)
        upstream = np.full(roots, 8) if stage == 0 else stage * 2 - 2 + lane
        instance = random.integers(0, 5, roots)
        times = (at, at + wait, at + wait + service)
        parts.append((operator, instance, np.arange(roots), upstream, *times))
        at = times[-1]
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


def write_json(source: Path, target: Path) -> None:
    import duckdb  # noqa: PLC0415  # each process loads only the engine that it measures

    for part in sorted(source.glob("*.parquet")):
        duckdb.sql(f"COPY (FROM '{part}') TO '{target / part.stem}.jsonl' (FORMAT json)")
