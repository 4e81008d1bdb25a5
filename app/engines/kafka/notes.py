"""What offsets do not say of a group of consumers, and what was left out."""

from collections.abc import Iterable, Sequence

from app.engines.answers import say
from app.engines.kafka.loads import GroupLoads
from app.engines.kafka.samples import GroupSample, Place
from app.engines.rates import add_known
from planner.values import Diagnostic


def list_notes(name: str, samples: Sequence[GroupSample], found: GroupLoads) -> tuple[Diagnostic, ...]:
    """The diagnostics of one reading."""
    return (
        _tell_of_partitions(name, samples),
        *_tell_of_service(name, found),
        *_tell_of_members(name, samples, found),
        *_tell_of_gaps(name, samples, found),
    )


def _tell_of_partitions(name: str, samples: Sequence[GroupSample]) -> Diagnostic:
    count = len(samples[-1].places)
    detail = (
        f"Each of the {count} partitions is a queue that one consumer reads: more than {count} consumers do not help "
        "(max_parallelism). Whether producers choose partitions by key or in turn does not show: say it by the "
        "queueing of the operator in the stored topology, keyed or round-robin."
    )
    return say("queueing-unknown", detail, [name])


def _tell_of_service(name: str, found: GroupLoads) -> Iterable[Diagnostic]:
    if not found.loads:
        return
    newest = found.loads[-1].operators[name]
    if newest.service_rate is not None:
        detail = (
            f"{found.behind} of {found.members} consumers fell behind in the newest interval, so they were busy all "
            "the time: service_rate is the mean of what each of them read. It counts messages in the order of their "
            "offsets, and holds the waits of a consumer for what it calls."
        )
        yield say("service-rate-at-saturation", detail, [name])
        return
    detail = (
        "How many messages one consumer can serve does not show in offsets while all keep up: service_rate is unknown. "
        "Measure the busy time of consumers, such as by Prometheus, or give service_rate in a snapshot."
    )
    yield say("service-rate-unknown", detail, [name])


def _tell_of_members(name: str, samples: Sequence[GroupSample], found: GroupLoads) -> Iterable[Diagnostic]:
    if not samples[-1].list_members():
        detail = (
            "Some partition has no known consumer: the group is being rebalanced or stopped, or the list does not name "
            "members. The number of processors is unknown."
        )
        yield say("members-unknown", detail, [name])
    elif found.changed_members:
        detail = (
            "Partitions moved between consumers within the newest interval, as at a rebalance: shares and service rate "
            "are left out."
        )
        yield say("members-changed", detail, [name])


def _tell_of_gaps(name: str, samples: Sequence[GroupSample], found: GroupLoads) -> Iterable[Diagnostic]:
    if len(samples) < 2:
        waiting = add_known(state.waiting for state in samples[-1].states.values())
        held = "" if waiting is None else f" {waiting:g} messages wait."
        detail = f"Rates need two samples some seconds apart, and this is one.{held}"
        yield say("one-sample", detail, [name])
    if found.incomplete and len(samples) > 1:
        detail = (
            f"Left out {found.incomplete} of {len(samples)} samples: the end of a partition is not known in them (no "
            "consumer reads it, or the statistics of some member are missing). Rates of a part of the partitions are "
            "not those of the group."
        )
        yield say("partitions-missing", detail, [name])
    if found.too_close:
        detail = (
            f"Left out {found.too_close} intervals shorter than a second or longer than a day. Send answers with the "
            'time when each came: {"answers": [{"path", "at", "body"}]}.'
        )
        yield say("samples-too-close", detail, [name])
    if found.recreated:
        places = _list_places(found.recreated)
        detail = f"The end of {places} went back: the topic was made anew. The interval is left out."
        yield say("offsets-reset", detail, [name])
    if found.moved_back:
        detail = (
            f"The position in {_list_places(found.moved_back)} went back, as after a seek or when messages that were "
            "not committed are read again: what was served then is unknown."
        )
        yield say("position-moved-back", detail, [name])


def _list_places(places: Iterable[Place]) -> str:
    listed = [f"{topic}-{partition}" for topic, partition in sorted(places)]
    more = f" and {len(listed) - 5} more" if len(listed) > 5 else ""
    return ", ".join(listed[:5]) + more
