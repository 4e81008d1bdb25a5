"""Joins an engine's topology with the stored one: the engine knows the graph, the owner sets the bounds."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from app.engines.answers import EngineReading
from app.engines.diagnostics import Rule, Rules, find_diagnostics, say
from app.load.bodies.load import LoadBody
from app.load.bodies.topology import Graph, OperatorBody
from planner.values import Diagnostic
from planner.wording import join_names

# Measured selectivities and shares vary from interval to interval; a revision for each would bury the real changes.
LEAST_CHANGE = 0.1
OWNED = {
    "min_processors": "{} or more processors",
    "max_processors": "at most {} processors",
    "service_scv": "SCV of service times {}",
    "delay_seconds": "a delay of {} s",
    "concurrency": "{} tuples at a time",
    "capacity_rate": "{}/s of one processor",
    "scaling": "scaling {}",
    "keyed_by": "keyed by {}",
    "profile": "profile {}",
}
"""Settings of an operator that only its owner knows, each in words."""


def join_topologies(stored: Graph, shown: Graph) -> Graph:
    """The engine's graph, in which operators keep their owner's settings, and small changes of numbers are left out."""
    known = {operator.name: operator for operator in stored.operators}
    selectivities = {(edge.source, edge.target): edge.selectivity for edge in stored.edges}
    shares = {entry.operator: entry.share for entry in stored.entries}
    return Graph(
        queueing=stored.queueing,
        operators=[_join_operator(known.get(one.name), one) for one in shown.operators],
        edges=[
            one.model_copy(
                update={"selectivity": _keep(selectivities.get((one.source, one.target)), one.selectivity)}
            )
            for one in shown.edges
        ],
        entries=[
            one.model_copy(update={"share": _keep(shares.get(one.operator), one.share)})
            for one in shown.entries
        ],
    )


def _join_operator(stored: OperatorBody | None, shown: OperatorBody) -> OperatorBody:
    if stored is None:
        return shown
    seen = {name: getattr(shown, name) for name in ("queueing", "max_parallelism", "group_assignment")}
    if shown.group_assignment is not None:  # partitions, for which the owner knows more than the engine shows
        seen = seen | {name: getattr(stored, name) or seen[name] for name in ("queueing", "group_assignment")}
    known = {name: value for name, value in seen.items() if value is not None}
    return stored.model_copy(update=known | {"stateful": stored.stateful or shown.stateful})


def _keep(stored: float | None, shown: float) -> float:
    """The stored number if the number that the engine shows is near to it, else the engine's number."""
    if stored is None:
        return shown
    return stored if abs(shown - stored) <= LEAST_CHANGE * max(shown, stored) else shown


def keep_splits(stored: Graph, reading: EngineReading) -> EngineReading:
    """The reading in which edges of an assumed flow have the selectivity that was stored before, as loads do."""
    before = {(edge.source, edge.target): edge.selectivity for edge in stored.edges}
    known = {edge: before[edge] for edge in reading.assumed if edge in before}
    if not known or reading.topology is None:
        return reading
    edges = [
        edge.model_copy(update={"selectivity": known.get((edge.source, edge.target), edge.selectivity)})
        for edge in reading.topology.edges
    ]
    return replace(
        reading,
        topology=reading.topology.model_copy(update={"edges": edges}),
        loads=tuple([follow_splits(load, known) for load in reading.loads]),
    )


def follow_splits(load: LoadBody, known: Mapping[tuple[str, str], float]) -> LoadBody:
    """The load in which these targets are sent what the selectivities give, but no less than they served."""
    operators = dict(load.operators)
    for (source, target), selectivity in known.items():
        served = operators[source].served_rate if source in operators else None
        one = operators.get(target)
        if served is None or one is None or one.arrival_rate is None:
            continue
        sent = max(selectivity * served, one.served_rate or 0.0)
        operators[target] = one.model_copy(update={"arrival_rate": min(sent, one.arrival_rate)})
    return load.model_copy(update={"operators": operators})


def keep_known(load: LoadBody, known: Iterable[str]) -> LoadBody:
    """The load without the operators that the topology lacks; `known` are the topology's operators."""
    names = set(known)
    operators = {name: one for name, one in load.operators.items() if name in names}
    return load.model_copy(update={"operators": operators})


