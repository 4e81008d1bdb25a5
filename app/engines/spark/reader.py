"""Spark Structured Streaming -> one operator: the query, with a load for each batch."""

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
from app.engines.diagnostics import DiagnosticRule, Facts, describe_operator
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
from planner.wording import write_number, write_seconds

UNNAMED = "query"
NO_PROGRESS = (
    "no progress of a streaming query: lastProgress is null until the first batch has ended, so ask again after it; "
    "send lastProgress, recentProgress, or the answer of /metrics/json with spark.sql.streaming.metricsEnabled=true "
    'and the time when it came, {"answers": [{"path", "at", "body"}]}.'
)
REMEDY = 'A topology is one query: send the batches of one, or name it in "path", such as /metrics/json?query=NAME.'
# Batches that fill their interval to this part follow one another without a pause.
BACK_TO_BACK = 0.95
# Rates of one query by batch differ so much where a fixed part of each batch is large.
WIDE_RATES = 1.5


def read(answers: Sequence[EngineAnswer]) -> EngineReading:
    """The reading of one streaming query."""
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
    """The batches of progress documents, or else of gauges, which repeat the last batch until the next one ends."""
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
    """The batches of the query that the path names, or of the only one."""
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
    """The most tasks that any stage of a batch has: more cores than these idle. Known for Kafka's partitions."""
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
    """A query, its batches and its cores: the subject of the diagnostics."""

    name: str
    read: Sequence[ReadBatch]
    left: LeftBatches
    cores: int | None

    @property
    def backlog(self) -> float | None:
        """Rows that wait at the sources beyond the newest batch."""
        return self.read[-1].load.operators[self.name].backlog_tuples if self.read else None


def _find_fixed_costs(query: ReadQuery) -> Facts | None:
    """A batch of many rows that was served at a much higher rate than one of few."""
    measured = [(one.batch.rows, find_service_rate(one.batch.rows, one.batch.seconds)) for one in query.read]
    rates = sorted([(rows, rate) for rows, rate in measured if rate], key=lambda one: one[0])
    if not rates:
        return None
    (few, few_rate), (many, many_rate) = rates[0], rates[-1]
    if many < 2 * few or many_rate < WIDE_RATES * few_rate:
        return None
    return Facts(few=few, few_rate=write_number(few_rate), many=many, many_rate=write_number(many_rate))


def _find_no_pause(query: ReadQuery) -> Facts | None:
    """Batches that fill the intervals between their triggers."""
    timed = [one for one in query.read if one.batch.rows and one.batch.seconds is not None]
    interval = sum(one.interval for one in timed)
    busy = sum(one.batch.seconds or 0.0 for one in timed)
    if not timed or busy < BACK_TO_BACK * interval:
        return None
    return Facts(busy=write_seconds(busy), interval=write_seconds(interval))


def _find_left(query: ReadQuery) -> Facts | None:
    """Batches without a load, and why."""
    firsts, unknown = map(len, query.left)
    reasons = (
        [f"{unknown} whose sources held rows back and do not report how many arrived"] if unknown else []
    )
    if firsts:
        reasons.insert(
            0,
            f"{firsts} without a trigger before them in the answers and without inputRowsPerSecond, such as the first "
            "of a run",
        )
    return Facts(reasons="; ".join(reasons)) if reasons else None


RULES: tuple[DiagnosticRule[ReadQuery], ...] = (
    DiagnosticRule(
        "micro-batches",
        lambda query: (seconds := find_wait(query.read)) is not None and Facts(wait=write_seconds(seconds)),
        "Spark serves in batches: a row waited for its trigger and left with its batch, {wait} after it "
        "arrived on average (half the interval between triggers plus triggerExecution). E[T] assumes that rows are "
        "served one by one, and does not hold this time: compare E[T] of this query only with itself.",
    ),
    DiagnosticRule(
        "processor-is-the-query",
        lambda query: query.cores is None,
        "The answers do not list executors, so one processor is the whole query as it runs now, and k processors are k "
        "times its cores. Send the answer of /api/v1/applications/<id>/executors too to count cores.",
    ),
    DiagnosticRule(
        "processor-is-a-core",
        lambda query: query.cores is not None and Facts(cores=query.cores),
        "A processor is one of the {cores} cores of the application: service_rate is that of the query divided by "
        "them. Planning and commits of a batch do not get faster with more cores, and other queries of the same "
        "application use the same cores.",
    ),
    DiagnosticRule(
        "batches-have-fixed-costs",
        _find_fixed_costs,
        "A batch of {few} rows was served at {few_rate} rows/s, one of {many} at {many_rate}: part of every "
        "batch costs the same whatever its rows. service_rate of a small batch is below the rate that the query can "
        "serve.",
    ),
    DiagnosticRule(
        "no-pause-between-batches",
        _find_no_pause,
        "Batches followed one another without a pause ({busy} of batches in {interval}). Without a trigger "
        "interval Spark does so at any load: the utilisation of about 1 does not show that the query is at its limit. "
        "A growing backlog, or a larger batch that is no faster per row, does. Set a trigger interval.",
    ),
    DiagnosticRule(
        "empty-batches",
        lambda query: (
            (empty := sum(not one.batch.rows for one in query.read)) > 0
            and Facts(empty=empty, all=len(query.read))
        ),
        "{empty} of {all} batches had no rows: their service_rate is unknown.",
    ),
    DiagnosticRule(
        "rows-wait-at-sources",
        lambda query: (query.backlog or 0.0) > 0.0 and Facts(rows=write_number(query.backlog)),
        "{rows} rows waited at the sources beyond the newest batch: batches are limited. arrival_rate counts the "
        "rows that arrived, by the growth of the sources' newest offsets, and served_rate those that batches took.",
    ),
    DiagnosticRule(
        "waiting-at-sources-unknown",
        lambda query: bool(query.read) and query.backlog is None,
        "The rows that wait at the sources are unknown: gauges and most sources do not report them, Kafka does. Where "
        "batches are limited (maxOffsetsPerTrigger, maxFilesPerTrigger), arrival_rate is the rate that they took, "
        "which may be below that of the rows that arrived.",
    ),
    DiagnosticRule(
        "batches-left-out",
        _find_left,
        "No load of these batches is known: {reasons}. Send recentProgress, which holds more of them.",
    ),
)
