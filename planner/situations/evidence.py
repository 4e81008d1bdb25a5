"""How true the E[T] of an answer is: the evidence, and diagnostics about queues.

The evidence names the kind of input, the known error of this kind, and which quantities were measured or assumed. The
known errors are means of |error| beside simulations of random topologies (planner.situations.known_errors), and beside
jobs on real engines for what such an engine measured (planner.situations.engine_errors). Without an engine, the known
error is None for any waiting model but the default, for a queueing that is not stated, for shares of keyed instances or
bursts of arrivals that are not measured, and for an operator that cannot keep up.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from planner.queueing.instances.inflows import find_inflows, requeue
from planner.queueing.mixed_queues import find_burstiness
from planner.queueing.queueings import KEYED, ROUND_ROBIN
from planner.queueing.sojourns import sum_work
from planner.queueing.stations import Stations
from planner.situations.capacity import describe_scaling
from planner.situations.engine_errors import find_engine_error
from planner.situations.evidence_wording import UNMEASURED, join_kind, split_kind
from planner.situations.keys import describe_keys, is_skew_known
from planner.situations.known_errors import ENTRIES, EVERYWHERE, KNOWN_ERRORS, SCVS, find_error
from planner.values import (
    DEFAULT_MODEL,
    SHARED,
    Diagnostic,
    Estimate,
    Evidence,
    Load,
    Operator,
    OperatorEstimate,
    OperatorLoad,
    Topology,
)
from planner.wording import join_names, write_number, write_percent, write_seconds

BURSTY = 3.0
"""From this index of dispersion on, a mean is not reliable (see docs/how-true-is-et.md)."""
MOST_COMPARED = 200
"""The largest number of operators for which E[T] of round robin is computed beside an assumed queueing."""
Columns = Mapping[str, tuple[Any, ...]]
"""The fields of OperatorLoad, each with the values of all operators in topology order: quicker to search than rows."""
FIELDS: tuple[tuple[str, str, Any], ...] = (
    ("arrival_scv", "variability of arrivals", None),
    ("arrival_idc", "bursts of arrivals", ()),
    ("service_scv", "variability of services", None),
    ("service_histogram", "distribution of services", ()),
    ("instances", "shares of instances", ()),
    ("wait_factor", "waits", None),
)
"""The optional fields of an operator's load: the field, its title in answers, and its value without a measurement."""


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
    queueings = list_queueings(topology, [one.processors for one in answer.operators])
    knowledge, arrivals = judge_bursts(topology, load, columns, answer)
    assumed = [
        *list_assumed_queues(several, load),
        *list_assumed_variability(topology.operators, columns, knowledge),
        *list_assumed_bursts(knowledge, queueings),
    ]
    is_modelled = answer.stable and answer.model == DEFAULT_MODEL
    on_engine = find_engine_error(load) if is_modelled and load.engine else None
    is_known = (
        knowledge != SCVS
        and is_modelled
        and not any(needs_more(operator, load.operators[operator.name]) for operator in several)
    )
    simulated = find_error(queueings, arrivals, f"E[T], {knowledge}") if is_known else None
    kind = queueings[0] if len(queueings) == 1 else "mixed queueings"
    return Evidence(
        join_kind(kind, arrivals, "" if on_engine is None else load.engine),
        simulated if on_engine is None else max(on_engine, simulated or 0.0),
        (
            *list_measured(columns, is_counted=bool(load.external_idc)),
            *list_estimated(topology.operators, columns),
        ),
        tuple(assumed),
    )


def needs_more(operator: Operator, measured: OperatorLoad) -> bool:
    """Whether an operator's queueing is not stated, or is keyed while the shares of its instances are not measured."""
    return operator.queueing is None or (operator.queueing == KEYED and not is_skew_known(measured))


def judge_bursts(topology: Topology, load: Load, columns: Columns, answer: Estimate) -> tuple[str, str]:
    """How much is known about bursts of arrivals, and whether arrivals are calm or bursty."""
    if all(columns["arrival_idc"]):
        knowledge = EVERYWHERE
    elif load.external_idc or all(load.operators[name].arrival_idc for name in list_entries(topology)):
        knowledge = ENTRIES
    else:
        return SCVS, UNMEASURED
    return knowledge, "bursty" if any(said.code == "bursty" for said in answer.diagnostics) else "calm"


