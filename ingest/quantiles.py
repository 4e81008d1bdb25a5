"""Quantiles of waits and sojourns, from sorted arrays."""

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  # as in all of PySpark's own pages

QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
SPANS = ("wait", "sojourn")


def is_quantile(name: str) -> bool:
    return name in {name_quantile(span, label) for span in SPANS for label in QUANTILES}


def name_quantile(span: str, label: str) -> str:
    return f"{span}_{label}_ns"


def pick_quantiles() -> list[Column]:
    """p50, p95, p99 of sorted values, linear between neighbours as numpy's default."""
    return [
        interpolate(F.col(span), fraction).alias(name_quantile(span, label))
        for span in SPANS
        for label, fraction in QUANTILES.items()
    ]


def interpolate(values: Column, fraction: float) -> Column:
    rank = F.lit(fraction) * (F.size(values) - 1)
    low = F.get(values, F.floor(rank).cast("int"))
    high = F.get(values, F.ceil(rank).cast("int"))
    return low + (high - low) * (rank - F.floor(rank))


def thin(values: Column) -> Column:
    """The middle value of each `stride` values, so that the thinned values are neither too low nor too high."""
    stride = F.col("stride")
    kept = F.filter(values, lambda _, place: place % stride == F.floor(stride / 2))
    return F.when(stride == 1, values).otherwise(kept)
