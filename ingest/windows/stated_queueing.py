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
    None: "a queue per instance, and it is not clear how one is chosen",
}


def merge_queueings(known: Mapping[str, str], seen: Iterable[SeenQueueing]) -> dict[str, str]:
    """What was known before stays where the log is silent, unless the log rules it out."""
    merged = dict(known)
    for one in seen:
        if one.queueing is not None:
            merged[one.operator] = one.queueing
        elif contradicts(one, merged.get(one.operator)):
            del merged[one.operator]
    return merged


def contradicts(seen: SeenQueueing, stated: str | None) -> bool:
    """Keys whose shares are even are like chance; a queue per instance of whatever kind is not shared."""
    if stated is None or seen.queueing == stated:
        return False
    if seen.queueing is None:
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


def tell_of_queueings(topology: str, seen: Sequence[SeenQueueing]) -> list[RunDiagnosticRow]:
    """What was inferred, with its evidence."""
    if not seen:
        return []
    named = name_some(f"{one.operator} has {describe(one)}" for one in seen)
    return [
        RunDiagnosticRow("queueing-inferred", topology, f"The log shows which queue tuples join: {named}.")
    ]


def describe(seen: SeenQueueing) -> str:
    kind = f" ({seen.queueing})" if seen.queueing else ""
    return f"{WORDS[seen.queueing]}{kind}: {seen.detail}"


def name_some(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - MOST_NAMED} more" if len(listed) > MOST_NAMED else ""
    return ", ".join(listed[:MOST_NAMED]) + more
