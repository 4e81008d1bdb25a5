"""Kafka as one operator: the consumers of a group, with a load for each two successive samples of their offsets."""

from collections.abc import Iterable, Sequence
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
from app.engines.diagnostics import Facts, Rule, Rules, describe_operator, join_texts
from app.engines.kafka.loads import COMMIT_SECONDS, GroupLoads, make_group_loads
from app.engines.kafka.samples import (
    ClientStatistics,
    GroupSample,
    LagRow,
    Place,
    is_statistics,
    make_lag_samples,
    make_samples,
    read_rows,
    read_statistics,
)
from app.engines.looks import count_spans, is_look
from app.engines.numbers import add_known, read_name
from app.load.bodies.load import CountedSpan
from app.load.bodies.topology import EntryBody, Graph, OperatorBody
from planner.wording import write_counted, write_number, write_percent, write_seconds

SEVERAL_TOPICS = "consumers"
NOTHING = (
    "no partition that a consumer reads: send the statistics of librdkafka consumers (statistics.interval.ms), or "
    'a list of lags, [{"group", "topic", "partition", "current_offset", "log_end_offset", "lag", "member"}], with '
    'the time when it came, {"answers": [{"path", "at", "body"}]}.'
)
REMEDY = 'A topology is one group: send the lags of one, or name it in "path", such as ?group=NAME.'


def read(answers: Sequence[EngineAnswer]) -> EngineReading:
    """Reads the answers about one consumer group: its topology, loads, marks and diagnostics."""
    pointer, looks = find_pointer(answers), [one for one in answers if is_look(one)]
    group, sorted_samples = _sort_answers([one for one in answers if not is_look(one)], pointer)
    samples = [sample for sample in sorted_samples if sample.states]
    if not samples:
        raise UnreadableAnswer(pointer, NOTHING)
    topics = sorted({topic for sample in samples for topic, _ in sample.places})
    name = group or (read_name(topics[0]) if len(topics) == 1 else None) or SEVERAL_TOPICS
    found = make_group_loads(name, samples)
    if looks and found.loads and (spans := _count_looks(looks, group, samples)):
        found.loads[-1] = found.loads[-1].model_copy(update={"external_counts": spans})
    marks: dict[str, JsonValue] = {"job": name, "topics": list[JsonValue](topics)}
    operator = OperatorBody(
        name=name,
        queueing="keyed",
        group_assignment="round-robin",
        max_parallelism=max(len(samples[-1].places), 1),
    )
    return EngineReading(
        topology=Graph(operators=[operator], entries=[EntryBody(operator=name)]),
        loads=tuple(found.loads),
        diagnostics=describe_operator(RULES, ReadGroup(name, samples, found), name),
        marks=marks if group is None else marks | {"group": group},
    )


def _sort_answers(answers: Sequence[EngineAnswer], pointer: str) -> tuple[str | None, list[GroupSample]]:
    """The name of the consumer group, or None if no answer names it, and its samples."""
    wanted = find_parameter(answers, "group")
    clients: list[ClientStatistics] = []
    rows: list[LagRow] = []
    for answer in answers:
        if is_statistics(answer.body):
            client = read_statistics(answer.body, answer.path, answer.at)
            clients += [] if client is None else [client]
        elif answer.at is not None:
            rows += read_rows(answer.body, answer.at.timestamp())
    if clients or not rows:
        return read_name(wanted), make_samples(clients)
    groups = {row.group or "" for row in rows}
    listed = [RunningJob(group, group) for group in groups]
    known = wanted if wanted in groups else None
    group = choose_job(listed, known, REMEDY, kind="group", pointer=pointer).id or None
    return group, make_lag_samples(row for row in rows if row.group == group)


def _count_looks(
    looks: Sequence[EngineAnswer], group: str | None, samples: Sequence[GroupSample]
) -> list[CountedSpan]:
    """The messages that were written between the looks at a group, from its sample before the newest to the newest."""
    places = samples[-1].places
    complete = [one for one in samples if one.is_complete(places)]
    try:
        of, seen = _sort_answers(looks, find_pointer(looks))
    except UnreadableAnswer:
        return []
    if of != group or len(complete) < 2:
        return []
    begin, end = complete[-2].at, complete[-1].at
    within = [
        one for one in seen if one.places == places and one.is_complete(places) and begin < one.at < end
    ]
    counted = [*complete[-2:], *within]
    return count_spans([(one.at, sum([state.end or 0 for state in one.states.values()])) for one in counted])


