"""What offsets do not say of a group of consumers, and what was left out."""

from collections.abc import Iterable, Sequence

from app.engines.diagnostics import say
from app.engines.kafka.loads import COMMIT_SECONDS, GroupLoads
from app.engines.kafka.samples import GroupSample, Place
from app.engines.numbers import add_known
from planner.values import Diagnostic


def list_notes(name: str, samples: Sequence[GroupSample], found: GroupLoads) -> tuple[Diagnostic, ...]:
    """The diagnostics of one reading."""
    return (
        _tell_of_partitions(name, samples),
        *_tell_of_service(name, samples, found),
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


def _tell_of_service(name: str, samples: Sequence[GroupSample], found: GroupLoads) -> Iterable[Diagnostic]:
    if not found.loads:
        return
    newest = found.loads[-1].operators[name]
    if newest.service_rate is not None:
        detail = (
            f"{found.busy} of {found.members} consumers had messages waiting all the newest interval, so they were "
            "busy: service_rate is the mean of what each of them read. It holds the time in which a consumer waits for "
            f"what it calls.{_word_error(samples, found)}"
        )
        yield say("service-rate-at-saturation", detail, [name])
        return
    detail = (
        "How many messages one consumer can serve does not show in offsets while all keep up: service_rate is unknown. "
        "Measure the busy time of consumers, such as by Prometheus, or give service_rate in a snapshot."
    )
    yield say("service-rate-unknown", detail, [name])


def _word_error(samples: Sequence[GroupSample], found: GroupLoads) -> str:
    """The known error of a rate by committed positions."""
    if not _counts_commits(samples):
        return ""
    error = COMMIT_SECONDS / found.loads[-1].window_seconds
    return (
        f" Positions are those of commits, which are up to {COMMIT_SECONDS:g} s old by default: it may be {error:.0%} "
        "off. Samples further apart are better."
    )


def _counts_commits(samples: Sequence[GroupSample]) -> bool:
    return any(state.is_committed for state in samples[-1].states.values())


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
    if _counts_commits(samples) and add_known(state.waiting for state in samples[-1].states.values()):
        detail = (
            "The lag counts from the last commit: what was read since then seems to wait, at the default of "
            f"{COMMIT_SECONDS:g} s between commits as much as arrives in that time."
        )
        yield say("lag-counts-from-commits", detail, [name])
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
