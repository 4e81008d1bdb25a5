"""Kafka -> one operator: the consumers of a group, with a load for each two samples of their offsets."""

from collections.abc import Sequence
from typing import NamedTuple

from pydantic import JsonValue

from app.engines.answers import EngineAnswer, EngineReading, UnreadableAnswer, read_parameters
from app.engines.kafka.lags import LagRow, make_lag_samples, read_rows
from app.engines.kafka.loads import make_group_loads
from app.engines.kafka.notes import list_notes
from app.engines.kafka.samples import GroupSample
from app.engines.kafka.statistics import ClientStatistics, is_statistics, make_samples, read_statistics
from app.engines.numbers import read_name
from app.load.bodies.topology import EntryBody, Graph, OperatorBody

SEVERAL_TOPICS = "consumers"
NOTHING = (
    "no partition that a consumer reads: send the statistics of librdkafka consumers (statistics.interval.ms), or a "
    'list of lags, [{"group", "topic", "partition", "current_offset", "log_end_offset", "lag", "member"}], with the '
    'time when it came, {"answers": [{"path", "at", "body"}]}.'
)


class _GroupAnswers(NamedTuple):
    group: str | None
    samples: list[GroupSample]


def read(answers: Sequence[EngineAnswer]) -> EngineReading:
    """What the answers say of one group of consumers."""
    pointer = answers[0].pointer if len(answers) == 1 else "#"
    sent = _sort_answers(answers, pointer)
    samples = [sample for sample in sent.samples if sample.states]
    if not samples:
        raise UnreadableAnswer(pointer, NOTHING)
    topics = sorted({topic for sample in samples for topic, _ in sample.places})
    name = sent.group or (read_name(topics[0]) if len(topics) == 1 else None) or SEVERAL_TOPICS
    found = make_group_loads(name, samples)
    marks: dict[str, JsonValue] = {"job": name, "topics": list[JsonValue](topics)}
    return EngineReading(
        topology=_make_topology(name, len(samples[-1].places)),
        loads=tuple(found.loads),
        diagnostics=list_notes(name, samples, found),
        marks=marks if sent.group is None else marks | {"group": sent.group},
    )


def _sort_answers(answers: Sequence[EngineAnswer], pointer: str) -> _GroupAnswers:
    wanted = next((name for one in answers if (name := read_parameters(one.path).get("group"))), None)
    clients: list[ClientStatistics] = []
    rows: list[LagRow] = []
    for answer in answers:
        if is_statistics(answer.body):
            client = read_statistics(answer.body, answer.path, answer.at)
            clients += [] if client is None else [client]
        elif answer.at is not None:
            rows += read_rows(answer.body, answer.at.timestamp())
    if clients:
        return _GroupAnswers(read_name(wanted), make_samples(clients))
    group = _choose_group(rows, wanted, pointer)
    return _GroupAnswers(group, make_lag_samples(row for row in rows if row.group == group))


def _choose_group(rows: Sequence[LagRow], wanted: str | None, pointer: str) -> str | None:
    """The group that the path names, or the only one."""
    groups = sorted({row.group or "" for row in rows})
    if wanted is not None and wanted in groups:
        return wanted
    if len(groups) > 1:
        detail = (
            f"lags of {len(groups)} groups ({', '.join(groups[:10])}): a topology is one of them. Send those of one, "
            'or name it in "path", such as ?group=NAME.'
        )
        raise UnreadableAnswer(pointer, detail)
    return (groups[0] or None) if groups else None


def _make_topology(name: str, partitions: int) -> Graph:
    operator = OperatorBody(name=name, max_parallelism=max(partitions, 1))
    return Graph(operators=[operator], entries=[EntryBody(operator=name)])
