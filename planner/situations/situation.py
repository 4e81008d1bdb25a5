"""The situation: a topology under a load, surveyed once, at any external rate; and its estimate for given processors.

E[T] (planner.queueing.stations) is the total time in operators per external tuple, summed over all tuples that derive
from it. Where tuples fork, it is longer than the time until the last of them is finished. Four factors multiply or
limit modelled waits, each found in another room:

    calibration   measured over modelled wait of ONE operator (planner.calibration); it is part of the load
                  (`OperatorLoad.wait_factor`), so every answer under that load has it
    correction    measured over modelled wait of ALL operators together (planner.calibration.wait_correction); only in
                  decisions, and only for the difference that the calibration leaves
    stretch       waits of drawn tuples over modelled waits, so that a draw shows the times that simulations show
                  (planner.quantiles.waits.find_stretch); only for quantiles, and never with a calibration
    reserve       a part of the target, not a factor of waits: a plan keeps it free where it cannot be simulated
                  (planner.targets.drawn_target)
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import NamedTuple

import numpy as np

from planner.arrays import Floats
from planner.errors import InvalidLoad
from planner.queueing.instances.inflows import build_stations, carries_scv, find_inflows
from planner.queueing.sojourns import find_lower_bound, sum_sojourns, sum_unhindered
from planner.queueing.stations import Stations
from planner.queueing.waiting_models import WAITING_MODELS
from planner.simulation.laws import describe_stretched
from planner.situations.disagreements import compare_sojourn
from planner.situations.evidence import describe_queues, find_evidence
from planner.situations.keys import add_keys
from planner.topology.flow import NO_INPUT, Flow, measure_flow
from planner.topology.loads import (
    SMALLEST,
    check_number,
    check_offered_load,
    find_counts,
    take_configured,
)
from planner.values import DEFAULT_MODEL, Diagnostic, Estimate, Load, Model, OperatorEstimate, Topology
from planner.wording import join_names, write_number, write_percent

# Above 95% an error of 5% in a rate can mean saturation.
NEAR_SATURATION = 0.95
MANY = 2.0  # tuples that one tuple makes


class Situation(NamedTuple):
    """A topology under a load: everything that an estimate needs except the processors."""

    topology: Topology
    load: Load
    flow: Flow
    stations: Stations
    names: list[str]
    is_open: bool = False

    def wait_seconds(self, counts: Sequence[int]) -> list[float]:
        """The mean wait at each operator; inf where it is unstable."""
        return list_floats(self.stations.wait_seconds(counts))

    def waiting_probability(self, counts: Sequence[int]) -> list[float]:
        """The part of the tuples that wait at each operator; all operators must keep up."""
        return self.stations.waiting_probability(counts)

    def sum_sojourns(self, waits: Sequence[float]) -> float:
        """E[T] at the given waits in seconds; where the external rate is 0, the time in service of one tuple."""
        if self.load.external_rate:
            return sum_sojourns(self.stations, waits, self.load.external_rate)
        return sum_unhindered(self.stations, self.flow.visits)

    def find_lower_bound(self) -> float:
        """T_L, the time of an external tuple if no tuple waits: Σ vᵢ/μᵢ with visits vᵢ and service rates μᵢ."""
        if self.load.external_rate:
            return find_lower_bound(self.stations, self.load.external_rate)
        return sum_unhindered(self.stations, self.flow.visits)

    def name_counts(self, counts: Sequence[int]) -> dict[str, int]:
        """The number of processors by the operator's name."""
        return dict(zip(self.names, counts, strict=True))


def survey_load(topology: Topology, load: Load, model: Model, *, is_open: bool = False) -> Situation:
    """The situation of a topology under a load: the arrivals of each operator, and the operators as queues.

    An SCV that is not known is 1. With `is_open`, the queues are as if no operator held bursts back, which a plan must
    be ready for.
    """
    load = take_configured(topology, load)
    flow = measure_flow(topology, load)
    stations = build_stations(topology, load, flow.arrival_rates, model, is_open=is_open)
    return Situation(topology, load, flow, stations, [one.name for one in topology.operators], is_open)


