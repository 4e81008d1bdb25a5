"""Spark Structured Streaming -> one operator: the query, with a load for each batch."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from app.engines.answers import EngineAnswer, EngineReading, UnreadableAnswer, read_parameters
from app.engines.numbers import read_name
from app.engines.spark.batches import Batch, list_progress, order_batches, read_batch
from app.engines.spark.cores import MOST_CORES, count_cores, find_application
from app.engines.spark.gauges import is_gauges, read_gauges
from app.engines.spark.loads import read_loads
from app.engines.spark.notes import list_notes
from app.engines.spark.offsets import count_partitions
from app.load.bodies.topology import EntryBody, Graph, OperatorBody

UNNAMED = "query"
NO_PROGRESS = (
    "no progress of a streaming query: lastProgress is null until the first batch has ended, so ask again after it; "
    "send lastProgress, recentProgress, or the answer of /metrics/json with spark.sql.streaming.metricsEnabled=true "
    'and the time when it came, {"answers": [{"path", "at", "body"}]}.'
)


class _Sent(NamedTuple):
    batches: list[Batch]
    cores: int | None
    application: str | None


def read(answers: Sequence[EngineAnswer]) -> EngineReading:
    """What the answers say of one streaming query."""
    pointer = answers[0].pointer if len(answers) == 1 else "#"
    sent = _sort_answers(answers)
    wanted = [name for answer in answers if (name := read_parameters(answer.path).get("query"))]
    batches = _choose_query(sent.batches, wanted[0] if wanted else None, pointer)
    name = read_name(batches[-1].query) or UNNAMED
    loads, left = read_loads(name, batches, sent.cores)
    return EngineReading(
        topology=_make_topology(name, batches[-1], sent.cores),
        loads=tuple([one.load for one in loads]),
        diagnostics=list_notes(name, loads, left, sent.cores),
        marks=_list_marks(batches[-1], sent.application),
    )


def _sort_answers(answers: Iterable[EngineAnswer]) -> _Sent:
    bodies = [answer.body for answer in answers]
    progress = [read_batch(one) for body in bodies for one in list_progress(body)]
    found = [batch for batch in progress if batch is not None]
    if not found:
        found = [
            batch
            for answer in answers
            if is_gauges(answer.body)
            for batch in read_gauges(answer.body, answer.at)
        ]
        found = _drop_repeated(found)
    return _Sent(order_batches(found), count_cores(bodies), find_application(bodies))


def _drop_repeated(batches: Iterable[Batch]) -> list[Batch]:
    """The gauges keep the last batch: the same numbers again are the same batch."""
    known: dict[tuple[str | None, int, float | None, float | None], Batch] = {}
    for batch in sorted(batches, key=lambda one: one.begun_at):
        known.setdefault((batch.query, batch.rows, batch.seconds, batch.input_rate), batch)
    return list(known.values())


def _choose_query(batches: Sequence[Batch], wanted: str | None, pointer: str) -> list[Batch]:
    """The batches of the query that the path names, or of the only one."""
    if not batches:
        raise UnreadableAnswer(pointer, NO_PROGRESS)
    names = sorted({batch.key or UNNAMED for batch in batches})
    if wanted is None and len(names) > 1:
        raise UnreadableAnswer(
            pointer,
            f"batches of {len(names)} queries ({', '.join(names[:10])}): a topology is one of them. Send those of one, "
            'or name it in "path", such as /metrics/json?query=NAME.',
        )
    chosen = [batch for batch in batches if wanted is None or wanted in {batch.query, batch.query_id}]
    if not chosen:
        raise UnreadableAnswer(
            pointer, f"no batch of the query {wanted!r}: there are {', '.join(names[:10])}."
        )
    return chosen


def _make_topology(name: str, batch: Batch, cores: int | None) -> Graph:
    operator = OperatorBody(
        name=name, stateful=bool(batch.shuffles), queueing="shared", max_parallelism=_find_bound(batch, cores)
    )
    return Graph(operators=[operator], entries=[EntryBody(operator=name)])


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
