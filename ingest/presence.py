"""How many instances of an operator could serve in a window: those present, not only those that served a tuple."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812  # as in all of PySpark's own pages

from ingest.parse import NANOS_PER_SECOND

SPOT = ("operator_id", "window")
INSTANCE = ("operator_id", "instance")
# An instance that is silent for longer counts as absent meanwhile: shifts end, and names come back the next day.
IDLE_NS = 3600 * NANOS_PER_SECOND
# If silences are exponential, one in 150 is longer than five times their mean.
LONG_SILENCES = 5
PRESENT, MOST_BUSY, NAMES_SEEN = "present", "most-busy", "names-seen"


def find_sessions(shares: DataFrame) -> DataFrame:
    """The sessions of each instance, which are separated by silences longer than IDLE_NS: first start, last finish, and
    mean silence (`pad`).

    A session of one tuple gets the operator's mean silence, or half of IDLE_NS where no instance served two tuples. No
    pad is longer than half of IDLE_NS, so that two sessions of one instance never overlap.
    """
    # One shuffle: all later steps work on the rows of one instance.
    seen = (
        shares.repartition(*INSTANCE)
        .groupBy(*SPOT, "instance")
        .agg(
            F.min("begun_ns").alias("begun"),
            F.max("ended_ns").alias("ended"),
            F.sum("tuples").alias("tuples"),
            F.sum("service_high").alias("high"),
            F.sum("service_low").alias("low"),
        )
    )
    order = Window.partitionBy(*INSTANCE).orderBy("window")
    before = F.max("ended").over(order.rowsBetween(Window.unboundedPreceding, -1))
    is_new = F.coalesce(F.col("begun") - before > IDLE_NS, F.lit(col=True)).cast("int")
    numbered = seen.withColumn("is_new", is_new).withColumn(
        "session", F.sum("is_new").over(order.rowsBetween(Window.unboundedPreceding, Window.currentRow))
    )
    sessions = numbered.groupBy(*INSTANCE, "session").agg(
        F.min("begun").alias("begun"),
        F.max("ended").alias("ended"),
        F.sum("tuples").alias("tuples"),
        (F.sum("high") * float(1 << 30) + F.sum("low")).alias("served_ns"),
    )
    silence = F.greatest(F.col("ended") - F.col("begun") - F.col("served_ns"), F.lit(0.0))
    operator = Window.partitionBy("operator_id")
    usual = F.try_divide(
        F.sum(F.when(F.col("tuples") > 1, silence)).over(operator), F.sum(F.col("tuples") - 1).over(operator)
    )
    own = F.try_divide(F.when(F.col("tuples") > 1, silence), F.col("tuples") - 1)
    longest = F.lit(IDLE_NS // 2)
    pad = F.least(F.coalesce(own, usual, longest), longest).cast("long")
    return sessions.select("operator_id", "begun", "ended", pad.alias("pad"))


def clip_sessions() -> tuple[Column, Column]:
    """The beginning and the end of a session within the time covered.

    An instance is idle before its first and after its last tuple: a session is extended by its mean silence at both
    ends, and up to the log's beginning or end if that is no further away than LONG_SILENCES mean silences.
    """
    near = F.least(F.col("pad") * LONG_SILENCES, F.lit(IDLE_NS // 2))
    is_early = F.col("begun") - near <= F.col("begin_ns")
    is_late = F.col("ended") + near >= F.col("end_ns")
    begun = F.when(is_early, F.col("begin_ns")).otherwise(F.col("begun") - F.col("pad"))
    ended = F.when(is_late, F.col("end_ns")).otherwise(F.col("ended") + F.col("pad"))
    begun = F.least(F.greatest(begun, "begin_ns"), "end_ns")
    return begun, F.greatest(F.least(ended, "end_ns"), begun)


def count_present(shares: DataFrame, cover: DataFrame, window_ns: int) -> DataFrame:
    """Per (operator, window): `present_ns`, the sum over all instances of the time present, and `names_present`, the
    number of instances present at any time.
    """
    within = find_sessions(shares).join(F.broadcast(cover), "operator_id")
    begun, ended = clip_sessions()
    changes = within.select(
        "operator_id",
        F.explode(
            F.array(
                F.struct(begun.alias("at"), F.lit(1).alias("change")),
                F.struct(ended.alias("at"), F.lit(-1).alias("change")),
            )
        ).alias("event"),
    ).select("operator_id", F.expr(f"event.at div {window_ns}L").alias("window"), "event.*")
    quiet = shares.select(*SPOT).distinct()
    both = changes.unionByName(quiet, allowMissingColumns=True).repartition("operator_id")
    left = window_ns - F.col("at") % window_ns
    steps = both.groupBy(*SPOT).agg(
        F.coalesce(F.sum("change"), F.lit(0)).alias("net"),
        F.coalesce(F.sum(F.col("change") * left), F.lit(0)).alias("inside"),
        F.count_if(F.col("change") > 0).alias("come"),
    )
    earlier = Window.partitionBy("operator_id").orderBy("window").rowsBetween(Window.unboundedPreceding, -1)
    carried = F.coalesce(F.sum("net").over(earlier), F.lit(0))
    return steps.select(
        *SPOT,
        (carried * window_ns + F.col("inside")).alias("present_ns"),
        (carried + F.col("come")).alias("names_present"),
    )


def choose_processors() -> tuple[Column, Column]:
    """How many processors to plan with, and which of three numbers that is.

    1. `present`: the mean number of instances present, rounded.
    2. `most-busy`: the maximum of services under way, where it exceeds the number of instances present at any time; a
       name then stands for several processors.
    3. `names-seen`: the names seen, where the covered time is not known.

    The maximum of services is not compared with the mean of 1: at a change of shift an instance finishes its tuple
    beside its successor, and counting both would add a processor and make the predicted wait four times shorter.
    """
    is_known = F.col("instances_present").isNotNull()
    is_several = F.col("most_busy") > F.col("names_present")
    present = F.greatest(F.round("instances_present").cast("int"), F.lit(1))
    return (
        F.when(~is_known, F.col("instances").cast("int"))
        .when(is_several, F.col("most_busy"))
        .otherwise(present)
        .alias("processors"),
        F.when(~is_known, NAMES_SEEN)
        .when(is_several, MOST_BUSY)
        .otherwise(PRESENT)
        .alias("processors_basis"),
    )
