"""Events -> what the tables hold: summaries per operator and per topology, and the edges that were seen."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812  # as in all of PySpark's own pages

from ingest.parse import NANOS_PER_SECOND
from ingest.timeline import OPERATOR, WINDOW

SHARE = (*WINDOW, "instance", "from_operator")
IDENTITY = (*OPERATOR, "instance", "tuple_id", "arrived_ns")
TOPOLOGY_WINDOW = ("topology", "window")


def add_windows(events: DataFrame, window_ns: int) -> DataFrame:
    """`window` = whole windows between the epoch and the arrival; null where the record was rejected."""
    return events.withColumn(
        "window", F.when(F.col("reject_reason").isNull(), F.expr(f"arrived_ns div {window_ns}L"))
    )


def tally_events(events: DataFrame) -> DataFrame:
    """One look at all records: how many were rejected for each reason, and for the others, per window, instance and
    upstream operator, how many there are, for how many they stand (1 of n is logged) and how long they were served.
    """
    accepted = F.col("reject_reason").isNull()
    keys = [F.when(accepted, F.col(name)).alias(name) for name in SHARE if name != "window"]
    return events.groupBy("reject_reason", "window", *keys).agg(
        F.count("*").alias("tuples"),
        F.sum("sample_every").alias("weight"),
        F.sum(F.col("sample_every") * (F.col("finished_ns") - F.col("started_ns"))).alias("busy_ns"),
    )


def find_surplus(events: DataFrame, timeline: DataFrame) -> DataFrame:
    """All copies of a record but the one that counts, which is the one that finished last.

    What is summed over all events is summed over these too, and taken off: sums of whole numbers are exact, and it
    costs less than taking a few records out of all, which would send every record by its names through a shuffle.
    """
    repeated = (
        timeline.select(*OPERATOR, F.explode("duplicates").alias("copy"))
        .select(*OPERATOR, "copy.*")
        .distinct()
    )
    identified = events.withColumn("identity", F.xxhash64("instance", "tuple_id"))
    copies = identified.join(repeated, on=[*OPERATOR, "arrived_ns", "identity"], how="left_semi")
    latest = Window.partitionBy(*IDENTITY).orderBy(
        F.desc("finished_ns"),
        F.desc("started_ns"),
        F.desc("sample_every"),
        F.asc_nulls_first("from_operator"),
    )
    surplus = copies.withColumn("copy", F.row_number().over(latest)).where("copy > 1")
    return surplus.drop("copy", "identity")


def count_shares(tally: DataFrame, surplus: DataFrame | None) -> DataFrame:
    """The tally of what was accepted, per window, instance and upstream operator, each record once."""
    sums = ("tuples", "weight", "busy_ns")
    accepted = tally.where("reject_reason is null").select(*SHARE, *sums)
    if surplus is None:
        return accepted
    taken_off = tally_events(surplus.withColumn("reject_reason", F.lit(None).cast("string")))
    negative = taken_off.select(*SHARE, *((-F.col(name)).alias(name) for name in sums))
    both = accepted.unionByName(negative).groupBy(*SHARE)
    return both.agg(*(F.sum(name).alias(name) for name in sums)).where("tuples > 0")


def sign_events(events: DataFrame, surplus: DataFrame | None) -> DataFrame:
    """Events with `sign` 1, and beside them the surplus copies with −1."""
    signed = events.withColumn("sign", F.lit(1))
    return signed if surplus is None else signed.unionByName(surplus.withColumn("sign", F.lit(-1)))


def summarise_operators(timeline: DataFrame, shares: DataFrame, window_seconds: int) -> DataFrame:
    """One row per (topology, operator, window); a quantity without the two values it needs is null, never 0."""
    edges = shares.groupBy(*WINDOW, "from_operator").agg(F.sum("tuples").alias("tuples"))
    upstream = edges.groupBy(*WINDOW).agg(collect_sorted("from_operator", "tuples").alias("upstream"))
    busy = shares.groupBy(*WINDOW, "instance").agg(F.sum("busy_ns").alias("busy_ns"))
    busy = busy.withColumn("busy", F.col("busy_ns") / 1e9 / window_seconds)
    instances = busy.groupBy(*WINDOW).agg(
        F.count("*").alias("instances"),
        collect_sorted("instance", "busy").alias("busy_fractions"),
        (F.max("busy") - F.min("busy")).alias("busy_spread"),
        # Over whole nanoseconds, whose sum does not depend on the order in which they come.
        F.try_divide(F.max("busy_ns").cast("double") * F.count("*"), F.sum("busy_ns")).alias("busy_skew"),
    )
    measured = timeline.select(*WINDOW, "tuples", *measure_operator(window_seconds))
    return measured.join(instances, on=list(WINDOW), how="left").join(upstream, on=list(WINDOW), how="left")


def collect_sorted(key: str, value: str) -> Column:
    return F.sort_array(F.collect_list(F.struct(key, value)))


def measure_operator(window_seconds: int) -> list[Column]:
    service_sum = F.col("sojourn_sum") - F.col("wait_sum")
    sample = F.col("weight") / F.col("tuples")
    return [
        (F.col("weight") / window_seconds).alias("arrival_rate"),
        (find_scv("gap_squares", F.col("gap_sum"), F.col("gap_count")) * sample).alias("arrival_scv"),
        F.try_divide(F.col("tuples") * 1e9, service_sum).alias("service_rate"),
        find_scv("service_squares", service_sum, F.col("tuples")).alias("service_scv"),
        find_mean_seconds(F.col("wait_sum"), F.col("tuples")).alias("mean_wait_seconds"),
        find_mean_seconds(F.col("sojourn_sum"), F.col("tuples")).alias("mean_sojourn_seconds"),
        *pick_quantiles("wait"),
        *pick_quantiles("sojourn"),
    ]


def find_scv(squares: str, total: Column, count: Column) -> Column:
    """Population variance / mean² = (S/n) / (T/n)² = S·n/T², null below two values or for a mean of 0."""
    double_total = total.cast("double")
    return F.when(count >= 2, F.try_divide(F.col(squares) * count, double_total * double_total))


def find_mean_seconds(total: Column, count: Column) -> Column:
    return F.try_divide(total.cast("double"), count * float(NANOS_PER_SECOND))


def pick_quantiles(name: str) -> list[Column]:
    return [
        (F.col(f"{name}_quantiles")[place] / 1e9).alias(f"{name}_p{percent}_seconds")
        for place, percent in enumerate((50, 95, 99))
    ]


def summarise_topologies(signed: DataFrame, shares: DataFrame, window_ns: int) -> DataFrame:
    """One row per (topology, window): what came from outside, and what became of the root tuples that began there."""
    outside = shares.groupBy(*TOPOLOGY_WINDOW).agg(
        F.sum(F.when(F.col("from_operator").isNull(), F.col("weight")).otherwise(0)).alias("external_weight")
    )
    roots = summarise_roots(signed, window_ns)
    joined = outside.join(roots, on=list(TOPOLOGY_WINDOW), how="left")
    window_seconds = window_ns / NANOS_PER_SECOND
    return joined.select(
        *TOPOLOGY_WINDOW,
        (F.col("external_weight") / window_seconds).alias("external_rate"),
        F.coalesce("roots", F.lit(0)).alias("root_tuples"),
        find_mean_seconds(F.col("total_ns"), F.col("roots")).alias("mean_total_sojourn_seconds"),
        find_mean_seconds(F.col("completion_ns"), F.col("roots")).alias("mean_completion_seconds"),
    )


def summarise_roots(signed: DataFrame, window_ns: int) -> DataFrame:
    """A root tuple's total = Σ (finished − arrived) over all that derives from it; completion = last − first.

    It counts in the window of its first arrival. Of a duplicate the last to finish counts, so maxima need no sign.
    """
    roots = signed.groupBy("topology", "tuple_id").agg(
        F.sum(F.col("sign") * (F.col("finished_ns") - F.col("arrived_ns"))).alias("total_ns"),
        F.min("arrived_ns").alias("arrived_ns"),
        F.max("finished_ns").alias("finished_ns"),
    )
    return roots.groupBy("topology", F.expr(f"arrived_ns div {window_ns}L").alias("window")).agg(
        F.count("*").alias("roots"),
        F.sum("total_ns").alias("total_ns"),
        F.sum(F.col("finished_ns") - F.col("arrived_ns")).alias("completion_ns"),
    )


def count_flows(shares: DataFrame) -> DataFrame:
    """Tuples (each for as many as it stands for) that reached each operator from each other, over the whole run."""
    return shares.groupBy(*OPERATOR, "from_operator").agg(F.sum("weight").alias("weight"))