def list_floats(values: Sequence[float] | Floats) -> list[float]:
    """The values as plain floats, for answers."""
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def scale_load(situation: Situation, external_rate: float) -> Situation:
    """The situation at another external rate: visits, service rates and SCVs stay, arrivals grow with the rate.

    Real streams rarely keep their SCV at a higher rate; without a measurement at that rate this is the best assumption,
    and a diagnostic of the verdict says so.
    """
    if external_rate == situation.load.external_rate:
        return situation
    rates = [visits * external_rate for visits in situation.flow.visits]
    diagnostics = tuple(note for note in situation.flow.diagnostics if note is not NO_INPUT)
    if not external_rate:
        diagnostics += (NO_INPUT,)
    load = replace(situation.load, external_rate=external_rate)
    stations = replace(situation.stations, arrival_rate=rates)
    if external_rate and carries_scv(situation.topology, load):
        found = find_inflows(situation.topology, load, rates, is_open=situation.is_open)
        stations = replace(stations, inflows=found)
    flow = situation.flow._replace(arrival_rates=rates, diagnostics=diagnostics)
    return situation._replace(load=load, flow=flow, stations=stations)


def check_rate(situation: Situation, external_rate: float) -> None:
    """Raise InvalidLoad where an external rate is no rate, or would keep more processors busy than can be planned."""
    try:
        check_number(external_rate, "external_rate", least=SMALLEST)
        for name, visits in zip(situation.names, situation.flow.visits, strict=True):
            check_offered_load(name, visits * external_rate, situation.load.operators[name])
    except InvalidLoad as error:  # the load itself was checked before, so the requested rate is wrong
        raise replace(error, pointer="", argument="external_rate") from error


def estimate(
    topology: Topology,
    load: Load,
    processors: Mapping[str, int] | None = None,
    model: Model = DEFAULT_MODEL,
) -> Estimate:
    """The estimate of a topology under a load, with `processors`, or else with the processors that run by the load."""
    situation = survey_load(topology, load, model)
    counts = find_counts(topology, load, processors)
    answer = assess_counts(situation, counts)
    answer = answer._replace(diagnostics=answer.diagnostics + find_outside_bounds(topology, counts))
    running = [load.operators[operator.name].processors for operator in topology.operators]
    if all(known in (None, count) for known, count in zip(running, counts, strict=True)):
        answer = answer._replace(diagnostics=answer.diagnostics + compare_sojourn(topology, answer, load))
    return answer


def find_sojourn(topology: Topology, load: Load) -> tuple[float, int]:
    """E[T] of `estimate` with the processors that run (inf: an operator cannot keep up), and how many run.

    This takes half the time of `estimate`, which also compares and explains.
    """
    situation = survey_load(topology, load, DEFAULT_MODEL)
    counts = find_counts(topology, load, None)
    return situation.sum_sojourns(situation.wait_seconds(counts)), sum(counts)


def find_outside_bounds(topology: Topology, counts: Sequence[int]) -> tuple[Diagnostic, ...]:
    """A diagnostic where an operator has fewer or more processors than its own bounds allow."""
    outside = tuple(
        [
            operator.name
            for operator, count in zip(topology.operators, counts, strict=True)
            if count < operator.min_processors or (operator.ceiling is not None and count > operator.ceiling)
        ]
    )
    if not outside:
        return ()
    detail = f"These operators have fewer or more processors than their bounds allow: {join_names(outside)}."
    return (Diagnostic("outside-bounds", detail, outside),)


def evaluate_allocation(situation: Situation, counts: Sequence[int], waits: Sequence[float]) -> Estimate:
    """The estimate of an allocation at given waits; an unstable operator makes E[T] infinite, which is None."""
    stations = situation.stations
    operators = list_operators(situation, counts, waits)
    unstable = tuple([one.name for one in operators if one.wait_seconds is None]) if inf in waits else ()
    answer = Estimate(
        stable=not unstable,
        expected_sojourn_seconds=None if unstable else situation.sum_sojourns(waits),
        external_rate=situation.load.external_rate,
        processors_total=sum(counts),
        operators=tuple(operators),
        model=stations.model,
        unstable_operators=unstable,
        diagnostics=situation.flow.diagnostics
        + describe_estimate(situation, operators)
        + describe_queues(situation.topology, situation.load, stations, operators),
    )
    return answer._replace(evidence=find_evidence(situation.topology, situation.load, answer))


