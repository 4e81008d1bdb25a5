"""The session's settings, and what Spark reads from the environment."""

import os
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from ingest.session import LOCAL_SETTINGS, SETTINGS, prepare_environment, shares_python


def test_the_session_has_the_settings_that_the_results_depend_on(spark: SparkSession):
    for name in (
        "spark.sql.session.timeZone",
        "spark.sql.legacy.parquet.nanosAsLong",
        "spark.sql.parquet.binaryAsString",
    ):
        assert spark.conf.get(name) == SETTINGS[name]
    assert spark.conf.get("spark.driver.host") == LOCAL_SETTINGS["spark.driver.host"]


def test_times_are_utc_whatever_the_machine_says(spark: SparkSession):
    row = spark.sql("SELECT unix_micros(timestamp'2026-11-18 00:00:00') AS at").head()
    assert row
    assert row["at"] == 1_794_960_000 * 10**6


def test_a_local_session_shares_this_python(spark: SparkSession):
    assert shares_python(spark)


@pytest.mark.parametrize("is_local", [True, False])
def test_what_is_set_in_the_environment_stays(monkeypatch: pytest.MonkeyPatch, is_local: bool):  # noqa: FBT001
    for name in ("TZ", "SPARK_LOCAL_IP", "PYSPARK_PYTHON"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    monkeypatch.setenv("JAVA_HOME", os.environ.get("JAVA_HOME", ""))
    prepare_environment(is_local=is_local)
    assert os.environ["TZ"] == "Asia/Kolkata"
    assert (Path(os.environ["JAVA_HOME"]) / "bin" / "java").exists()
    assert os.environ.get("PYSPARK_PYTHON") == (sys.executable if is_local else None)
    assert os.environ.get("SPARK_LOCAL_IP") == ("127.0.0.1" if is_local else None)
    for name in ("SPARK_LOCAL_IP", "PYSPARK_PYTHON"):
        monkeypatch.setenv(name, os.environ.get(name, ""))  # so that the test's end takes them back
