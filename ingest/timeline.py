"""Each operator's timeline, cut into slices that fit into memory, and stitched where they were cut.

A window function over an operator's whole timeline would put a busy operator's day into one task. Here a window, or a
part of one where a window is very busy, is one sorted array; gaps are taken inside the arrays, then across borders.
"""

import math
from collections.abc import Callable

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
    return placed.groupBy(*WINDOW, "slice").agg(F.collect_list("record").alias("records"))


def bind(value: Column, use: Callable[[Column], Column]) -> Column:
    """`use` of a value that is computed once.

    Spark puts an expression in the place of every name that stands for it, also inside a function that runs for
    each element of an array: a mean would be computed anew for each. The variable of a function stays one.
    """
    return F.transform(F.array(value), use)[0]


def measure_slices(slices: DataFrame) -> DataFrame:
    """Drops duplicates, then takes the moments of gaps and services: mean first, then squares around it."""
    ordered = F.sort_array("records", asc=False)
    measured = bind(ordered, lambda records: bind(split_duplicates(records), measure_records))
    return slices.select(*WINDOW, "slice", measured.alias("measured")).select(
        *WINDOW, "slice", "measured.part", "measured.duplicates", "measured.waits", "measured.sojourns"
    )


def split_duplicates(records: Column) -> Column:
    def repeats(record: Column, place: Column) -> Column:
        before = F.get(records, place - 1)
        same = (record.arrived_ns == before.arrived_ns) & (record.identity == before.identity)
        return (place > 0) & same

    return F.struct(
        F.filter(records, lambda record, place: ~repeats(record, place)).alias("kept"),
        F.filter(records, repeats).alias("repeated"),
    )


def measure_records(split: Column) -> Column:
    kept = F.struct(
        split.kept.arrived_ns.alias("arrivals"),
        split.kept.wait_ns.alias("waits"),
        split.kept.sojourn_ns.alias("sojourns"),
        split.kept.sample_every.alias("samples"),
    )
    duplicates = F.transform(split.repeated, lambda r: F.struct(r.arrived_ns, r.identity))
    return bind(
        kept,
        lambda k: F.struct(
            measure_arrivals(k).alias("part"),
            duplicates.alias("duplicates"),
            k.waits.alias("waits"),
            k.sojourns.alias("sojourns"),
        ),
    )


def measure_arrivals(kept: Column) -> Column:
    totals = F.struct(
        F.size(kept.arrivals).cast("long").alias("tuples"),
        F.element_at(kept.arrivals, -1).alias("first_ns"),
        F.element_at(kept.arrivals, 1).alias("last_ns"),
        sum_longs(kept.samples).alias("weight"),
        sum_longs(kept.waits).alias("wait_sum"),
        sum_longs(kept.sojourns).alias("sojourn_sum"),
    )
    # Newest first: the gap before each tuple but the last of the list, which is the oldest.
    gaps = F.zip_with(
        kept.arrivals, F.slice(kept.arrivals, 2, F.size(kept.arrivals)), lambda late, early: late - early
    )
    services = F.zip_with(kept.sojourns, kept.waits, lambda sojourn, wait: sojourn - wait)
    names = ("first_ns", "last_ns", "weight", "wait_sum", "sojourn_sum", "tuples")
    return bind(
        totals,
        lambda t: F.struct(
            *(t[name].alias(name) for name in names),
            square_deviations(gaps, t.last_ns - t.first_ns, t.tuples - 1).alias("gap_squares"),
            square_deviations(services, t.sojourn_sum - t.wait_sum, t.tuples).alias("service_squares"),
        ),
    )


def sum_longs(values: Column) -> Column:
    return F.aggregate(values, F.lit(0).cast("long"), lambda total, value: total + value)


def square_deviations(values: Column, total: Column, count: Column) -> Column:
    """Σ(x−m)²; a null among the values (the gap before the oldest) counts for nothing."""
    mean = total.cast("double") / F.greatest(count, F.lit(1))
    nothing = F.lit(0.0)
    return bind(
        mean,
        lambda m: F.aggregate(
            values, nothing, lambda squares, x: squares + F.coalesce((x - m) * (x - m), nothing)
        ),
    )


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
    return windows.select(
        *WINDOW,
        join_parts(F.col("parts")).alias("joined"),
        find_quantiles("waits", stride).alias("wait_quantiles"),
        find_quantiles("sojourns", stride).alias("sojourn_quantiles"),
        "duplicates",
    ).select(*WINDOW, "joined.*", "wait_quantiles", "sojourn_quantiles", "duplicates")


def join_parts(parts: Column) -> Column:
    sums = ("tuples", "weight", "wait_sum", "sojourn_sum")
    totals = F.struct(
        *(sum_longs(parts[name]).alias(name) for name in sums),
        F.element_at(parts, 1).first_ns.alias("first_ns"),
        F.element_at(parts, -1).last_ns.alias("last_ns"),
    )
    inner = F.transform(parts, lambda p: make_moments(p.tuples - 1, p.last_ns - p.first_ns, p.gap_squares))
    borders = F.transform(
        F.slice(parts, 2, F.size(parts)),
        lambda p, i: make_moments(F.lit(1).cast("long"), p.first_ns - F.get(parts, i).last_ns, F.lit(0.0)),
    )
    services = F.transform(
        parts, lambda p: make_moments(p.tuples, p.sojourn_sum - p.wait_sum, p.service_squares)
    )
    return bind(
        totals,
        lambda t: F.struct(
            *(t[name].alias(name) for name in (*sums, "first_ns", "last_ns")),
            join_squares(F.concat(inner, borders), t.last_ns - t.first_ns, t.tuples - 1).alias("gap_squares"),
            join_squares(services, t.sojourn_sum - t.wait_sum, t.tuples).alias("service_squares"),
        ),
    )


def make_moments(count: Column, total: Column, squares: Column) -> Column:
    mean = total.cast("double") / F.greatest(count, F.lit(1))
    return F.struct(count.alias("count"), mean.alias("mean"), squares.alias("squares"))


def join_squares(moments: Column, total: Column, count: Column) -> Column:
    mean = total.cast("double") / F.greatest(count, F.lit(1))
    return bind(
        mean,
        lambda m: F.aggregate(
            moments,
            F.lit(0.0),
            lambda sum_, p: sum_ + p.squares + p["count"] * (p.mean - m) * (p.mean - m),
        ),
    )


def find_quantiles(values: str, stride: int) -> Column:
    """p50, p95, p99, linear between neighbours as numpy's default: exact up to QUANTILE_VALUES a window.

    Beyond, every stride-th of the sorted values stands for all: the rank is off by less than stride / tuples.
    """
    kept = F.sort_array(values)
    if stride > 1:
        kept = F.filter(kept, lambda _, place: place % stride == 0)
    fractions = F.array(*(F.lit(fraction) for fraction in QUANTILES))
    return bind(kept, lambda ordered: F.transform(fractions, lambda q: interpolate(ordered, q)))


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
