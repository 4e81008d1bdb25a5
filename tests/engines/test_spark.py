"""A real streaming query of Spark, read by its progress and by its gauges."""

import json
import time
from collections.abc import Callable, Iterator
from statistics import median

import httpx
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from app.engines.answers import EngineAnswer
from ingest.session import LOCAL_SETTINGS, prepare_environment
from tests.engines.flink_cluster import wait_for
from tests.engines.http_asker import sample, write_answers

ROWS_PER_SECOND, SECONDS_PER_ROW = 100, 0.004
"""A query that serves 250 rows/s when it is busy, beside what each batch costs."""


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    """A Spark of two cores with its UI and the gauges of queries."""
    prepare_environment(is_local=True)
    builder = SparkSession.builder.master("local[2]").appName("lab")
    settings: dict[str, bool | float | int | str | None] = {
        **LOCAL_SETTINGS,
        "spark.ui.enabled": "true",
        "spark.ui.port": "0",
        "spark.sql.streaming.metricsEnabled": "true",
        "spark.sql.shuffle.partitions": "2",
    }
    session = builder.config(map=settings).getOrCreate()
    yield session
    session.stop()


def work(rows: DataFrame, _batch: int) -> None:
    """Takes a known time for each row."""
    time.sleep(rows.count() * SECONDS_PER_ROW)


@pytest.fixture(scope="module")
def query(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StreamingQuery]:
    """A query with a known rate and a known time for each row; a batch every two seconds."""
    rows = spark.readStream.format("rate").option("rowsPerSecond", ROWS_PER_SECOND).load()
    folder = tmp_path_factory.mktemp("checkpoint")
    writer = rows.writeStream.foreachBatch(work).queryName("lab").trigger(processingTime="2 seconds")
    running = writer.option("checkpointLocation", str(folder)).start()
    wait_for(lambda: len(running.recentProgress) >= 8, "eight batches have run")
    yield running
    running.stop()


def test_progress_gives_the_rate_and_the_service_rate(
    query: StreamingQuery, client: httpx.Client, name: str, report: Callable[[str], None]
) -> None:
    progress = [json.loads(one.json) for one in query.recentProgress[2:]]
    sent = write_answers([EngineAnswer(progress)])
    stored = client.post(f"/v1/topologies/{name}/snapshots/from/spark", json=sent)
    assert stored.status_code == 201, stored.text
    listed = client.get(f"/v1/topologies/{name}/snapshots").json()["items"]
    seconds = sum(one["window_seconds"] for one in listed)
    rows = sum(one["external_rate"] * one["window_seconds"] for one in listed)
    assert rows / seconds == pytest.approx(ROWS_PER_SECOND, rel=0.2)  # the source gives rows by whole seconds
    rates = [one["operators"]["lab"]["service_rate"] for one in listed]
    report(f"spark: service rate read {min(rates):.0f} to {max(rates):.0f} rows/s; without batch costs 250")
    assert max(rates) <= 250
    assert median(rates) > 100  # another program may hold up a batch


def test_the_gauges_of_the_ui_give_the_rate_too(
    query: StreamingQuery, spark: SparkSession, client: httpx.Client, name: str
) -> None:
    url = str(spark.sparkContext.uiWebUrl)
    answers = sample("spark", url, "lab")
    batches = len(query.recentProgress)
    wait_for(lambda: len(query.recentProgress) > batches, "one batch more has run")
    stored = client.post(
        f"/v1/topologies/{name}/snapshots/from/spark",
        json=write_answers([*answers, *sample("spark", url, "lab")]),
    )
    assert stored.status_code == 201, stored.text
    newest = client.get(f"/v1/topologies/{name}/snapshots").json()["items"][-1]
    assert 0.4 * ROWS_PER_SECOND < newest["external_rate"] < 1.6 * ROWS_PER_SECOND  # of one batch alone
    assert newest["operators"]["lab"]["processors"] == 2
