"""Moments of a window, joined from slices, equal those of all its values."""

from itertools import pairwise

import numpy as np
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812  # as in ingest

from ingest.moments import join_parts

SCHEMA = (
    "parts array<struct<first_ns: bigint, last_ns: bigint, tuples: bigint, border_ns: bigint,"
    " gap_squares: double, service_mean: double, service_squares: double>>"
)


def describe_slice(at: np.ndarray, served: np.ndarray, before: int | None) -> tuple[object, ...]:
    gaps = np.diff(at)
    squares = float(((gaps - gaps.mean()) ** 2).sum()) if len(gaps) else 0.0
    border = None if before is None else int(at[0]) - before
    service = float(((served - served.mean()) ** 2).sum())
    return int(at[0]), int(at[-1]), len(at), border, squares, float(served.mean()), service


@pytest.mark.parametrize("cuts", [[], [7], [1, 2, 50], [30, 31, 32, 99]])
def test_slices_joined_equal_the_whole(spark: SparkSession, cuts: list[int]):
    random = np.random.default_rng(3)
    at = np.cumsum(random.integers(1, 10**9, 100))
    served = random.integers(1, 10**8, 100)
    bounds = [0, *cuts, len(at)]
    parts = [describe_slice(at[i:j], served[i:j], int(at[i - 1]) if i else None) for i, j in pairwise(bounds)]
    frame = spark.createDataFrame([(parts,)], SCHEMA)
    (found,) = frame.select(join_parts(F.col("parts")).alias("joined")).select("joined.*").collect()
    assert (found.tuples, found.gap_count, found.gap_sum) == (100, 99, at[-1] - at[0])
    assert found.gap_squares == pytest.approx(np.diff(at).var() * 99, rel=1e-12)
    assert found.service_squares == pytest.approx(served.var() * 100, rel=1e-12)
