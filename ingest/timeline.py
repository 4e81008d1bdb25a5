"""Each operator's timeline, cut into slices that fit into memory, and joined at the cuts.

A window function over an operator's whole timeline would put a busy operator's day into one task. A slice is a window,
or a part of a very busy window: arrays of integers, which Spark sorts fast. Gaps are computed inside the arrays, then
across the borders of slices. The arrays are sorted, so that sums are equal, bit for bit, in every run.
"""

import math

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812  # as in all of PySpark's own pages

from ingest.concurrency import EVENTS, add_levels, find_events, find_late_events, sweep
from ingest.moments import find_mean, join_parts
from ingest.quantiles import SPANS, is_quantile, pick_quantiles, thin

OPERATOR = ("topology", "operator")
WINDOW = (*OPERATOR, "window")
SPOT = ("operator_id", "window")
SWEPT = ("net", "most", "area", "end_ns")
SLICE = (*SPOT, "slice")
SLICE_RECORDS = 1_000_000
TASK_RECORDS = 400_000
QUANTILE_VALUES = 1_000_000


def count_slices(largest_window: int) -> int:
    """The number of parts of each window, so that a part of the busiest window has about SLICE_RECORDS records."""
    return max(1, math.ceil(largest_window / SLICE_RECORDS))


def count_tasks(records: int) -> int:
    """The number of tasks for the records, so that the records of one task fit into a small memory."""
    return max(1, math.ceil(records / TASK_RECORDS))


def measure_slices(
    records: DataFrame, cover: DataFrame, window_ns: int, *, slices: int, tasks: int
) -> DataFrame:
    """One row per slice: tuples, suspected repeats, first and last arrival, Σ(x−m)² of gaps and of services, and the
    input of `add_levels`, for which there are slices without tuples.

    Quantiles are added where a slice is a whole window; `measure_cut_windows` computes those of cut windows.
    """
    slice_ns = math.ceil(window_ns / slices)
    # With a constant among the keys Spark would not see that the rows are partitioned already, and shuffle them again.
    keys = SPOT if slices == 1 else SLICE
    placed = place_records(records, window_ns, slice_ns)
    placed = placed.unionByName(find_late_events(records, window_ns, slice_ns), allowMissingColumns=True)
    names = ("places", "services", *(SPANS if slices == 1 else ()))
    spread = placed.select(*keys, *names, *EVENTS).repartition(tasks, *keys)
    gathered = spread.groupBy(*keys).agg(*(F.collect_list(name).alias(name) for name in (*names, *EVENTS)))
    offset = F.lit(0) if slices == 1 else F.col("slice") * slice_ns
    begin = F.col("window") * window_ns + offset
    ordered = gathered.join(F.broadcast(cover.drop("topology_id")), "operator_id", "left").select(
        *keys,
        *(F.sort_array(name).alias(name) for name in names),
        F.sort_array(F.concat(*EVENTS)).alias("events"),
        (F.size("begun") - F.size("done")).alias("net"),
        "end_ns",
        F.least(F.lit(slice_ns), window_ns - offset, F.col("end_ns") - begin).alias("limit"),
    )
    summed = sum_slices(ordered, keys, pick_quantiles() if slices == 1 else [], begin, slice_ns)
    return summed.withColumn("slice", F.lit(0)) if slices == 1 else summed


def place_records(records: DataFrame, window_ns: int, slice_ns: int) -> DataFrame:
    """The measured values as integers. `places` holds the arrival within the slice in high bits, and as many bits of
    the record's identity as there is room for in its low bits: two equal places may be copies of one record.
    """
    shift = count_spare_bits(slice_ns)
    in_window = F.expr(f"arrived_ns % {window_ns}L")
    is_cut = slice_ns < window_ns
    identity = F.col("identity").bitwiseAND(F.lit((1 << shift) - 1))
    return records.select(
        *SPOT,
        (F.call_function("div", in_window, F.lit(slice_ns)) if is_cut else F.lit(0))
        .cast("long")
        .alias("slice"),
        (F.shiftleft(in_window % slice_ns if is_cut else in_window, shift) + identity).alias("places"),
        (F.col("sojourn_ns") - F.col("wait_ns")).alias("services"),
        F.col("wait_ns").alias("wait"),
        F.col("sojourn_ns").alias("sojourn"),
        *find_events(window_ns, slice_ns),
    )


def count_spare_bits(slice_ns: int) -> int:
    """The bits that an arrival within a slice leaves free in 63: 27 for a minute, 16 for a day."""
    return 63 - slice_ns.bit_length()


def sum_slices(
    ordered: DataFrame, keys: tuple[str, ...], quantiles: list[Column], begin: Column, slice_ns: int
) -> DataFrame:
    """Sums the sorted arrays, which become rows again: Spark compiles code over rows, but not over elements of arrays.

    Squares are sums of differences from a value near the mean, so that nearly equal values lose no digits.
    """
    shift, size = count_spare_bits(slice_ns), F.size("places")
    first, last = (
        F.shiftright(F.get("places", F.lit(0)), shift),
        F.shiftright(F.get("places", size - 1), shift),
    )
    measured = ordered.select(
        *keys,
        "places",
        "services",
        first.alias("first"),
        last.alias("last"),
        (find_mean(last - first, size - 1)).cast("long").alias("middle_gap"),
        F.get("services", F.floor(size / 2).cast("int")).alias("middle_service"),
        "net",
        "end_ns",
        sweep(F.col("events"), F.col("limit")).alias("swept"),
        *quantiles,
    )
    return sum_rows(measured, keys, begin, shift)