def list_entries(topology: Topology) -> list[str]:
    """The operators that the external stream enters: the entries, else the operators that no other operator feeds."""
    fed = {edge.target for edge in topology.edges if edge.source != edge.target}
    named = [entry.operator for entry in topology.entries]
    return named or [operator.name for operator in topology.operators if operator.name not in fed]


def list_measured(columns: Columns, *, is_counted: bool) -> list[str]:
    """The names of measured quantities, each with the number of operators that have it."""
    said = ["service rate of every operator"]
    if is_counted:
        said.append("bursts of the external stream, from counts of its tuples")
    size = len(columns["service_rate"])
    for field, title, unknown in FIELDS:
        known = size - columns[field].count(unknown)
        if field == "service_scv":
            known -= sum(columns["is_scv_configured"]) + size - columns["scv_estimate"].count(None)
        if known:
            said.append(f"{title} of {known} of {size} operators")
    return said


def list_estimated(operators: Sequence[Operator], columns: Columns) -> list[str]:
    """The SCVs of services that were estimated from other measurements, by what they were estimated from."""
    sources: dict[str, list[str]] = {}
    for operator, one in zip(operators, columns["scv_estimate"], strict=True):
        if one is not None:
            scv, low, high = (write_number(value, digits=2) for value in one[:3])
            sources.setdefault(one.source, []).append(f"{operator.name} {scv} (95%: {low} to {high})")
    return [
        f"variability (SCV) of services, estimated from {source}: {join_names(listed)}"
        for source, listed in sources.items()
    ]


def list_assumed_queues(several: Sequence[Operator], load: Load) -> list[str]:
    """The assumptions about queues: the assumed queueings, and keys assumed to be even."""
    unstated = [operator.name for operator in several if operator.queueing is None]
    even = [
        operator.name
        for operator in several
        if operator.queueing == KEYED and not is_skew_known(load.operators[operator.name])
    ]
    said = [f"processors share one queue at {join_names(unstated)}"] if unstated else []
    return [*said, f"keys spread tuples evenly over the instances of {join_names(even)}"] if even else said


def list_assumed_variability(operators: Sequence[Operator], columns: Columns, knowledge: str) -> list[str]:
    """The assumptions about variability: arrivals computed or taken as Poisson, and services taken as exponential."""
    said = []
    if None in columns["arrival_scv"]:
        pairs = zip(operators, columns["arrival_scv"], columns["arrival_idc"], strict=True)
        arrivals = [operator.name for operator, scv, idc in pairs if scv is None and not idc]
        from_entries = f"bursts reach {join_names(arrivals)} as the operators upstream pass them on"
        computed = [
            from_entries if knowledge == ENTRIES else f"tuples arrive at random at {join_names(arrivals)}"
        ]
        said += computed if arrivals else []
    if None in columns["service_scv"]:
        known = zip(operators, columns["service_scv"], strict=True)
        services = [operator.name for operator, scv in known if scv is None]
        said.append(f"services of {join_names(services)} vary as random (exponential) ones do")
    if any(columns["is_scv_configured"]):
        known = zip(operators, columns["is_scv_configured"], strict=True)
        names = [operator.name for operator, is_said in known if is_said]
        said.append(
            f"services of {join_names(names)} vary as the topology says; the known error holds if that is right"
        )
    return said


@lru_cache(maxsize=64)  # of knowledge and queueings there are few
def list_assumed_bursts(knowledge: str, queueings: tuple[str, ...]) -> tuple[str, ...]:
    """The assumption that there are no bursts, with the error of E[T] if there are."""
    if knowledge != SCVS:
        return ()
    calm, bursty = (find_error(queueings, arrivals, f"E[T], {SCVS}") for arrivals in ("calm", "bursty"))
    said = "tuples arrive without bursts (not measured). In simulations of other topologies the estimated E[T] was "
    said += f"{write_percent(calm)} off on average without bursts; with bursts the true E[T] was about "
    return (f"{said}{write_times_longer(bursty)} as long. A measured E[T] tells which holds here",)


def write_times_longer(shorter: float) -> str:
    """How many times a true time is an estimate that is the part `shorter` below it: `6.7 times` for 0.85."""
    return f"{write_number(1.0 / (1.0 - shorter), digits=2)} times"


def find_quantile_errors(
    topology: Topology, counts: Sequence[int], evidence: Evidence | None
) -> tuple[float | None, float | None]:
    """The known errors of p99 of total and of completion time for the evidence's kind of input; None as for E[T]."""
    if evidence is None or evidence.known_error is None:
        return None, None
    queueings, (_, arrivals, _) = list_queueings(topology, counts), split_kind(evidence.kind)
    if arrivals == UNMEASURED:
        return None, None
    total, completion = (find_error(queueings, arrivals, f"{time}, p99") for time in ("total", "completion"))
    return total, completion


