"""What the batches of a streaming query do not say, and what their numbers hide."""

from collections.abc import Iterator, Sequence

from app.engines.diagnostics import say
from app.engines.numbers import find_service_rate
from app.engines.spark.batches import Batch
from app.engines.spark.loads import LeftBatches, ReadBatch, find_wait
from planner.values import Diagnostic

# Batches that fill their interval to this part follow one another without a pause.
BACK_TO_BACK = 0.95
# Rates of one query by batch differ so much where a fixed part of each batch is large.
WIDE_RATES = 1.5


def list_notes(
    name: str, read: Sequence[ReadBatch], left: LeftBatches, cores: int | None
) -> tuple[Diagnostic, ...]:
    """The diagnostics of one reading."""
    said = (
        _tell_of_waits(name, read),
        _tell_of_processors(name, cores),
        _tell_of_fixed_costs(name, read),
        _tell_of_no_pause(name, read),
        _tell_of_empty(name, read),
        _tell_of_backlogs(name, read),
        _tell_of_sources(name, read),
        _tell_of_left(name, left.firsts, left.unknown),
    )
    return tuple([one for one in said if one is not None])


def _tell_of_waits(name: str, read: Sequence[ReadBatch]) -> Diagnostic | None:
    seconds = find_wait(read)
    if seconds is None:
        return None
    detail = (
        f"Spark serves in batches: a row waited for its trigger and left with its batch, {seconds:.3g} s after it "
        "arrived on average (half the interval between triggers plus triggerExecution). E[T] takes rows to be served "
        "one by one and does not hold this time: compare E[T] of this query only with itself."
    )
    return say("micro-batches", detail, [name])


def _tell_of_processors(name: str, cores: int | None) -> Diagnostic:
    if cores is None:
        detail = (
            "The answers do not list executors, so one processor is the whole query as it runs now, and k processors "
            "are k times its cores. Send the answer of /api/v1/applications/{id}/executors too to count cores."
        )
        return say("processor-is-the-query", detail, [name])
    detail = (
        f"A processor is one of the {cores} cores of the application: service_rate is that of the query divided by "
        "them. Planning and commits of a batch do not get faster with more cores, and other queries of the same "
        "application use the same cores."
    )
    return say("processor-is-a-core", detail, [name])


def _list_rates(read: Sequence[ReadBatch]) -> Iterator[tuple[float, int]]:
    for one in read:
        if rate := find_service_rate(one.batch.rows, one.batch.seconds):
            yield rate, one.batch.rows


def _tell_of_fixed_costs(name: str, read: Sequence[ReadBatch]) -> Diagnostic | None:
    rates = sorted(_list_rates(read), key=lambda one: one[1])
    if not rates:
        return None
    (few_rate, few), (many_rate, many) = rates[0], rates[-1]
    if many < 2 * few or many_rate < WIDE_RATES * few_rate:
        return None
    detail = (
        f"A batch of {few} rows was served at {few_rate:.4g} rows/s, one of {many} at {many_rate:.4g}: part of every "
        "batch costs the same whatever its rows. service_rate of a small batch is below what the query can serve."
    )
    return say("batches-have-fixed-costs", detail, [name])


def _tell_of_no_pause(name: str, read: Sequence[ReadBatch]) -> Diagnostic | None:
    timed = [one for one in read if one.batch.rows and one.batch.seconds is not None]
    interval = sum(one.interval for one in timed)
    busy = sum(one.batch.seconds or 0.0 for one in timed)
    if not timed or busy < BACK_TO_BACK * interval:
        return None
    detail = (
        f"Batches followed one another without a pause ({busy:.4g} s of batches in {interval:.4g} s). Without a "
        "trigger interval Spark does so at any load: the utilisation of about 1 does not show that the query is at its "
        "limit. A growing backlog, or a larger batch that is no faster per row, does. Set a trigger interval."
    )
    return say("no-pause-between-batches", detail, [name])


def _tell_of_empty(name: str, read: Sequence[ReadBatch]) -> Diagnostic | None:
    empty = sum(1 for one in read if not one.batch.rows)
    if not empty:
        return None
    detail = f"{empty} of {len(read)} batches had no rows: their service_rate is unknown."
    return say("empty-batches", detail, [name])


def _tell_of_backlogs(name: str, read: Sequence[ReadBatch]) -> Diagnostic | None:
    waiting = [one.load.operators[name].backlog_tuples for one in read]
    if not waiting or not waiting[-1]:
        return None
    detail = (
        f"{waiting[-1]:.4g} rows waited at the sources beyond the newest batch: batches are limited. arrival_rate is "
        "what arrived, by the growth of the sources' newest offsets, and served_rate is what batches took."
    )
    return say("rows-wait-at-sources", detail, [name])


def _tell_of_sources(name: str, read: Sequence[ReadBatch]) -> Diagnostic | None:
    if not read or read[-1].load.operators[name].backlog_tuples is not None:
        return None
    detail = (
        "What waits at the sources is unknown: gauges and most sources do not say it, Kafka does. Where batches are "
        "limited (maxOffsetsPerTrigger, maxFilesPerTrigger), arrival_rate is what they took, which may be less than "
        "what arrived."
    )
    return say("waiting-at-sources-unknown", detail, [name])


def _tell_of_left(name: str, firsts: Sequence[Batch], unknown: Sequence[Batch]) -> Diagnostic | None:
    if not firsts and not unknown:
        return None
    reasons = []
    if firsts:
        reasons.append(
            f"{len(firsts)} without a trigger before them in the answers and without inputRowsPerSecond, such as the "
            "first of a run"
        )
    if unknown:
        reasons.append(f"{len(unknown)} whose sources held rows back and do not say how many arrived")
    detail = f"No load of these batches is known: {'; '.join(reasons)}. Send recentProgress, which holds more of them."
    return say("batches-left-out", detail, [name])
