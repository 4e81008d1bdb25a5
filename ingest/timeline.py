"""Each operator's timeline, cut into slices that fit into memory, and stitched where they were cut.

A window function over an operator's whole timeline would put a busy operator's day into one task. Here a window, or a
part of one where a window is very busy, is one sorted array; gaps are taken inside the arrays, then across borders.
"""

import math

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812  # as in all of PySpark's own pages

OPERATOR = ("topology", "operator")
WINDOW = (*OPERATOR, "window")
SLICE_RECORDS = 50_000
QUANTILE_VALUES = 2_000_000
QUANTILES = (0.5, 0.95, 0.99)


def count_slices(largest_window: int) -> int:
    """Into how many parts every window is cut so that the busiest one's parts stay near SLICE_RECORDS."""
    return max(1, math.ceil(largest_window / SLICE_RECORDS))


def build_timeline(events: DataFrame, window_ns: int, largest_window: int) -> DataFrame:
    """Events -> one row per (topology, operator, window): sums, gap moments, quantiles, duplicates found.

    A record whose topology, operator, instance, tuple_id and arrival were seen already is a duplicate; of copies that
    differ the one that finished last counts.
    """
    slices = count_slices(largest_window)
    windows = gather_parts(measure_slices(sort_records(events, window_ns, slices)), slices)
    stride = math.ceil(largest_window / QUANTILE_VALUES)
    return stitch_windows(summarise_parts(windows, stride))


def sort_records(events: DataFrame, window_ns: int, slices: int) -> DataFrame:
    """One array per slice, newest first, so that of equal records the one that finished last comes first."""
    slice_ns = math.ceil(window_ns / slices)
    record = F.struct(
        "arrived_ns",
        # 64 bits stand for the two names: two different records would also have to arrive at one operator within
        # the same nanosecond to be mistaken for one.
        F.xxhash64("instance", "tuple_id").alias("identity"),
        (F.col("finished_ns") - F.col("arrived_ns")).alias("sojourn_ns"),
        (F.col("started_ns") - F.col("arrived_ns")).alias("wait_ns"),
        "sample_every",
    )
    placed = events.select(
        *WINDOW, F.expr(f"(arrived_ns % {window_ns}) div {slice_ns}").alias("slice"), record.alias("record")
    )
    # Sent as rows and gathered where they arrive: gathering before the shuffle would sort everything twice.
    # Windows that are not cut need no further shuffle then.
    placed = placed.repartition(*WINDOW) if slices == 1 else placed.repartition(*WINDOW, "slice")
    gathered = placed.groupBy(*WINDOW, "slice").agg(F.collect_list("record").alias("records"))
    return gathered.withColumn("records", F.sort_array("records", asc=False))


def measure_slices(slices: DataFrame) -> DataFrame:
    """Drops duplicates, then takes the moments of gaps and services: mean first, then squares around it."""
    repeats = "i > 0 and r.arrived_ns = records[i - 1].arrived_ns and r.identity = records[i - 1].identity"
    kept = slices.select(
        *WINDOW,
        "slice",
        F.expr(f"filter(records, (r, i) -> {repeats})").alias("repeated"),
        F.expr(f"filter(records, (r, i) -> not ({repeats}))").alias("records"),
    )
    columns = kept.select(
        *WINDOW,
        "slice",
        F.expr("transform(repeated, r -> struct(r.arrived_ns, r.identity))").alias("duplicates"),
        F.expr("records.arrived_ns").alias("arrivals"),
        F.expr("records.wait_ns").alias("waits"),
        F.expr("records.sojourn_ns").alias("sojourns"),
        F.expr("aggregate(records.sample_every, 0L, (sum, n) -> sum + n)").alias("weight"),
    )
    derived = columns.select(
        "*",
        F.expr(
            "zip_with(slice(arrivals, 1, size(arrivals) - 1), slice(arrivals, 2, size(arrivals) - 1), (b, a) -> b - a)"
        ).alias("gaps"),
        F.expr("zip_with(sojourns, waits, (sojourn, wait) -> sojourn - wait)").alias("services"),
        F.expr("aggregate(waits, 0L, (sum, wait) -> sum + wait)").alias("wait_sum"),
        F.expr("aggregate(sojourns, 0L, (sum, sojourn) -> sum + sojourn)").alias("sojourn_sum"),
        F.expr("arrivals[size(arrivals) - 1]").alias("first_ns"),
        F.expr("arrivals[0]").alias("last_ns"),
    )
    return derived.select(
        *WINDOW,
        F.struct(
            "slice",
            "first_ns",
            "last_ns",
            "weight",
            "wait_sum",
            "sojourn_sum",
            F.size("arrivals").cast("long").alias("tuples"),
            square_deviations("gaps", "last_ns - first_ns", "size(arrivals) - 1").alias("gap_squares"),
            square_deviations("services", "sojourn_sum - wait_sum", "size(arrivals)").alias(
                "service_squares"
            ),
        ).alias("part"),
        "duplicates",
        "waits",
        "sojourns",
    )


