"""The whole job on real Spark and real Postgres: what it refuses, and how it fails."""

import gzip
from pathlib import Path

import pytest
from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.errors import PySparkException

from ingest.job import TooManyRejected, describe_error, read_arguments, run_ingest
from ingest.request import Request
from tests.ingest.logs import (
    make_single_events,
    to_json,
)
from tests.ingest.stored import (
    dump,
    last_run,
    request,
    write,
)


def test_too_many_rejected_lines_leave_the_tables_as_they_were(
    spark: SparkContext, database: str, tmp_path: Path
):
    log = tmp_path / "log.jsonl"
    good = [to_json(event) for event in make_single_events(30, seed=4)]
    write(log, good)
    run_ingest(spark, database, request(log))
    before = dump(database)
    write(log, [*good[:20], *["?" * 100] * 4])
    with pytest.raises(TooManyRejected, match="4 of 24 records") as refused:
        run_ingest(spark, database, request(log))
    assert dump(database) == before
    run = last_run(database)
    _, *shown, address = str(refused.value).splitlines()
    assert [line.partition("log.jsonl, ")[2] for line in shown] == [
        f"line {line}: not one JSON object: {'?' * 80}…" for line in (21, 22, 23)
    ]
    assert f"/v1/ingest-runs/{run['id']}/rejects" in address
    assert run["error"].startswith("4 of 24 records cannot be used")
    assert (run["state"], run["read"], run["rejected"], run["reject_reasons"]) == (
        "failed",
        24,
        4,
        {"not one JSON object": 4},
    )


def test_a_failed_run_is_recorded_with_the_cause_of_its_failure(
    spark: SparkContext, database: str, tmp_path: Path
):
    whole = gzip.compress("\n".join(to_json(event) for event in make_single_events(100, seed=9)).encode())
    (tmp_path / "log.jsonl.gz").write_bytes(whole[:-20])
    with pytest.raises(Py4JError) as failed:
        run_ingest(spark, database, request(tmp_path))
    run = last_run(database)
    assert run["state"] == "failed"
    assert run["error"] == describe_error(failed.value)
    assert run["error"] == (
        f"ingest.reading.blocks.TornFile: {tmp_path / 'log.jsonl.gz'} cannot be read: Truncated compressed stream"
    )


def test_a_failure_in_python_is_told_with_its_last_line(spark: SparkContext):
    """Its own, not that of the error which it arose from."""

    def give_up(number: int) -> int:
        try:
            return number // 0
        except ZeroDivisionError as error:
            raise RuntimeError("no more of this") from error

    with pytest.raises((Py4JError, PySparkException)) as failed:  # the latter where Spark's SQL is loaded
        spark.parallelize([1]).map(give_up).collect()
    assert describe_error(failed.value) == "RuntimeError: no more of this"


def test_options_of_the_job_reach_the_request(capsys: pytest.CaptureFixture[str]):
    common = ["log", "--database-url", "postgresql://nobody"]
    assert read_arguments(common)[1] == Request(("log",), None, 60, 0.05, 1_000_000)
    _, asked = read_arguments([*common, "--max-rejected", "1%", "--max-records-in-memory", "10000"])
    assert asked == Request(("log",), None, 60, 0.01, 10_000)
    with pytest.raises(SystemExit, match="2"):
        read_arguments([*common, "--max-records-in-memory", "9999"])
    assert "'9999' must be a whole number of 10000 or more" in capsys.readouterr().err