class ReadGroup(NamedTuple):
    """A consumer group with its samples and its loads, from which the diagnostics are found."""

    name: str
    samples: Sequence[GroupSample]
    found: GroupLoads

    @property
    def newest(self) -> GroupSample:
        """The newest sample of the consumer group."""
        return self.samples[-1]

    @property
    def waiting(self) -> float | None:
        """The number of messages that wait in the newest sample; None if it is unknown."""
        return add_known(state.waiting for state in self.newest.states.values())

    @property
    def counts_commits(self) -> bool:
        """Whether the positions in the newest sample are committed positions, which lag behind the messages read."""
        return any(state.is_committed for state in self.newest.states.values())

    @property
    def has_service_rate(self) -> bool | None:
        """Whether the newest load has a service rate; None if there is no load."""
        loads = self.found.loads
        return loads[-1].operators[self.name].service_rate is not None if loads else None


def _find_saturation(group: ReadGroup) -> Facts | None:
    """The consumers that were busy in the newest interval, and how far committed positions can falsify their rate."""
    if not group.has_service_rate:
        return None
    share = write_percent(COMMIT_SECONDS / group.found.loads[-1].window_seconds)
    error = (
        f" Positions are those of commits, by default up to {write_seconds(COMMIT_SECONDS)} old, so the service rate "
        f"may have an error of {share}. Take samples that are further apart."
    )
    found = group.found
    return Facts(busy=found.busy, members=found.members, error=error if group.counts_commits else "")


def _find_places(places: Iterable[Place]) -> Facts | None:
    """The names of the first five of some partitions, and how many more there are; None if there are none."""
    listed = [f"{topic}-{partition}" for topic, partition in sorted(places)]
    return Facts(partitions=join_texts(listed)) if listed else None


RULES: Rules[ReadGroup] = {
    "queueing-unknown": Rule(
        lambda group: Facts(
            partitions=write_counted(len(group.newest.places), "partition"),
            consumers=write_counted(len(group.newest.places), "consumer"),
        ),
        "One consumer at a time reads a partition, and {names} has {partitions}, so more than {consumers} would not "
        "help: partitions are dealt out whole, so it is taken as keyed, with partitions for key groups. Offsets do not "
        "show whether producers choose partitions by key or in turn: if in turn, set the operator's queueing in the "
        "stored topology to round-robin.",
    ),
    "service-rate-at-saturation": Rule(
        _find_saturation,
        "{busy} of {members} consumers had messages waiting during the whole newest interval, so they were busy: the "
        "service rate is the mean rate at which each of them read. A consumer that waits for a service that it calls "
        "counts as busy.{error}",
    ),
    "service-rate-unknown": Rule(
        lambda group: group.has_service_rate is False,
        "The service rate is unknown: while all consumers keep up, offsets do not show how many messages one consumer "
        "can serve. Measure the busy time of consumers, for example with Prometheus, or post a snapshot with the "
        "service rate.",
    ),
    "members-unknown": Rule(
        lambda group: not group.newest.list_members(),
        "The number of processors is unknown, because some partition has no known consumer: the group is being "
        "rebalanced or stopped, or the list does not name its members.",
    ),
    "members-changed": Rule(
        lambda group: bool(group.newest.list_members()) and group.found.changed_members,
        "Partitions moved between consumers during the newest interval, as in a rebalance: shares and service "
        "rate are left out.",
    ),
    "one-sample": Rule(
        lambda group: (
            len(group.samples) < 2
            and Facts(
                waiting="" if group.waiting is None else f" {write_number(group.waiting)} messages wait."
            )
        ),
        "There is only one sample, and rates need two, some seconds apart.{waiting}",
    ),
    "lag-counts-from-commits": Rule(
        lambda group: (
            group.counts_commits and bool(group.waiting) and Facts(time=write_seconds(COMMIT_SECONDS))
        ),
        "The lag counts from the last commit: messages that were read since then count as waiting, by default as "
        "many as arrive in {time}.",
    ),
    "partitions-missing": Rule(
        lambda group: (
            group.found.incomplete > 0
            and len(group.samples) > 1
            and Facts(left_out=group.found.incomplete, samples=len(group.samples))
        ),
        "{left_out} of {samples} samples are left out, because the end of a partition is missing in them: no consumer "
        "reads the partition, or the statistics of its consumer were not sent. The rates of some partitions are not "
        "the rates of the group.",
    ),
    "samples-too-close": Rule(
        lambda group: (
            group.found.too_close > 0 and Facts(left_out=write_counted(group.found.too_close, "interval"))
        ),
        "Left out: {left_out} shorter than a second or longer than a day. Send each answer "
        'with the time when it came: {{"answers": [{{"path", "at", "body"}}]}}.',
    ),
    "offsets-reset": Rule(
        lambda group: _find_places(group.found.recreated),
        "The end of {partitions} went back, because the topic was made again. The interval is left out.",
    ),
    "position-moved-back": Rule(
        lambda group: _find_places(group.found.moved_back),
        "The position in {partitions} went back, as after a seek or when uncommitted messages are read again: how many "
        "messages were served in this interval is unknown.",
    ),
}
