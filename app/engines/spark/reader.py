"""Spark Structured Streaming as one operator: the query, with a load for each batch."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from app.engines.answers import (
    EngineAnswer,
    EngineReading,
    RunningJob,
    UnreadableAnswer,
    choose_job,
    find_parameter,
    find_pointer,
)
from app.engines.diagnostics import Facts, Rule, Rules, describe_operator
from app.engines.numbers import find_service_rate
from app.engines.spark.asking import MOST_CORES, count_cores, find_application
from app.engines.spark.batches import (
    Batch,
    count_partitions,
    is_gauges,
    list_progress,
    order_batches,
    read_batch,
    read_gauges,
)
from app.engines.spark.loads import LeftBatches, ReadBatch, find_wait, read_loads
from app.load.bodies.topology import EntryBody, Graph, OperatorBody
from planner.wording import write_number, write_rate, write_seconds

UNNAMED = "query"
NO_PROGRESS = (
    "no progress of a streaming query: lastProgress is null until the first batch has ended, so ask again later. "
    "Send lastProgress, recentProgress, or the answer of /metrics/json with "
    'spark.sql.streaming.metricsEnabled=true and the time when it came, {"answers": [{"path", "at", "body"}]}.'
)
REMEDY = 'A topology is one query: send the batches of one, or name it in "path", such as /metrics/json?query=NAME.'
# Batches that fill their interval to this part follow one another without a pause.
BACK_TO_BACK = 0.95
# Rates of one query by batch differ so much where a fixed part of each batch is large.
WIDE_RATES = 1.5


def read(answers: Sequence[EngineAnswer]) -> EngineReading:
    """Reads the answers about one streaming query: its topology as one operator, its loads, marks and diagnostics."""
    pointer = find_pointer(answers)
    bodies = [answer.body for answer in answers]
    cores, application = count_cores(bodies), find_application(bodies)
    batches = _choose_query(_list_batches(answers), find_parameter(answers, "query"), pointer)
    newest = batches[-1]
    name = newest.query or UNNAMED
    loads, left = read_loads(name, batches, cores)
    operator = OperatorBody(
        name=name,
        stateful=bool(newest.shuffles),
        queueing="shared",
        max_parallelism=_find_bound(newest, cores),
    )
    return EngineReading(
        topology=Graph(operators=[operator], entries=[EntryBody(operator=name)]),
        loads=tuple([one.load for one in loads]),
        diagnostics=describe_operator(RULES, ReadQuery(name, loads, left, cores), name),
        marks=_list_marks(newest, application),
    )


def _list_batches(answers: Iterable[EngineAnswer]) -> list[Batch]:
    """The batches of progress documents. Without these, the batches of gauges, which repeat the last batch until
    the next one ends.
    """
    progress = [read_batch(one) for answer in answers for one in list_progress(answer.body)]
    found = [batch for batch in progress if batch is not None]
    if found:
        return order_batches(found)
    gauges = [one for a in answers if is_gauges(a.body) for one in read_gauges(a.body, a.at)]
    known: dict[tuple[str | None, int, float | None, float | None], Batch] = {}
    for batch in sorted(gauges, key=lambda one: one.begun_at):
        known.setdefault((batch.query, batch.rows, batch.seconds, batch.input_rate), batch)
    return order_batches(known.values())


def _choose_query(batches: Sequence[Batch], wanted: str | None, pointer: str) -> list[Batch]:
    """The batches of the query that the path names, or of the only query."""
    if not batches:
        raise UnreadableAnswer(pointer, NO_PROGRESS)
    names = {batch.key or UNNAMED for batch in batches}
    chosen = [
        one for one in batches if wanted is None or wanted in {one.query, one.query_id, one.key or UNNAMED}
    ]
    if wanted is None or not chosen:
        choose_job([RunningJob(name, name) for name in names], wanted, REMEDY, kind="query", pointer=pointer)
    return chosen


def _find_bound(batch: Batch, cores: int | None) -> int | None:
    """The most tasks that any stage of a batch has, known for Kafka's partitions only: further cores are idle."""
    sources = count_partitions(batch.sources)
    if cores is None or sources is None or None in batch.shuffles:
        return None
    most = max(sources, *[count or 0 for count in batch.shuffles], 0)
    return most if 1 <= most <= MOST_CORES else None


def _list_marks(batch: Batch, application: str | None) -> Mapping[str, JsonValue]:
    marks: dict[str, JsonValue] = {
        "job": batch.run_id or batch.query,
        "application": application,
        "query": batch.query,
        "query_id": batch.query_id,
        "run_id": batch.run_id,
    }
    return {key: value for key, value in marks.items() if value is not None}


class ReadQuery(NamedTuple):
    """A streaming query with its batches and cores, from which the diagnostics are found."""

    name: str
    read: Sequence[ReadBatch]
    left: LeftBatches
    cores: int | None

    @property
    def backlog(self) -> float | None:
        """The rows that wait at the sources after the newest batch; None if the sources do not show it."""
        return self.read[-1].load.operators[self.name].backlog_tuples if self.read else None


