"""What a log says of queueing beside what a topology says: what is taken over, and what is told of it."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from ingest.request import RunDiagnosticRow
from ingest.windows.queueing import KEYED, RANDOM, ROUND_ROBIN, SHARED, SeenQueueing

MOST_NAMED = 10
NOTHING_SAID: Mapping[str, str] = MappingProxyType({})
WORDS = {
    SHARED: "one queue for all instances",
    ROUND_ROBIN: "a queue per instance, dealt in turn",
    RANDOM: "a queue per instance, chosen at random",
    KEYED: "a queue per instance, of uneven shares",
}
IF_WRONG = {
    ROUND_ROBIN: "too short if instances are chosen at random or by key",
    RANDOM: "too long if tuples are dealt in turn, too short if keys make shares uneven",
    KEYED: "too long if tuples are dealt in turn, and at other numbers of processors if instances are chosen at random",
}


def merge_queueings(known: Mapping[str, str], seen: Iterable[SeenQueueing]) -> dict[str, str]:
    """What was known before stays where the log is silent or not sure, unless the log rules it out."""
    merged = dict(known)
    for one in seen:
        if one.is_sure or is_better_than(known.get(one.operator)):
            merged[one.operator] = one.queueing
    return merged


def is_better_than(known: str | None) -> bool:
    """Whether the likeliest queueing is better than what is known: nothing, or one queue for all."""
    return known is None or known == SHARED


def contradicts(seen: SeenQueueing, stated: str | None) -> bool:
    """Keys whose shares are even are like chance; a queue per instance of whatever kind is not shared."""
    if stated is None or seen.queueing == stated:
        return False
    if not seen.is_sure:
        return stated == SHARED
    return not (seen.queueing == RANDOM and stated == KEYED)


def compare_queueings(
    topology: str, seen: Sequence[SeenQueueing], operators: Iterable[str], stated: Mapping[str, str]
) -> list[RunDiagnosticRow]:
    """Where the log shows another queueing than a posted topology says, or one that it does not say."""
    known = set(operators)
    against = [one for one in seen if contradicts(one, stated.get(one.operator))]
    unsaid = [one for one in seen if one.operator in known and one.operator not in stated]
    notes = tell_of_queueings(topology, unsaid)
    if against:
        named = name_some(
            f"{one.operator} is said to be {stated[one.operator]}, and has {describe(one)}" for one in against
        )
        detail = f"The log disagrees with the posted queueing: {named}."
        notes.append(RunDiagnosticRow("queueing-disagrees", topology, detail))
    return notes


def tell_of_queueings(
    topology: str, seen: Sequence[SeenQueueing], known: Mapping[str, str] = NOTHING_SAID
) -> list[RunDiagnosticRow]:
    """What was inferred, with its evidence; what is not sure, only where nothing better was known."""
    sure = [one for one in seen if one.is_sure]
    likely = [one for one in seen if not one.is_sure and is_better_than(known.get(one.operator))]
    notes = []
    if sure:
        named = name_some(f"{one.operator} has {describe(one)}" for one in sure)
        detail = f"The log shows which queue tuples join: {named}."
        notes.append(RunDiagnosticRow("queueing-inferred", topology, detail))
    if likely:
        named = name_some(f"{one.operator} has {describe(one)}" for one in likely)
        detail = (
            f"The log shows a queue per instance, but is too short to be sure of how one is chosen: {named}."
        )
        notes.append(RunDiagnosticRow("queueing-uncertain", topology, detail))
    return notes


def describe(seen: SeenQueueing) -> str:
    kind = f"{WORDS[seen.queueing]} ({seen.queueing})"
    if seen.is_sure:
        return f"{kind}: {seen.detail}"
    return f"most likely {kind}, with which E[T] is {IF_WRONG[seen.queueing]}: {seen.detail}"


def name_some(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - MOST_NAMED} more" if len(listed) > MOST_NAMED else ""
    return ", ".join(listed[:MOST_NAMED]) + more
