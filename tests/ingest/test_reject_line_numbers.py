"""Rejected records are found again in their files."""

from pathlib import Path

from pyspark.sql import SparkSession

from ingest.parse import parse_records
from ingest.readers import read_records
from ingest.reject_line_numbers import count_lines, find_rejects
from ingest.sources import find_sources
from tests.ingest.records import good


def test_lines_are_numbered_across_blocks_and_files(spark: SparkSession, tmp_path: Path):
    """A file read by several tasks: the numbers go on where the block before ends."""
    for name in "ab":
        lines = [good() if number % 97 else f"bad {number}" for number in range(1, 3001)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    spark.conf.set("spark.sql.files.maxPartitionBytes", "100000")
    try:
        frames = read_records(spark, find_sources(spark, [str(tmp_path)], None))
        assert frames[0].rdd.getNumPartitions() > 4
        rejects = find_rejects(parse_records(spark, frames), count_lines(frames)).collect()
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")
    assert len(rejects) == 2 * (3000 // 97)
    assert all(row.line == f"bad {row.line_number}" for row in rejects)