def list_queueings(topology: Topology, counts: Sequence[int]) -> tuple[str, ...]:
    """Each queueing that operators with more than one processor have, once; shared where no operator has
    more than one.
    """
    operators = zip(topology.operators, counts, strict=True)
    return tuple(sorted({one.queueing or SHARED for one, count in operators if count > 1}) or [SHARED])


def describe_queues(
    topology: Topology, load: Load, stations: Stations, answers: Sequence[OperatorEstimate]
) -> tuple[Diagnostic, ...]:
    """All diagnostics about the queues of an answer: assumed queueing, keys, and bursts."""
    said = describe_assumed(topology, load, stations, answers)
    if stations.inflows is None:
        return said
    said += describe_keys(topology, load, answers) + describe_bursts(stations, answers)
    if any(operator.scaling is not None for operator in topology.operators):
        said += describe_scaling(topology, stations, answers)
    return said


def describe_assumed(
    topology: Topology, load: Load, stations: Stations, answers: Sequence[OperatorEstimate]
) -> tuple[Diagnostic, ...]:
    """A diagnostic where shared queues are assumed, with the E[T] that queues of their own would give."""
    unstated = [
        one.name
        for operator, one in zip(topology.operators, answers, strict=True)
        if operator.queueing is None and one.processors > 1 and one.wait_seconds
    ]
    if not unstated:
        return ()
    beside = ""
    if len(answers) <= MOST_COMPARED and None not in [one.wait_seconds for one in answers]:
        own = sum_dealt_in_turn(topology, load, stations, answers)
        beside = f" If senders deal tuples in turn to a queue at each processor, E[T] would be {write_seconds(own)}."
    detail = (
        f"The topology does not say how tuples queue at {join_names(unstated)}: one queue for all processors of an "
        f"operator is assumed.{beside} State the queueing in the topology: Flink, Storm, Heron and Kafka Streams have "
        "a queue for each instance."
    )
    return (Diagnostic("queueing-assumed", detail, tuple(unstated)),)


def sum_dealt_in_turn(
    topology: Topology, load: Load, stations: Stations, answers: Sequence[OperatorEstimate]
) -> float:
    """E[T] if operators without a stated queueing had a queue for each processor, and senders dealt tuples in turn."""
    unstated = {operator.name for operator in topology.operators if operator.queueing is None}
    is_open = any(inflow.is_open for inflow in stations.inflows or ())
    inflows = find_inflows(
        requeue(topology, unstated, ROUND_ROBIN), load, [one.arrival_rate for one in answers], is_open=is_open
    )
    dealt = replace(stations, inflows=inflows)
    waits = dealt.add_delays(dealt.wait_seconds([one.processors for one in answers]))
    return sum_work([one.visits for one in answers], waits, dealt.service_rate)


def describe_bursts(stations: Stations, answers: Sequence[OperatorEstimate]) -> tuple[Diagnostic, ...]:
    """A diagnostic if arrivals come in bursts so long that E[T] is not reliable."""
    places = [
        i for i in stations.list_general() if answers[i].wait_seconds is not None and answers[i].arrival_rate
    ]
    if not places:
        return ()
    counts = np.array([answers[i].processors for i in places], np.int64)
    levels = find_burstiness(stations.prepare_general(places), counts).tolist()
    bursty = {answers[i].name: level for i, level in zip(places, levels, strict=True) if level > BURSTY}
    if not bursty:
        return ()
    listed = join_names([f"{name} (index {write_number(level)})" for name, level in bursty.items()])
    known = [
        row[f"E[T], {knowledge}"]
        for (_, arrivals), row in KNOWN_ERRORS.items()
        for knowledge in (EVERYWHERE, ENTRIES)
        if arrivals == "bursty"
    ]
    errors = f"{write_percent(min(known))} to {write_percent(max(known))}"
    detail = (
        f"Tuples arrive in bursts at {listed}; independent arrivals have an index of dispersion of 1. In simulated "
        f"topologies with one kind of queue and such bursts the estimated E[T] errs by {errors} on average, and at "
        "times by half: only a simulation of this topology tells more."
    )
    return (Diagnostic("bursty", detail, tuple(bursty)),)