def _find_fixed_costs(query: ReadQuery) -> Facts | None:
    """A batch of many rows that was served at a much higher rate than a batch of few rows, which shows a cost
    per batch.
    """
    measured = [(one.batch.rows, find_service_rate(one.batch.rows, one.batch.seconds)) for one in query.read]
    rates = sorted([(rows, rate) for rows, rate in measured if rate], key=lambda one: one[0])
    if not rates:
        return None
    (few, few_rate), (many, many_rate) = rates[0], rates[-1]
    if many < 2 * few or many_rate < WIDE_RATES * few_rate:
        return None
    return Facts(few=few, few_rate=write_rate(few_rate), many=many, many_rate=write_rate(many_rate))


def _find_no_pause(query: ReadQuery) -> Facts | None:
    """Batches that take the whole interval until the next trigger, so that no pause is between them."""
    timed = [one for one in query.read if one.batch.rows and one.batch.seconds is not None]
    interval = sum(one.interval for one in timed)
    busy = sum(one.batch.seconds or 0.0 for one in timed)
    if not timed or busy < BACK_TO_BACK * interval:
        return None
    return Facts(busy=write_seconds(busy), interval=write_seconds(interval))


def _find_left(query: ReadQuery) -> Facts | None:
    """The batches of the query that give no load, with the reasons."""
    firsts, unknown = map(len, query.left)
    reasons = (
        [f"{unknown} because sources held rows back and do not report how many arrived"] if unknown else []
    )
    if firsts:
        reasons.insert(
            0,
            f"{firsts} because the answers have neither the trigger before nor inputRowsPerSecond, as for the "
            "first batch of a run",
        )
    return Facts(reasons="; ".join(reasons)) if reasons else None


RULES: Rules[ReadQuery] = {
    "micro-batches": Rule(
        lambda query: (seconds := find_wait(query.read)) is not None and Facts(wait=write_seconds(seconds)),
        "Spark serves rows in batches: a row waits for the next trigger and leaves at the end of its batch, on average "
        "{wait} after it arrived. E[T] assumes that rows are served one by one, so E[T] does not contain this time: "
        "compare E[T] of this query with earlier E[T] of the same query only.",
    ),
    "processor-is-the-query": Rule(
        lambda query: query.cores is None,
        "The answers do not list executors, so one processor stands for the whole query with all its present "
        "cores, and k processors for k times as many cores. Send the answer of "
        "/api/v1/applications/<id>/executors too to count cores.",
    ),
    "processor-is-a-core": Rule(
        lambda query: query.cores is not None and Facts(cores=query.cores),
        "A processor is one of the {cores} cores of the application, and the service rate is the rate of the query "
        "divided by the number of cores. Planning and commits of a batch do not get faster with more cores, and other "
        "queries of the application use the same cores.",
    ),
    "batches-have-fixed-costs": Rule(
        _find_fixed_costs,
        "A batch of {few} rows was served at {few_rate}, and a batch of {many} rows at {many_rate}: every batch has a "
        "fixed cost. So the service rate from a small batch is below the rate that the query can serve.",
    ),
    "no-pause-between-batches": Rule(
        _find_no_pause,
        "Batches followed one another without a pause ({busy} of batches in {interval}). Without a trigger interval "
        "Spark runs batches so at any load, so a utilisation of about 100% does not show that the query is at its "
        "limit. The query is at its limit if the backlog grows, or if a larger batch is no faster per row. Set a "
        "trigger interval.",
    ),
    "empty-batches": Rule(
        lambda query: (
            (empty := sum(not one.batch.rows for one in query.read)) > 0
            and Facts(empty=empty, all=len(query.read))
        ),
        "{empty} of {all} batches had no rows, so they show no service rate.",
    ),
    "service-rate-unknown": Rule(
        lambda query: (
            (untimed := sum(one.batch.rows > 0 and one.batch.seconds is None for one in query.read)) > 0
            and Facts(untimed=untimed, all=len(query.read))
        ),
        "{untimed} of {all} batches do not report how long they ran (triggerExecution), so the service rate is "
        "unknown.",
    ),
    "rows-wait-at-sources": Rule(
        lambda query: (query.backlog or 0.0) > 0.0 and Facts(rows=write_number(query.backlog)),
        "{rows} rows waited at the sources beyond the newest batch, because the size of batches is limited. The "
        "arrival rate counts the rows that arrived (the growth of the sources' newest offsets), the served rate the "
        "rows in batches.",
    ),
    "waiting-at-sources-unknown": Rule(
        lambda query: bool(query.read) and query.backlog is None,
        "The number of rows that wait at the sources is unknown: gauges and most sources do not report it, Kafka "
        "does. If the size of batches is limited (maxOffsetsPerTrigger, maxFilesPerTrigger), the arrival rate is the "
        "rate of the rows in batches, which may be below the rate of the rows that arrived.",
    ),
    "batches-left-out": Rule(
        _find_left,
        "Some batches give no load: {reasons}. Send recentProgress, which holds more batches.",
    ),
}
