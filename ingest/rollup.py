"""Events -> summaries per operator and per topology, and flows between operators."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812  # as in all of PySpark's own pages

from ingest.covered_time import cover_window
from ingest.parse import NANOS_PER_SECOND, SHOWN, has_faulty_name
from ingest.presence import choose_processors
from ingest.quantiles import QUANTILES, SPANS, name_quantile
from ingest.raw_records import UNREAD
from ingest.timeline import OPERATOR, SPOT, WINDOW

BETWEEN_NAMES = "\0"
SHARE = (*WINDOW, "instance", "from_operator")
LOW_BITS = 30
IDENTITY = ("operator_id", "identity", "arrived_ns")
TOPOLOGY_WINDOW = ("topology", "window")
EXTREMES = ("first_ns", "last_ns", "begun_ns", "ended_ns")
SUMS = (
    "tuples",
    "weight",
    "sampled",
    "thinned",
    *(f"{name}_{part}" for name in ("busy", "wait", "service") for part in ("high", "low")),
)


def make_records(events: DataFrame) -> DataFrame:
    """The values of each event that later steps use; only the reason of a rejected event, the line of an unread one.

    Names are hashed to 64 bits: among 100,000 operators two have equal hashes with a probability of 3e-10. The names
    themselves are joined to one value, since grouping by one value is cheaper than by four. It is stored as bytes,
    because Spark also computes minima and maxima of stored strings.
    """
    accepted = F.col("reject_reason").isNull()
    names = F.concat_ws(BETWEEN_NAMES, *(F.coalesce(name, F.lit("")) for name in SHOWN))
    root = F.xxhash64("topology", "tuple_id")
    values = {
        "names": names.cast("binary"),
        "topology_id": F.xxhash64("topology"),
        "operator_id": F.xxhash64(*OPERATOR),
        "root_id": root,
        "identity": F.xxhash64(F.col("instance"), root, F.col("started_ns"), F.col("finished_ns")),
        "arrived_ns": F.col("arrived_ns"),
        "wait_ns": F.col("started_ns") - F.col("arrived_ns"),
        "sojourn_ns": F.col("finished_ns") - F.col("arrived_ns"),
        "sample_every": F.col("sample_every"),
        "is_random": F.col("is_random"),
    }
    return events.select(
        "reject_reason",
        *(name for name in events.columns if name == UNREAD),
        *(F.when(accepted, value).alias(name) for name, value in values.items()),
    )


def read_back(kept: DataFrame, window_ns: int) -> DataFrame:
    """Adds `window`, the number of whole windows from the epoch to the arrival, which is computed and not stored."""
    window = F.expr(f"arrived_ns div {window_ns}L")
    return kept.withColumns({"names": F.col("names").cast("string"), "window": window})


def tally_records(records: DataFrame) -> DataFrame:
    """Counts of rejected records per reason; and of accepted ones per window, instance and upstream operator:

    - `tuples`, and `weight`, the tuples that they stand for (1 of n is logged);
    - `sampled` and, of these, `thinned`, which were sampled at random;
    - sums of waits, of services and of services times weight (`busy`);
    - the first and the last time of arrival, start and finish.

    `has_faulty_name` marks rows with a name that `parse_records` should have rejected.
    """
    service = F.col("sojourn_ns") - F.col("wait_ns")
    is_sampled = F.col("sample_every") > 1
    tally = records.groupBy("reject_reason", "names", "window").agg(
        F.count("*").alias("tuples"),
        F.sum("sample_every").alias("weight"),
        F.count_if(is_sampled).alias("sampled"),
        F.count_if(is_sampled & F.col("is_random")).alias("thinned"),
        F.min("arrived_ns").alias("first_ns"),
        F.max("arrived_ns").alias("last_ns"),
        F.min(F.col("arrived_ns") + F.col("wait_ns")).alias("begun_ns"),
        F.max(F.col("arrived_ns") + F.col("sojourn_ns")).alias("ended_ns"),
        *sum_nanos("busy", service, F.col("sample_every")),
        *sum_nanos("wait", F.col("wait_ns")),
        *sum_nanos("service", service),
    )
    parts = F.split("names", BETWEEN_NAMES)
    found = {name: F.nullif(parts[place], F.lit("")) for place, name in enumerate(SHOWN)}
    named = tally.withColumns({**found, "operator_id": F.xxhash64(*(found[name] for name in OPERATOR))})
    # A separator stood inside a name if there are more parts than names.
    is_odd = ~F.is_valid_utf8("names") | (F.size(parts) != len(SHOWN)) | has_faulty_name()
    return named.withColumn("has_faulty_name", F.col("names").isNotNull() & is_odd).drop("names")


def sum_nanos(name: str, nanos: Column, times: Column | None = None) -> list[Column]:
    """Sums of the high and of the low bits of nanoseconds.

    Sums of integers do not depend on the order of the rows; two parts do not overflow 64 bits even if a broken clock
    makes every time centuries long.
    """
    times = F.lit(1) if times is None else times
    return [
        F.sum(F.shiftright(nanos, LOW_BITS) * times).alias(f"{name}_high"),
        F.sum(nanos.bitwiseAND((1 << LOW_BITS) - 1) * times).alias(f"{name}_low"),
    ]


def add_nanos(name: str) -> Column:
    """The sum of the two parts, in seconds."""
    nanos = F.col(f"{name}_high") * float(1 << LOW_BITS) + F.col(f"{name}_low")
    return nanos / float(NANOS_PER_SECOND)


def drop_duplicates(records: DataFrame, suspected: DataFrame) -> DataFrame:
    """Keeps one copy of each record, always the same one; searches only windows that hold equal places."""
    windows = suspected.select(*SPOT).distinct().withColumn("suspected", F.lit(col=True))
    marked = records.join(windows, list(SPOT), "left")
    copies = Window.partitionBy(*IDENTITY).orderBy(F.desc("sample_every"), "is_random", "names")
    single = marked.where("suspected").withColumn("copy", F.row_number().over(copies)).where("copy = 1")
    return (
        marked.where("suspected is null")
        .select(*records.columns)
        .unionByName(single.select(*records.columns))
    )


def count_shares(tally: DataFrame) -> DataFrame:
    """The tally of accepted records, per window, instance and upstream operator."""
    return tally.where("reject_reason is null").select("operator_id", *SHARE, *SUMS, *EXTREMES)


def summarise_operators(
    timeline: DataFrame, present: DataFrame, shares: DataFrame, cover: DataFrame, window_ns: int
) -> DataFrame:
    """One row per (topology, operator, window); a quantity without the two values it needs is null, never 0."""
    edges = shares.groupBy(*WINDOW, "from_operator").agg(F.sum("tuples").alias("tuples"))
    upstream = edges.groupBy(*WINDOW).agg(collect_sorted("from_operator", "tuples").alias("upstream"))
    instances = summarise_instances(shares, cover, window_ns)
    measured = instances.join(timeline, list(SPOT)).join(present, list(SPOT))
    seconds = count_seconds(F.col("covered_seconds"), window_ns)
    measured = measured.withColumns(
        {
            "mean_busy": F.col("busy_ns") / 1e9 * F.col("weight") / F.col("tuples") / seconds,
            "instances_present": F.col("present_ns") / 1e9 / F.col("covered_seconds"),
        }
    )
    processors, basis = choose_processors()
    return measured.join(upstream, list(WINDOW), "left").select(
        *WINDOW,
        "tuples",
        "covered_seconds",
        *measure_operator(seconds),
        "instances",
        "instances_present",
        "most_busy",
        "mean_busy",
        processors,
        basis,
        "busy_fractions",
        "busy_spread",
        F.try_divide(F.col("most_busy_seconds") * F.col("instances"), add_nanos("busy")).alias("busy_skew"),
        "upstream",
    )


def summarise_instances(shares: DataFrame, cover: DataFrame, window_ns: int) -> DataFrame:
    """One row per (topology, operator, window): how many instances were seen, and how busy each was."""
    sums = [F.sum(name).alias(name) for name in SUMS if name != "tuples"]
    busy = shares.groupBy("operator_id", *WINDOW, "instance").agg(*sums)
    busy = busy.withColumn("busy_seconds", add_nanos("busy"))
    covered = cover_window(window_ns).alias("covered_seconds")
    busy = busy.join(F.broadcast(cover.drop("topology_id")), "operator_id", "left").select(
        *busy.columns, covered, (F.col("busy_seconds") / count_seconds(covered, window_ns)).alias("busy")
    )
    return busy.groupBy("operator_id", *WINDOW).agg(
        F.count("*").alias("instances"),
        collect_sorted("instance", "busy").alias("busy_fractions"),
        (F.max("busy") - F.min("busy")).alias("busy_spread"),
        F.max("busy_seconds").alias("most_busy_seconds"),
        F.first("covered_seconds").alias("covered_seconds"),
        *sums,
    )


def collect_sorted(key: str, value: str) -> Column:
    return F.sort_array(F.collect_list(F.struct(key, value)))


def count_seconds(covered: Column, window_ns: int) -> Column:
    """The seconds that rates refer to: the time covered, or the whole window where that is not known."""
    return F.coalesce(covered, F.lit(window_ns / 1e9))


def measure_operator(seconds: Column) -> list[Column]:
    """Rates, SCVs, means and quantiles of one row."""
    tuples, service = F.col("tuples"), add_nanos("service")
    wait = F.try_divide(add_nanos("wait"), tuples)
    gap_seconds = F.col("gap_sum") / float(NANOS_PER_SECOND)
    return [
        (F.col("weight") / seconds).alias("arrival_rate"),
        scale_scv(find_scv("gap_squares", gap_seconds, F.col("gap_count"))).alias("arrival_scv"),
        F.try_divide(tuples, service).alias("service_rate"),
        find_scv("service_squares", service, tuples).alias("service_scv"),
        wait.alias("mean_wait_seconds"),
        F.try_divide(add_nanos("wait") + service, tuples).alias("mean_sojourn_seconds"),
        *(
            (F.col(name_quantile(span, label)) / 1e9).alias(f"{span}_{label}_seconds")
            for span in SPANS
            for label in QUANTILES
        ),
    ]


def scale_scv(sampled: Column) -> Column:
    """The SCV c of the gaps between all tuples, from c′, the SCV of the gaps between sampled tuples, 1 of n.

    Every n-th tuple: a sampled gap is the sum of n gaps, so c = n·c′.
    At random: a sampled gap is the sum of geometrically many gaps, so c = 1 + n(c′ − 1), at least 0.
    Null where an operator's tuples of one window were sampled in both ways.
    """
    every = F.col("weight") / F.col("tuples")
    by_chance = F.greatest(1 + every * (sampled - 1), F.lit(0.0))
    thinned = F.col("thinned")
    scaled = F.when(thinned == 0, sampled * every).when(thinned == F.col("sampled"), by_chance)
    return F.when(sampled.isNotNull(), scaled)


def find_scv(squares: str, total_seconds: Column, count: Column) -> Column:
    """Population variance / mean² = (S/n) / (T/n)² = S·n/T², null below two values or for a mean of 0."""
    total = total_seconds * float(NANOS_PER_SECOND)
    return F.when(count >= 2, F.try_divide(F.col(squares) * count, total * total))


def summarise_topologies(
    records: DataFrame, shares: DataFrame, cover: DataFrame, window_ns: int
) -> DataFrame:
    """One row per (topology, window): the rate from outside, and the sojourns of root tuples that arrived in it."""
    outside = shares.groupBy(*TOPOLOGY_WINDOW).agg(
        F.sum(F.when(F.col("from_operator").isNull(), F.col("weight")).otherwise(0)).alias("external_weight")
    )
    named = outside.withColumn("topology_id", F.xxhash64("topology"))
    joined = named.join(summarise_roots(records, window_ns), ["topology_id", "window"], "left")
    spans = cover.select("topology_id", "begin_ns", "end_ns").distinct()
    joined = joined.join(F.broadcast(spans), "topology_id", "left")
    joined = joined.withColumn("covered_seconds", cover_window(window_ns))
    return joined.select(
        *TOPOLOGY_WINDOW,
        "covered_seconds",
        (F.col("external_weight") / count_seconds(F.col("covered_seconds"), window_ns)).alias(
            "external_rate"
        ),
        F.coalesce("roots", F.lit(0)).alias("root_tuples"),
        F.try_divide(add_nanos("total"), F.col("roots")).alias("mean_total_sojourn_seconds"),
        F.try_divide(add_nanos("completion"), F.col("roots")).alias("mean_completion_seconds"),
    )


def summarise_roots(records: DataFrame, window_ns: int) -> DataFrame:
    """A root tuple's total = Σ (finished − arrived) over all that derives from it; completion = last − first.

    A root counts in the window of its first arrival. If the log has tuples from outside, tuples whose root arrived
    before the log began are left out. A root's names are hashed to 64 bits: among ten million roots two have equal
    hashes with a probability of 3e-6.
    """
    roots = records.groupBy("root_id", "topology_id").agg(
        *sum_nanos("total", F.col("sojourn_ns")),
        F.min("arrived_ns").alias("arrived_ns"),
        F.max(F.col("arrived_ns") + F.col("sojourn_ns")).alias("finished_ns"),
        # `from_operator`, the last of the names, is empty for a tuple from outside.
        F.max(F.col("names").endswith(BETWEEN_NAMES)).alias("is_begun"),
    )
    windows = roots.groupBy(
        "topology_id", F.expr(f"arrived_ns div {window_ns}L").alias("window"), "is_begun"
    ).agg(
        F.count("*").alias("roots"),
        F.sum("total_high").alias("total_high"),
        F.sum("total_low").alias("total_low"),
        *sum_nanos("completion", F.col("finished_ns") - F.col("arrived_ns")),
    )
    has_begun = F.max("is_begun").over(Window.partitionBy("topology_id"))
    return windows.withColumn("has_begun", has_begun).where("is_begun = has_begun")


def count_flows(shares: DataFrame) -> DataFrame:
    """The weight of the tuples that reached each operator from each other one, over the whole run."""
    return shares.groupBy(*OPERATOR, "from_operator").agg(F.sum("weight").alias("weight"))