def list_operators(
    situation: Situation, counts: Sequence[int], waits: Sequence[float]
) -> list[OperatorEstimate]:
    """The estimate of each operator."""
    flow, stations = situation.flow, situation.stations
    operators: list[OperatorEstimate] = []
    delays = stations.delays or [0.0] * len(counts)
    rates = stations.find_rates(counts)
    queued = stations.find_queue_waits(waits, counts)
    columns = situation.names, flow.visits, flow.arrival_rates, rates, counts, queued, delays
    for name, visits, arrival_rate, service_rate, count, wait, delay in zip(*columns, strict=True):
        utilisation = arrival_rate / service_rate / count
        known_wait = sojourn = None
        if wait < inf:
            known_wait, sojourn = wait, wait + 1.0 / service_rate + delay
        row = name, arrival_rate, service_rate, count, utilisation, known_wait, sojourn, visits
        operators.append(OperatorEstimate(*row))
    if stations.delays is not None:
        pairs = zip(situation.topology.operators, operators, strict=True)
        operators = [
            one._replace(
                concurrency=operator.concurrency,
                delay_seconds=operator.delay_seconds + situation.load.operators[one.name].exchange_seconds,
            )
            for operator, one in pairs
        ]
    return operators if stations.inflows is None else add_queueing(situation, operators)


def add_queueing(situation: Situation, operators: Sequence[OperatorEstimate]) -> list[OperatorEstimate]:
    """The estimates of the operators, with their queueing and the load of their busiest instance added."""
    return [
        add_keys(operator, situation.load.operators[one.name], one)
        for operator, one in zip(situation.topology.operators, operators, strict=True)
    ]


def assess_counts(situation: Situation, counts: Sequence[int]) -> Estimate:
    """The estimate of an allocation, with waits computed from its processors."""
    return evaluate_allocation(situation, counts, situation.wait_seconds(counts))


def describe_estimate(situation: Situation, operators: Sequence[OperatorEstimate]) -> tuple[Diagnostic, ...]:
    """Diagnostics of the assumptions of an estimate, and of operators near saturation."""
    diagnostics: list[Diagnostic] = []
    if WAITING_MODELS[situation.stations.model].uses_scvs:
        assumed = list_unmeasured(situation.load, operators)
        if assumed and situation.load.external_idc:
            detail = f"How much services vary is not measured at {join_names(assumed)}: exponential ones are assumed."
            diagnostics.append(Diagnostic("scv-assumed", detail, assumed))
        elif assumed:
            detail = (
                f"How much arrivals and services vary is not measured at {join_names(assumed)}: random (Poisson) "
                f"arrivals and exponential services are assumed.{describe_batches(situation)}"
            )
            diagnostics.append(Diagnostic("scv-assumed", detail, assumed))
        diagnostics += describe_configured(situation.load)
    near = tuple(
        [one.name for one in operators if one.utilisation > NEAR_SATURATION and one.wait_seconds is not None]
    )
    if near:
        detail = (
            f"More than {write_percent(NEAR_SATURATION)} of the capacity is in use at {join_names(near)}: a few "
            "percent more load would multiply the wait."
        )
        diagnostics.append(Diagnostic("near-saturation", detail, near))
    if any(one.service_histogram for one in situation.load.operators.values()):
        diagnostics += describe_stretched(situation.load.operators)
    return tuple(diagnostics)


def describe_configured(load: Load) -> tuple[Diagnostic, ...]:
    """A diagnostic of the operators whose service_scv comes from the topology, not from a measurement."""
    said = {name: one.service_scv for name, one in load.operators.items() if one.is_scv_configured}
    listed = join_names([f"{name} {write_number(scv)}" for name, scv in said.items()])
    detail = f"The variability of services (SCV) was not measured, and is taken from the topology: {listed}."
    return (Diagnostic("scv-said", detail, tuple(said)),) if said else ()


def describe_batches(situation: Situation) -> str:
    """A sentence on operators with an assumed SCV of 1 although tuples arrive in batches, or an empty text."""
    forks = [edge.target for edge in situation.topology.edges if edge.selectivity >= MANY]
    names = [
        name
        for name in dict.fromkeys(forks)
        if situation.load.operators[name].arrival_scv is None
        and not situation.load.operators[name].arrival_idc
    ]
    if not names:
        return ""
    return (
        f" At {join_names(names)} tuples arrive in batches, as one tuple upstream makes several: there arrivals vary "
        "more, and E[T] is longer than estimated. Measure how much arrivals vary, or simulate."
    )


def list_unmeasured(load: Load, operators: Sequence[OperatorEstimate]) -> tuple[str, ...]:
    """The operators whose SCVs of arrivals or services are not measured."""
    measured = [load.operators[operator.name] for operator in operators]
    return tuple(
        [
            operator.name
            for operator, one in zip(operators, measured, strict=True)
            if one.service_scv is None or (one.arrival_scv is None and not load.external_idc)
        ]
    )
