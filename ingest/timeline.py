"""Each operator's timeline, cut into slices that fit into memory, and stitched where they were cut.

A window function over an operator's whole timeline would put a busy operator's day into one task. Here a window, or a
part of one where a window is very busy, is a slice: plain arrays of whole numbers, which Spark sorts fast. Gaps are
taken inside the arrays, then across the borders. Sorted arrays give the same sums, bit for bit, in every run.
"""

import math
from collections.abc import Callable

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812  # as in all of PySpark's own pages

from ingest.concurrency import EVENTS, add_levels, find_events, find_late_events, sweep

OPERATOR = ("topology", "operator")
WINDOW = (*OPERATOR, "window")
SPOT = ("operator_id", "window")
SWEPT = ("net", "most", "area", "end_ns")
SLICE = (*SPOT, "slice")
SLICE_RECORDS = 1_000_000
TASK_RECORDS = 400_000
QUANTILE_VALUES = 1_000_000
QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
SPANS = ("wait", "sojourn")


def count_slices(largest_window: int) -> int:
    """Into how many parts every window is cut so that the busiest one's parts stay near SLICE_RECORDS."""
    return max(1, math.ceil(largest_window / SLICE_RECORDS))


def count_tasks(records: int) -> int:
    """Into how many tasks the records go, so that what one of them holds at a time fits into a small memory."""
    return max(1, math.ceil(records / TASK_RECORDS))


def measure_slices(
    records: DataFrame, cover: DataFrame, window_ns: int, *, slices: int, tasks: int
) -> DataFrame:
    """One row per slice: tuples, suspected repeats, first and last arrival, Σ(x−m)² of gaps and of services, what
    `add_levels` needs (for which there are slices without tuples), and quantiles, but where windows are cut: there
    `measure_cut_windows` finds them.
    """
    slice_ns = math.ceil(window_ns / slices)
    # A constant among the keys would hide from Spark that the rows are where they belong: it would send them twice.
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
    """What is measured, as whole numbers: `places` holds the arrival within the slice and, in the bits below, as many
    bits of the record's identity as there is room for: equal places are suspected to be one record.
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
    """27 for a minute, 16 for a day."""
    return 63 - slice_ns.bit_length()


def sum_slices(
    ordered: DataFrame, keys: tuple[str, ...], quantiles: list[Column], begin: Column, slice_ns: int
) -> DataFrame:
    """Rows again, in order: Spark compiles what runs over rows, not what runs over elements of arrays.

    Squares are summed around a value in the midst, so that nearly equal values lose no digits.
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


def bind(value: Column, use: Callable[[Column], Column]) -> Column:
    """`use` of a value that is computed once.

    Spark puts an expression in the place of every name that stands for it, also inside a function that runs for
    each element of an array: a mean would be computed anew for each. The variable of a function stays one.
    """
    return F.transform(F.array(value), use)[0]


def build_timeline(slices: DataFrame, window_ns: int, slice_count: int) -> DataFrame:
    """Slices -> one row per (operator, window): tuples, moments of gaps and services, quantiles where they are known,
    and how many services were under way.

    A gap belongs to the slice of its later tuple, however long ago the earlier one arrived.
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


def join_parts(parts: Column) -> Column:
    """Joins the moments of a window's slices: Σ(x−m)² = Σᵢ Σ(x−mᵢ)² + Σᵢ nᵢ(mᵢ−m)² (Chan, Golub, LeVeque 1979)."""
    inner = F.transform(
        parts,
        lambda p: make_moments(p.tuples - 1, find_mean(p.last_ns - p.first_ns, p.tuples - 1), p.gap_squares),
    )
    borders = F.transform(
        F.filter(parts, lambda p: p.border_ns.isNotNull()),
        lambda p: make_moments(F.lit(1).cast("long"), p.border_ns.cast("double"), F.lit(0.0)),
    )
    services = F.transform(parts, lambda p: make_moments(p.tuples, p.service_mean, p.service_squares))
    gap_sum = sum_longs(
        F.transform(parts, lambda p: p.last_ns - p.first_ns + F.coalesce(p.border_ns, F.lit(0)))
    )
    tuples = sum_longs(parts["tuples"])
    return bind(
        F.struct(
            tuples.alias("tuples"),
            F.concat(inner, borders).alias("gaps"),
            gap_sum.alias("gap_sum"),
            services.alias("services"),
        ),
        lambda t: bind(
            sum_longs(t.gaps["count"]),
            lambda gap_count: F.struct(
                t.tuples.alias("tuples"),
                t.gap_sum.alias("gap_sum"),
                gap_count.alias("gap_count"),
                join_squares(t.gaps, find_mean(t.gap_sum, gap_count)).alias("gap_squares"),
                join_squares(t.services, weigh_means(t.services, t.tuples)).alias("service_squares"),
            ),
        ),
    )


def find_mean(total: Column, count: Column) -> Column:
    return total.cast("double") / F.greatest(count, F.lit(1))


def weigh_means(moments: Column, count: Column) -> Column:
    total = F.aggregate(moments, F.lit(0.0), lambda sum_, p: sum_ + p["count"] * p.mean)
    return total / F.greatest(count, F.lit(1))


def make_moments(count: Column, mean: Column, squares: Column) -> Column:
    return F.struct(count.alias("count"), mean.alias("mean"), squares.alias("squares"))


def sum_longs(values: Column) -> Column:
    return F.aggregate(values, F.lit(0).cast("long"), lambda total, value: total + value)


def join_squares(moments: Column, mean: Column) -> Column:
    return bind(
        mean,
        lambda m: F.aggregate(
            moments,
            F.lit(0.0),
            lambda sum_, p: sum_ + p.squares + p["count"] * (p.mean - m) * (p.mean - m),
        ),
    )


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


def measure_cut_windows(
    records: DataFrame, timeline: DataFrame, window_ns: int, slices: int, tasks: int
) -> DataFrame:
    """The timeline with the quantiles of windows that were cut, of all values up to QUANTILE_VALUES a window.

    Beyond, every n-th of each slice's sorted values stands for all: the rank is off by less than n × (slices + 1).
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


def thin(values: Column) -> Column:
    """From the midst of each stretch of `stride` values, so that the thinned ones lie neither low nor high."""
    stride = F.col("stride")
    kept = F.filter(values, lambda _, place: place % stride == F.floor(stride / 2))
    return F.when(stride == 1, values).otherwise(kept)
