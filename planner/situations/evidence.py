"""How true an answer's E[T] is: its kind of input, the known error of this kind, what was measured and what assumed.

The known errors are means of |error| beside simulations of random topologies (planner.situations.known_errors). The
known error is None for another waiting model than that of the table, where a queueing is not stated, shares of keyed
instances or bursts of arrivals are not measured, or an operator cannot keep up.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from planner.queueing.queueings import KEYED
from planner.situations.known_errors import ENTRIES, EVERYWHERE, KNOWN_ERRORS, QUANTILE_ERRORS, SCVS
from planner.situations.notes import BURSTY
from planner.values import DEFAULT_MODEL, SHARED, Estimate, Evidence, Load, Operator, OperatorLoad, Topology
from planner.wording import join_names, write_percent

Columns = Mapping[str, tuple[Any, ...]]
"""The fields of OperatorLoad, each of all operators in topology order: quicker to look through than the operators."""
FIELDS: tuple[tuple[str, str, Any], ...] = (
    ("arrival_scv", "arrival_scv", None),
    ("arrival_idc", "arrival_idc", ()),
    ("service_scv", "service_scv", None),
    ("service_histogram", "service_histogram", ()),
    ("instances", "instances", ()),
    ("wait_factor", "measured waits", None),
)
"""What an operator's load may say: the field, how it is called, and what it is where nothing was measured."""


def find_evidence(topology: Topology, load: Load, answer: Estimate) -> Evidence:
    """The evidence of one estimate."""
    operators = load.operators
    measured = [operators[operator.name] for operator in topology.operators]
    columns = dict(zip(OperatorLoad._fields, zip(*measured, strict=True), strict=True))
    several = [
        operator
        for operator, one in zip(topology.operators, answer.operators, strict=True)
        if one.processors > 1
    ]
    queueings = tuple(sorted({operator.queueing or SHARED for operator in several}) or [SHARED])
    knowledge, arrivals = judge_bursts(topology, load, columns, answer)
    assumed = [
        *list_assumed_queues(several, load),
        *list_assumed_variability(topology.operators, columns, knowledge),
        *list_assumed_bursts(knowledge, queueings),
    ]
    is_known = (
        knowledge != SCVS
        and answer.stable
        and answer.model == DEFAULT_MODEL
        and not any(needs_more(operator, load.operators[operator.name]) for operator in several)
    )
    return Evidence(
        f"{queueings[0] if len(queueings) == 1 else 'mixed queueings'}, {arrivals}",
        max([KNOWN_ERRORS[queueing, arrivals, knowledge] for queueing in queueings]) if is_known else None,
        tuple(list_measured(columns)),
        tuple(assumed),
    )


def needs_more(operator: Operator, measured: OperatorLoad) -> bool:
    """Whether the queueing is not said, or keyed without measured shares of instances."""
    return operator.queueing is None or (operator.queueing == KEYED and not measured.instances)


def judge_bursts(topology: Topology, load: Load, columns: Columns, answer: Estimate) -> tuple[str, str]:
    """Where bursts were measured, and whether there are any."""
    if all(columns["arrival_idc"]):
        knowledge = EVERYWHERE
    elif all(load.operators[name].arrival_idc for name in list_entries(topology)):
        knowledge = ENTRIES
    else:
        return SCVS, "bursts not measured"
    return knowledge, "bursty" if any(said.code == "bursty" for said in answer.diagnostics) else "calm"


def list_entries(topology: Topology) -> list[str]:
    """The operators that the stream enters: those named, else those that no other operator feeds."""
    fed = {edge.target for edge in topology.edges if edge.source != edge.target}
    named = [entry.operator for entry in topology.entries]
    return named or [operator.name for operator in topology.operators if operator.name not in fed]


def list_measured(columns: Columns) -> list[str]:
    """What the load says, and of how many operators."""
    said = ["service_rate of every operator"]
    size = len(columns["service_rate"])
    for field, title, unknown in FIELDS:
        known = size - columns[field].count(unknown)
        if field == "service_scv":
            known -= sum(columns["is_scv_configured"])
        if known:
            said.append(f"{title} of {known} of {size} operators")
    return said


def list_assumed_queues(several: Sequence[Operator], load: Load) -> list[str]:
    """Queueings that nobody said, and keys taken as even."""
    unsaid = [operator.name for operator in several if operator.queueing is None]
    even = [
        operator.name
        for operator in several
        if operator.queueing == KEYED and not load.operators[operator.name].instances
    ]
    said = [f"queueing of {join_names(unsaid)}: shared"] if unsaid else []
    return [*said, f"shares of instances of {join_names(even)}: even"] if even else said


def list_assumed_variability(operators: Sequence[Operator], columns: Columns, knowledge: str) -> list[str]:
    """Arrivals that are computed or taken as Poisson, and services taken as exponential."""
    said = []
    if None in columns["arrival_scv"]:
        pairs = zip(operators, columns["arrival_scv"], columns["arrival_idc"], strict=True)
        arrivals = [operator.name for operator, scv, idc in pairs if scv is None and not idc]
        from_entries = f"bursts at {join_names(arrivals)}: as carried on from the entries"
        computed = [from_entries if knowledge == ENTRIES else f"arrival_scv of {join_names(arrivals)}: 1"]
        said += computed if arrivals else []
    if None in columns["service_scv"]:
        known = zip(operators, columns["service_scv"], strict=True)
        services = [operator.name for operator, scv in known if scv is None]
        said.append(f"service_scv of {join_names(services)}: 1")
    if any(columns["is_scv_configured"]):
        known = zip(operators, columns["is_scv_configured"], strict=True)
        names = [operator.name for operator, is_said in known if is_said]
        said.append(
            f"service_scv of {join_names(names)}: as the topology says; the known error holds if that is so"
        )
    return said


@lru_cache(maxsize=64)  # of knowledge and queueings there are few
def list_assumed_bursts(knowledge: str, queueings: tuple[str, ...]) -> tuple[str, ...]:
    """What it would mean if arrivals came in bursts of which nothing is known."""
    if knowledge != SCVS:
        return ()
    calm, bursty = (
        max([KNOWN_ERRORS[queueing, arrivals, SCVS] for queueing in queueings])
        for arrivals in ("calm", "bursty")
    )
    return (
        f"no bursts: E[T] errs by {write_percent(calm)} on average if that is so, by {write_percent(bursty)} if not",
    )


def find_quantile_errors(
    topology: Topology, load: Load, evidence: Evidence | None
) -> tuple[float | None, float | None]:
    """The known errors of p99 of total and of completion, those of the worst queueing.

    None for calm input where the error of E[T] is unknown: without measured bursts nobody knows that input is calm.
    """
    is_bursty = any(point.idc > BURSTY for one in load.operators.values() for point in one.arrival_idc)
    if not is_bursty and (evidence is None or evidence.known_error is None):
        return None, None
    kind = "bursty" if is_bursty else "calm"
    queueings = {operator.queueing or SHARED for operator in topology.operators}
    totals, completions = zip(*[QUANTILE_ERRORS[queueing, kind] for queueing in queueings], strict=True)
    return max(totals), max(completions)