def square_deviations(values: str, total: str, count: str) -> Column:
    mean = f"cast({total} as double) / greatest({count}, 1)"
    return F.expr(f"aggregate({values}, 0D, (sum, v) -> sum + (v - {mean}) * (v - {mean}))")


def gather_parts(slices: DataFrame, count: int) -> DataFrame:
    """The slices of a window in one row, in order of time."""
    if count == 1:
        return slices.withColumn("parts", F.array("part")).drop("part")
    return slices.groupBy(*WINDOW).agg(
        F.sort_array(F.collect_list("part")).alias("parts"),
        *(F.flatten(F.collect_list(name)).alias(name) for name in ("duplicates", "waits", "sojourns")),
    )


def summarise_parts(windows: DataFrame, stride: int) -> DataFrame:
    """Joins the moments of a window's slices: Σ(x−m)² = Σᵢ Σ(x−mᵢ)² + Σᵢ nᵢ(mᵢ−m)² (Chan, Golub, LeVeque 1979)."""
    totals = windows.select(
        "*",
        *(
            F.expr(f"aggregate(parts, 0L, (sum, p) -> sum + p.{name})").alias(name)
            for name in ("tuples", "weight", "wait_sum", "sojourn_sum")
        ),
        F.expr("parts[0].first_ns").alias("first_ns"),
        F.expr("parts[size(parts) - 1].last_ns").alias("last_ns"),
    )
    gaps = F.expr(
        "concat(transform(parts, p -> struct(p.tuples - 1 as n, p.last_ns - p.first_ns as total,"
        " p.gap_squares as squares)), transform(slice(parts, 2, size(parts)), (p, i) -> "
        "struct(1L as n, p.first_ns - parts[i].last_ns as total, 0D as squares)))"
    )
    services = F.expr(
        "transform(parts, p -> struct(p.tuples as n, p.sojourn_sum - p.wait_sum as total,"
        " p.service_squares as squares))"
    )
    joined = totals.withColumn("gaps", gaps).withColumn("services", services)
    return joined.select(
        *WINDOW,
        "tuples",
        "weight",
        "wait_sum",
        "sojourn_sum",
        "first_ns",
        "last_ns",
        join_squares("gaps", "last_ns - first_ns", "tuples - 1").alias("gap_squares"),
        join_squares("services", "sojourn_sum - wait_sum", "tuples").alias("service_squares"),
        find_quantiles("waits", stride).alias("wait_quantiles"),
        find_quantiles("sojourns", stride).alias("sojourn_quantiles"),
        "duplicates",
    )


def join_squares(parts: str, total: str, count: str) -> Column:
    mean = f"cast({total} as double) / greatest({count}, 1)"
    between = f"p.n * pow(cast(p.total as double) / greatest(p.n, 1) - {mean}, 2)"
    return F.expr(f"aggregate({parts}, 0D, (sum, p) -> sum + p.squares + {between})")


def find_quantiles(values: str, stride: int) -> Column:
    """p50, p95, p99, linear between neighbours as numpy's default: exact up to QUANTILE_VALUES a window.

    Beyond, every stride-th of the sorted values stands for all: the rank is off by less than stride / tuples.
    """
    kept = F.sort_array(values)
    if stride > 1:
        kept = F.filter(kept, lambda _, place: place % stride == 0)
    fractions = F.array(*(F.lit(fraction) for fraction in QUANTILES))
    # Through the one-element array the sorted values get a name, so that they are sorted once and not six times.
    return F.transform(
        F.array(kept), lambda ordered: F.transform(fractions, lambda q: interpolate(ordered, q))
    )[0]


def interpolate(values: Column, fraction: Column) -> Column:
    rank = fraction * (F.size(values) - 1)
    low = F.get(values, F.floor(rank).cast("int"))
    high = F.get(values, F.ceil(rank).cast("int"))
    return low + (high - low) * (rank - F.floor(rank))


def stitch_windows(windows: DataFrame) -> DataFrame:
    """Adds the gap from the operator's last tuple before the window, however long ago that was."""
    previous = F.lag("last_ns").over(Window.partitionBy(*OPERATOR).orderBy("window"))
    count = F.col("tuples") - 1
    gap_sum = F.col("last_ns") - F.col("first_ns")
    return (
        windows.withColumn("border_gap", F.col("first_ns") - previous)
        .withColumn("gap_count", F.when(F.col("border_gap").isNull(), count).otherwise(count + 1))
        .withColumn("gap_sum", gap_sum + F.coalesce("border_gap", F.lit(0)))
        .withColumn("gap_squares", F.col("gap_squares") + add_border(count, gap_sum))
        .drop("border_gap", "first_ns", "last_ns")
    )


def add_border(count: Column, total: Column) -> Column:
    """What one value more adds to Σ(x−m)²: (x−m)²·n/(n+1) (Welford 1962)."""
    deviation = F.col("border_gap") - total.cast("double") / F.greatest(count, F.lit(1))
    return F.coalesce(deviation * deviation * count / (count + 1), F.lit(0.0))
