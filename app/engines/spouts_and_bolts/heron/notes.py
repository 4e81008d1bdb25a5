"""What a reader of Heron's numbers must know."""

from collections.abc import Mapping, Sequence

from app.engines.diagnostics import say
from app.engines.spouts_and_bolts.groupings import ALL, GLOBAL, QUEUEINGS
from app.engines.spouts_and_bolts.heron.components import HeronComponent
from app.engines.spouts_and_bolts.heron.graphs import find_selectivity
from app.engines.spouts_and_bolts.heron.loads import find_completion
from app.engines.spouts_and_bolts.heron.measures import BUCKET_SECONDS, Measures
from app.engines.spouts_and_bolts.heron.streams import HeronArrivals, find_sent
from planner.values import Diagnostic
from planner.wording import join_names

HELD_BACK = 0.01


def list_notes(
    components: Mapping[str, HeronComponent],
    arrivals: Mapping[str, HeronArrivals],
    measures: Measures,
    *,
    by_spouts: bool,
) -> tuple[Diagnostic, ...]:
    """All diagnostics of the newest interval."""
    bolts = [one for one in components.values() if one.is_bolt]
    return (
        *note_unmeasured(bolts),
        *note_back_pressure(bolts),
        *note_arrivals(bolts, components, arrivals),
        *note_groupings(bolts),
        *note_edges(bolts, components),
        *note_spouts(components, by_spouts=by_spouts),
        *note_interval(measures),
    )


def note_unmeasured(bolts: Sequence[HeronComponent]) -> list[Diagnostic]:
    """Rates and services that are unknown, and bolts that rest."""
    said = []
    unknown = [bolt.name for bolt in bolts if bolt.executed_rate is None]
    idle = [bolt.name for bolt in bolts if bolt.executed_rate == 0.0]
    slow = [bolt.name for bolt in bolts if bolt.executed_rate and not bolt.latency]
    if unknown:
        detail = (
            f"How much {join_names(unknown)} executed is unknown: an instance of the physical plan has no "
            "__execute-count. Instances report once a minute: ask again later."
        )
        said.append(say("rate-unknown", detail, unknown))
    if idle:
        detail = f"{join_names(idle)} executed nothing: the service rate is unknown, not 0 ns."
        said.append(say("nothing-executed", detail, idle))
    if slow:
        detail = f"The service rate of {join_names(slow)} is unknown: ask for __execute-latency too."
        said.append(say("service-rate-unknown", detail, slow))
    return said


def note_back_pressure(bolts: Sequence[HeronComponent]) -> list[Diagnostic]:
    """Bolts whose full queues stopped the spouts: all measured rates are then held down."""
    held = [bolt for bolt in bolts if (bolt.back_pressure or 0.0) > HELD_BACK]
    if not held:
        return []
    texts = [f"{bolt.name} for {bolt.back_pressure:.0%} of the time" for bolt in held]
    detail = (
        f"Full queues stopped all spouts: {', '.join(texts)}. The measured rates are what the topology let in; "
        "what would come in without that is unknown, and more."
    )
    return [say("spouts-held-back", detail, [bolt.name for bolt in held])]


def note_arrivals(
    bolts: Sequence[HeronComponent],
    components: Mapping[str, HeronComponent],
    arrivals: Mapping[str, HeronArrivals],
) -> list[Diagnostic]:
    """Bolts whose arrival rate is what they executed because what was sent is unknown."""
    names = [
        bolt.name
        for bolt in bolts
        if bolt.inputs
        and not arrivals[bolt.name].is_sent
        and any(find_sent(bolt, one, components) is None for one in bolt.inputs)
    ]
    if not names:
        return []
    detail = (
        f"What was sent to {join_names(names)} is unknown: what they executed is taken as their arrival rate. Send the "
        "logical plan with the groupings, and __emit-count/<stream> of what feeds them."
    )
    return [say("arrival-rate-by-executed", detail, names)]


def note_groupings(bolts: Sequence[HeronComponent]) -> list[Diagnostic]:
    """Groupings that need a word."""
    said = []
    copied = [bolt.name for bolt in bolts if any(one.grouping == ALL for one in bolt.inputs)]
    lowest = [bolt.name for bolt in bolts if any(one.grouping == GLOBAL for one in bolt.inputs)]
    custom = [bolt.name for bolt in bolts if any(one.grouping not in QUEUEINGS for one in bolt.inputs)]
    if copied:
        detail = (
            f"{join_names(copied)} get every tuple at each instance (all grouping): another instance adds a copy of "
            "the stream and takes no load off the others, so that plans for them mean nothing."
        )
        said.append(say("grouping-all", detail, copied))
    if lowest:
        detail = (
            f"{join_names(lowest)} get every tuple at one instance (global grouping): others would be idle."
        )
        said.append(say("grouping-global", detail, lowest))
    if custom:
        detail = (
            f"The grouping of {join_names(custom)} is direct, custom or unknown: so are the queues. Set the operator's "
            "queueing by hand; without it, one queue is assumed."
        )
        said.append(say("grouping-custom", detail, custom))
    return said


def note_edges(bolts: Sequence[HeronComponent], components: Mapping[str, HeronComponent]) -> list[Diagnostic]:
    """Bolts that nobody is seen to feed, and edges whose selectivity was not measured."""
    said = []
    alone = [bolt.name for bolt in bolts if not any(one.source in components for one in bolt.inputs)]
    if alone:
        detail = (
            f"Who feeds {join_names(alone)} is not in the answers: each is taken as an entry with the rate that was "
            "measured. Send /topologies/logicalplan."
        )
        said.append(say("edges-unknown", detail, alone))
    assumed = {
        one.source: None
        for bolt in bolts
        for one in bolt.inputs
        if one.source in components
        and components[one.source].is_bolt
        and find_selectivity(components[one.source], bolt, components) is None
    }
    if assumed:
        detail = f"Selectivity 1 is taken for what {join_names(list(assumed))} send: it was not measured."
        said.append(say("selectivity-assumed", detail, list(assumed)))
    return said


def note_spouts(components: Mapping[str, HeronComponent], *, by_spouts: bool) -> list[Diagnostic]:
    """Spouts, the completion time, and what the external rate is."""
    spouts = [one for one in components.values() if not one.is_bolt]
    said = []
    if spouts:
        names = join_names([one.name for one in spouts])
        detail = f"Spouts are no operators: {names}. External tuples are those that spouts emit."
        said.append(say("spouts-left-out", detail))
    if not by_spouts:
        detail = "What the spouts emit is unknown: the external rate is what reached the entries."
        said.append(say("external-rate-by-entries", detail))
    if spouts and find_completion(components) is None:
        detail = "The completion time was not measured: no tuple was acknowledged (ATMOST_ONCE has no acks)."
        said.append(say("completion-not-measured", detail))
    failed = [one.name for one in spouts if one.failed_rate]
    if failed:
        detail = f"Tuples of {join_names(failed)} failed or timed out: the complete latency leaves them out."
        said.append(say("tuples-failed", detail))
    return said


def note_interval(measures: Measures) -> list[Diagnostic]:
    """How exactly the length of the interval is known."""
    if measures.buckets:
        return []
    error = BUCKET_SECONDS / measures.seconds
    detail = (
        f"An interval of {measures.seconds:.0f} s holds whole minutes, up to one more than asked for: rates are too "
        f"high by up to {error:.0%}. /topologies/metricstimeline has no such error."
    )
    return [say("interval-approximate", detail)]