def sum_rows(measured: DataFrame, keys: tuple[str, ...], begin: Column, shift: int) -> DataFrame:
    """One row per element of the sorted arrays, summed per slice."""
    # Not as a struct: Spark sorts rows to take the first of a struct.
    fields = [F.col(f"swept.{name}").alias(name) for name in ("most", "area")]
    kept = [c for c in measured.columns if c not in {"places", "services", "swept"}]
    rows = measured.select(
        *kept, "swept", "places", "services", F.posexplode_outer("places").alias("i", "place")
    )
    before = F.get("places", F.col("i") - 1)
    gap = F.shiftright("place", shift) - F.shiftright(before, shift) - F.col("middle_gap")
    rows = rows.select(
        *kept,
        *fields,
        "place",
        F.when(F.col("i") > 0, gap).alias("gap"),
        F.when((F.col("i") > 0) & (F.col("place") == before), 1).otherwise(0).alias("repeat"),
        (F.get("services", F.col("i")) - F.col("middle_service")).alias("service"),
    )
    return rows.groupBy(*keys).agg(
        F.count("place").alias("tuples"),
        F.sum("repeat").alias("repeats"),
        (F.first(begin + F.col("first"))).alias("first_ns"),
        (F.first(begin + F.col("last"))).alias("last_ns"),
        F.coalesce(F.var_pop("gap") * F.count("gap"), F.lit(0.0)).alias("gap_squares"),
        (F.first("middle_service") + F.avg("service")).alias("service_mean"),
        (F.var_pop("service") * F.count("service")).alias("service_squares"),
        *(F.first(name).alias(name) for name in rows.columns if is_quantile(name) or name in SWEPT),
    )


def build_timeline(slices: DataFrame, window_ns: int, slice_count: int) -> DataFrame:
    """Slices -> one row per (operator, window): tuples, moments of gaps and services, quantiles where they are known,
    and the services under way.

    A gap belongs to the slice of its later tuple, wherever the earlier tuple is.
    """
    earlier = Window.partitionBy("operator_id").orderBy("window", "slice")
    earlier = earlier.rowsBetween(Window.unboundedPreceding, -1)
    before = F.last("last_ns", ignorenulls=True).over(earlier)
    part = F.struct(
        "first_ns",
        "last_ns",
        "tuples",
        (F.col("first_ns") - before).alias("border_ns"),
        "gap_squares",
        "service_mean",
        "service_squares",
    )
    quantiles = [name for name in slices.columns if is_quantile(name)]
    windows = (
        add_levels(slices, window_ns, math.ceil(window_ns / slice_count))
        .select(*SPOT, F.when(F.col("tuples") > 0, part).alias("part"), "most_busy", "busy_ns", *quantiles)
        .groupBy(*SPOT)
        .agg(
            F.sort_array(F.collect_list("part")).alias("parts"),
            F.max("most_busy").alias("most_busy"),
            F.sum("busy_ns").alias("busy_ns"),
            *(F.max(name).alias(name) for name in quantiles),
        )
    )
    kept = ("most_busy", "busy_ns", *quantiles)
    joined = windows.where(F.size("parts") > 0).select(
        *SPOT, join_parts(F.col("parts")).alias("joined"), *kept
    )
    return joined.select(*SPOT, "joined.*", *kept)


def measure_cut_windows(
    records: DataFrame, timeline: DataFrame, window_ns: int, slices: int, tasks: int
) -> DataFrame:
    """Adds the quantiles of cut windows to the timeline, exactly up to QUANTILE_VALUES values per window.

    Above that, only every n-th of a slice's sorted values is used: a rank is wrong by less than n × (slices + 1).
    """
    slice_ns = math.ceil(window_ns / slices)
    spread = place_records(records, window_ns, slice_ns).repartition(tasks, *SLICE)
    gathered = spread.groupBy(*SLICE).agg(*(F.collect_list(span).alias(span) for span in SPANS))
    stride = F.ceil(F.col("tuples") / QUANTILE_VALUES)
    counted = gathered.join(F.broadcast(timeline.select(*SPOT, stride.alias("stride"))), list(SPOT))
    thinned = counted.select(*SPOT, *(thin(F.sort_array(span)).alias(span) for span in SPANS))
    whole = thinned.groupBy(*SPOT).agg(*(F.flatten(F.collect_list(span)).alias(span) for span in SPANS))
    ordered = whole.select(*SPOT, *(F.sort_array(span).alias(span) for span in SPANS))
    return timeline.join(ordered.select(*SPOT, *pick_quantiles()), list(SPOT))
