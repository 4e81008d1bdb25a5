"""The situation: a topology under a load, surveyed once, at the measured external rate or at another one.

Four factors multiply or limit modelled waits, each found in another room:

    calibration   measured over modelled wait of ONE operator (planner.calibration); part of the load
                  (`OperatorLoad.wait_factor`), so that every answer under that load has it
    correction    measured over modelled wait of ALL operators together (planner.decisions.wait_correction); only in
                  decisions, and only for what the calibration leaves
    stretch       waits of drawn tuples over those of the model, so that a draw shows the time that simulations show
                  (planner.quantiles.waits.find_stretch); only for quantiles, and never with a calibration
    reserve       no factor of waits but of the target: the part of the time left for waits that a plan keeps free where
                  it can't be simulated (planner.targets.drawn_target)
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from planner.arrays import Floats
from planner.errors import InvalidLoad
from planner.queueing.inflows import build_stations
from planner.queueing.stations import Stations, find_lower_bound, sum_services, sum_sojourns
from planner.topology.flow import NO_INPUT, Flow, measure_flow
from planner.topology.loads import SMALLEST, check_number, check_offered_load, take_configured_scvs
from planner.values import Load, Model, Topology


class Situation(NamedTuple):
    """A topology under a load: everything that an estimate needs except the processors."""

    topology: Topology
    load: Load
    flow: Flow
    stations: Stations
    names: list[str]

    def wait_seconds(self, counts: Sequence[int]) -> list[float]:
        """The mean wait at each operator; inf where it is unstable."""
        return list_floats(self.stations.wait_seconds(counts))

    def waiting_probability(self, counts: Sequence[int]) -> list[float]:
        """The part of the tuples that wait at each operator; all must be stable."""
        return self.stations.waiting_probability(counts)

    def sum_sojourns(self, waits: Sequence[float]) -> float:
        """E[T] at given waits; where external_rate is 0, the time in service of one tuple."""
        if self.load.external_rate:
            return sum_sojourns(self.stations, waits, self.load.external_rate)
        return sum_services(self.flow.visits, self.stations.service_rate)

    def find_lower_bound(self) -> float:
        """T_L = Σ vᵢ/μᵢ, E[T] where no tuple waits."""
        if self.load.external_rate:
            return find_lower_bound(self.stations, self.load.external_rate)
        return sum_services(self.flow.visits, self.stations.service_rate)

    def name_counts(self, counts: Sequence[int]) -> dict[str, int]:
        """The processors by operator."""
        return dict(zip(self.names, counts, strict=True))


def survey_load(topology: Topology, load: Load, model: Model, *, is_open: bool = False) -> Situation:
    """The situation: what reaches each operator, and the operators as queues; an SCV that nobody measured or set is 1.

    `is_open`: as if no operator held bursts back, which is what a plan has to be ready for.
    """
    load = take_configured_scvs(topology, load)
    flow = measure_flow(topology, load)
    stations = build_stations(topology, load, flow.arrival_rates, model, is_open=is_open)
    return Situation(topology, load, flow, stations, [operator.name for operator in topology.operators])


def list_floats(values: Sequence[float] | Floats) -> list[float]:
    """The values as plain floats, for answers."""
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def scale_load(situation: Situation, external_rate: float) -> Situation:
    """The situation at another external rate: visits, service rates and SCVs stay, arrivals are vᵢλ0.

    Real streams rarely keep their SCV at a higher rate; without a measurement at that rate this is the best assumption,
    and a diagnostic of the verdict says so.
    """
    if external_rate == situation.load.external_rate:
        return situation
    rates = [visits * external_rate for visits in situation.flow.visits]
    diagnostics = tuple(note for note in situation.flow.diagnostics if note is not NO_INPUT)
    if not external_rate:
        diagnostics += (NO_INPUT,)
    return situation._replace(
        load=replace(situation.load, external_rate=external_rate),
        flow=situation.flow._replace(arrival_rates=rates, diagnostics=diagnostics),
        stations=replace(situation.stations, arrival_rate=rates),
    )


def check_rate(situation: Situation, external_rate: float) -> None:
    """Raise InvalidLoad where the rate is no rate, or would keep more processors busy than can be planned."""
    try:
        check_number(external_rate, "external_rate", least=SMALLEST)
        for name, visits in zip(situation.names, situation.flow.visits, strict=True):
            check_offered_load(name, visits * external_rate, situation.load.operators[name])
    except InvalidLoad as error:  # the load itself was checked before: the rate asked for is wrong
        raise replace(error, pointer="", argument="external_rate") from error
