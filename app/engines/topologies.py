"""Joins the topology that an engine shows with the stored one: the engine knows the graph, the owner the bounds."""

from collections.abc import Iterable, Mapping

from app.engines.answers import say
from app.load.bodies.load import LoadBody
from app.load.bodies.topology import EdgeBody, EntryBody, Graph, OperatorBody
from planner.values import Diagnostic
from planner.wording import join_names

# Measured selectivities and shares vary from interval to interval; a revision for each would bury the real changes.
LEAST_CHANGE = 0.1
OWNED = ("min_processors", "max_processors", "service_scv", "profile")
"""What only the owner of an operator says."""


def join_topologies(stored: Graph, shown: Graph) -> Graph:
    """The graph that the engine shows; operators keep what their owner set, and small changes are left out."""
    known = {operator.name: operator for operator in stored.operators}
    selectivities = {(edge.source, edge.target): edge.selectivity for edge in stored.edges}
    shares = {entry.operator: entry.share for entry in stored.entries}
    return Graph(
        queueing=stored.queueing,
        operators=[_join_operator(known.get(one.name), one) for one in shown.operators],
        edges=[
            EdgeBody(
                source=one.source,
                target=one.target,
                selectivity=_keep(selectivities.get((one.source, one.target)), one.selectivity),
            )
            for one in shown.edges
        ],
        entries=[
            EntryBody(operator=one.operator, share=_keep(shares.get(one.operator), one.share))
            for one in shown.entries
        ],
    )


def _join_operator(stored: OperatorBody | None, shown: OperatorBody) -> OperatorBody:
    if stored is None:
        return shown
    seen = {name: getattr(shown, name) for name in ("queueing", "max_parallelism")}
    known = {name: value for name, value in seen.items() if value is not None}
    return stored.model_copy(update=known | {"stateful": stored.stateful or shown.stateful})


def _keep(stored: float | None, shown: float) -> float:
    """The stored number where the shown one is near it."""
    if stored is None:
        return shown
    return stored if abs(shown - stored) <= LEAST_CHANGE * max(shown, stored) else shown


def keep_known(load: LoadBody, known: Iterable[str]) -> LoadBody:
    """The load of the operators that the topology has."""
    names = set(known)
    operators = {name: one for name, one in load.operators.items() if name in names}
    return load.model_copy(update={"operators": operators})


def compare_names(stored: Graph, loads: Iterable[LoadBody]) -> tuple[Diagnostic, ...]:
    """Diagnostics where the engine measured other operators than the stored topology has."""
    known = [operator.name for operator in stored.operators]
    measured: Mapping[str, None] = dict.fromkeys(name for load in loads for name in load.operators)
    strangers = [name for name in measured if name not in known]
    missing = [name for name in known if name not in measured]
    said = []
    if strangers:
        detail = (
            f"Left out what the engine measured at {join_names(strangers)}: the stored topology has no such operator. "
            "Send ?topology=replace to store the topology that the engine shows."
        )
        said.append(say("operator-not-in-topology", detail, strangers))
    if missing and measured:
        detail = f"The engine's answers say nothing of {join_names(missing)}: their load is unknown."
        said.append(say("operators-not-measured", detail, missing))
    return tuple(said)


def compare_owned(stored: Graph, joined: Graph) -> tuple[Diagnostic, ...]:
    """A diagnostic where operators go of which their owner had said something that no engine knows."""
    left = {operator.name for operator in joined.operators}
    gone = {
        operator.name: said
        for operator in stored.operators
        if operator.name not in left and (said := _list_owned(operator))
    }
    if not gone:
        return ()
    words = "; ".join(f"{name}: {', '.join(said)}" for name, said in list(gone.items())[:10])
    detail = (
        f"The engine no longer shows operators of which the stored topology said more than it knows ({words}). "
        "If they run under other names now, say it again of these."
    )
    return (say("owner-words-dropped", detail, list(gone)),)


def _list_owned(operator: OperatorBody) -> list[str]:
    said = operator.model_dump(include=set(OWNED), exclude_none=True, exclude_defaults=True)
    return [f"{field} {said[field]}" for field in OWNED if field in said]


def compare_edges(stored: Graph, shown: Graph | None) -> tuple[Diagnostic, ...]:
    """A diagnostic where the engine shows other edges than the stored topology has."""
    if shown is None:
        return ()
    before = {(edge.source, edge.target) for edge in stored.edges}
    after = {(edge.source, edge.target) for edge in shown.edges}
    changes = [f"{a} -> {b} is new" for a, b in sorted(after - before)]
    changes += [f"{a} -> {b} is gone" for a, b in sorted(before - after)]
    if not changes:
        return ()
    more = f", and {len(changes) - 10} more" if len(changes) > 10 else ""
    detail = (
        f"The engine shows other edges than the stored topology has: {', '.join(changes[:10])}{more}. "
        "Send ?topology=replace to store those of the engine."
    )
    return (say("topology-differs", detail),)
