"""Quantiles of sorted arrays equal numpy's, and thinned arrays keep their ranks."""

import numpy as np
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812  # as in ingest

from ingest.quantiles import QUANTILES, SPANS, is_quantile, name_quantile, pick_quantiles, thin

SCHEMA = "wait array<bigint>, sojourn array<bigint>"


@pytest.mark.parametrize("count", [1, 2, 3, 20, 101])
def test_quantiles_are_those_of_numpy(spark: SparkSession, count: int):
    random = np.random.default_rng(count)
    values = {span: np.sort(random.integers(0, 10**12, count)) for span in SPANS}
    frame = spark.createDataFrame([tuple(values[span].tolist() for span in SPANS)], SCHEMA)
    found = frame.select(*pick_quantiles()).head()
    assert found
    for span in SPANS:
        for label, fraction in QUANTILES.items():
            expected = np.quantile(values[span], fraction)
            assert found[name_quantile(span, label)] == pytest.approx(expected, rel=1e-12)
    assert all(map(is_quantile, found.__fields__))


@pytest.mark.parametrize("stride", [1, 2, 5])
def test_one_of_each_stretch_is_kept(spark: SparkSession, stride: int):
    frame = spark.createDataFrame([(list(range(20)), stride)], "found array<bigint>, stride bigint")
    (row,) = frame.select(thin(F.col("found")).alias("kept")).collect()
    assert row.kept == list(range(stride // 2, 20, stride))
