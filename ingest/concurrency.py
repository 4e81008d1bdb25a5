"""How many services are under way at one time: the maximum of a window, and the mean over time.

Each start (+1) and each finish (−1) belongs to the slice of its own time. Inside a slice the changes are summed in
order of time; the level at the beginning of a slice is the sum of all changes before it.
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812  # as in all of PySpark's own pages

SPOT = ("operator_id", "window")
EVENTS = ("begun", "done")


def place_in_slice(offset: Column, length: Column, *, is_start: bool) -> Column:
    """The time within the slice and one more bit, 1 for a start: a finish sorts before a start of the same time.

    Null for a time after the slice.
    """
    return F.when(offset < length, F.shiftleft(offset, 1) + int(is_start))


def find_events(window_ns: int, slice_ns: int) -> tuple[Column, Column]:
    """The record's start and finish; null for each that lies after the slice of the arrival."""
    _, arrived, length = find_slice(F.col("arrived_ns"), window_ns, slice_ns)
    begun, done = (arrived + F.col(name) for name in ("wait_ns", "sojourn_ns"))
    return (
        place_in_slice(begun, length, is_start=True).alias("begun"),
        place_in_slice(done, length, is_start=False).alias("done"),
    )


def find_late_events(records: DataFrame, window_ns: int, slice_ns: int) -> DataFrame:
    """Starts and finishes that lie after the slice of their record's arrival, as rows of their own slices."""
    arrived, length = find_slice(F.col("arrived_ns"), window_ns, slice_ns)[1:]
    started, finished = (F.col("arrived_ns") + F.col(name) for name in ("wait_ns", "sojourn_ns"))
    is_late = arrived + F.col("wait_ns") >= length
    late = records.where(arrived + F.col("sojourn_ns") >= length).select(
        "operator_id",
        F.explode(
            F.array(
                F.struct(F.when(is_late, started).alias("at"), F.lit(1).alias("is_start")),
                F.struct(finished.alias("at"), F.lit(0).alias("is_start")),
            )
        ).alias("event"),
    )
    at, is_start = F.col("event.at"), F.col("event.is_start") == 1
    number, offset, _ = find_slice(at, window_ns, slice_ns)
    placed = F.shiftleft(offset, 1)
    return late.where("event.at is not null").select(
        "operator_id",
        F.call_function("div", at, F.lit(window_ns)).alias("window"),
        number.alias("slice"),
        F.when(is_start, placed + 1).alias("begun"),
        F.when(~is_start, placed).alias("done"),
    )


def find_slice(at: Column, window_ns: int, slice_ns: int) -> tuple[Column, Column, Column]:
    """The number of a time's slice in its window, the time within it, and the slice's length."""
    in_window = at % F.lit(window_ns)
    number = F.call_function("div", in_window, F.lit(slice_ns)).cast("long")
    return number, in_window % F.lit(slice_ns), F.least(F.lit(slice_ns), window_ns - number * slice_ns)


def sweep(events: Column, limit: Column) -> Column:
    """The maximum and the time integral up to `limit` of the level, counted from the level at the slice's beginning.

    `events` are the slice's starts and finishes in order of time.
    """
    start = F.struct(F.lit(0).alias("level"), F.lit(0).alias("most"), F.lit(0.0).alias("area"))

    def step(so_far: Column, event: Column) -> Column:
        change = event.bitwiseAND(1).cast("int") * 2 - 1
        level = so_far["level"] + change
        left = F.greatest(limit - F.shiftright(event, 1), F.lit(0))
        return F.struct(
            level.alias("level"),
            F.greatest(so_far["most"], level).alias("most"),
            (so_far["area"] + change * left).alias("area"),
        )

    return F.aggregate(events, start, step)


def add_levels(slices: DataFrame, window_ns: int, slice_ns: int) -> DataFrame:
    """Adds to each slice `most_busy`, the maximum level, and `busy_ns`, the integral of the level until the next slice.

    Slices without starts and finishes have no row: the level does not change until the next row.
    """
    order = Window.partitionBy("operator_id").orderBy("window", "slice")
    earlier = order.rowsBetween(Window.unboundedPreceding, -1)
    window = Window.partitionBy(*SPOT).orderBy("slice")
    begin = F.col("window") * window_ns
    is_first = F.lag("slice").over(window).isNull()
    following = F.lead("slice").over(window)
    slice_begin = begin + F.col("slice") * slice_ns
    spans = slices.withColumns(
        {
            "carried": F.coalesce(F.sum("net").over(earlier), F.lit(0)),
            "from_ns": F.when(is_first, begin).otherwise(slice_begin),
            "to_ns": F.when(following.isNull(), begin + window_ns).otherwise(begin + following * slice_ns),
            "slice_end": F.least(slice_begin + slice_ns, begin + window_ns),
        }
    )
    whole, rest = (
        F.least("to_ns", "end_ns") - F.least(F.col(since), "end_ns") for since in ("from_ns", "slice_end")
    )
    busy = F.col("area") + F.col("carried") * whole + F.col("net") * rest
    most = (F.col("carried") + F.col("most")).cast("int")
    return spans.withColumns({"most_busy": most, "busy_ns": busy.cast("long")})