def compare_names(stored: Graph, loads: Iterable[LoadBody]) -> tuple[Diagnostic, ...]:
    """Diagnostics if the engine measured other operators than the stored topology has."""
    known = [operator.name for operator in stored.operators]
    measured = list(dict.fromkeys(name for load in loads for name in load.operators))
    return find_diagnostics(OTHER_NAMES, (known, measured))


OTHER_NAMES: Rules[tuple[list[str], list[str]]] = {
    "operator-not-in-topology": Rule(
        lambda names: [name for name in names[1] if name not in names[0]],
        "{names} are left out: the engine measured them, but the stored topology does not have them. Send "
        "?topology=replace to store the topology that the engine shows.",
    ),
    "operators-not-measured": Rule(
        lambda names: [name for name in names[0] if name not in names[1]] if names[1] else [],
        "The load of {names} is unknown: the engine's answers do not measure them.",
    ),
}


def compare_owned(stored: Graph, joined: Graph) -> tuple[Diagnostic, ...]:
    """A diagnostic if operators with settings of their owner leave the topology."""
    left = {operator.name for operator in joined.operators}
    gone = [one for one in stored.operators if one.name not in left]
    return find_diagnostics(LOST_SETTINGS, gone)


def _list_owned(gone: list[OperatorBody]) -> dict[str, str]:
    """The settings that only the owner knows, for each operator that is gone; operators without such settings
    are left out.
    """
    owned = {
        one.name: one.model_dump(include=set(OWNED), exclude_none=True, exclude_defaults=True) for one in gone
    }
    return {
        name: f"{name} ({', '.join(OWNED[field].format(given[field]) for field in OWNED if field in given)})"
        for name, given in owned.items()
        if given
    }


LOST_SETTINGS: Rules[list[OperatorBody]] = {
    "owner-words-dropped": Rule(
        _list_owned,
        "Operators {names} left the job; their settings are lost: {texts}. If the operators were renamed, set them "
        "again.",
    ),
}


def compare_edges(stored: Graph, shown: Graph | None) -> tuple[Diagnostic, ...]:
    """A diagnostic if the engine shows other edges than the stored topology has."""
    if shown is None:
        return ()
    before = {(edge.source, edge.target) for edge in stored.edges}
    after = {(edge.source, edge.target) for edge in shown.edges}
    changes = [f"{a} -> {b} is new" for a, b in sorted(after - before)]
    changes += [f"{a} -> {b} is gone" for a, b in sorted(before - after)]
    if not changes:
        return ()
    detail = (
        f"The engine shows other edges than the stored topology has: {join_names(changes)}. Send ?topology=replace to "
        "store the edges of the engine."
    )
    return (say("topology-differs", detail),)


NO_LABEL = re.compile(r"[^a-zA-Z0-9:_]")
CUT = 80
"""The length to which Flink cuts names in its metrics."""


def write_label(name: str) -> str:
    """The name of an operator as Flink's reporter writes it: _ for all but letters, digits, colons and underscores."""
    return NO_LABEL.sub("_", name)


def name_as_stored(loads: Iterable[LoadBody], known: Sequence[str]) -> tuple[LoadBody, ...]:
    """The loads with the reporter's labels replaced by stored names, if only one stored operator can be meant."""
    return tuple([_rename(load, known) for load in loads])


def _rename(load: LoadBody, known: Sequence[str]) -> LoadBody:
    strangers = [name for name in load.operators if name not in known]
    free = [name for name in known if name not in load.operators]
    meant = {name: [one for one in free if _matches(name, one)] for name in strangers}
    taken = [one for found in meant.values() for one in found]
    names = {
        name: found[0] for name, found in meant.items() if len(found) == 1 and taken.count(found[0]) == 1
    }
    if not names:
        return load
    return load.model_copy(
        update={"operators": {names.get(name, name): one for name, one in load.operators.items()}}
    )


def _matches(label: str, name: str) -> bool:
    written = write_label(name)
    return label == written or (len(label) == CUT and label == written[:CUT])
