"""Finds the verdict of a gate on a topology and a load without a database, so that the command line loads none."""

from app.load.bodies.calibrating import add_calibration, calibrate_body
from app.planning.gates.schemas import GateAnswer, GateRequest, GateTerms, to_gate_answer
from planner.gates.verdict import Verdict, judge_capacity
from planner.values import Load, Model, Topology


def judge_described(body: GateRequest) -> GateAnswer:
    """Returns the verdict of a gate on the topology and the load in the request."""
    topology = body.topology.to_values()
    calibrated = calibrate_body(body, topology)
    return add_calibration(to_gate_answer(judge(topology, calibrated.load, body, body.model)), calibrated)


def judge(topology: Topology, load: Load, terms: GateTerms, model: Model) -> Verdict:
    """Returns the planner's verdict on a topology under a load, by the processors, rate and limits in `terms`."""
    return judge_capacity(
        topology,
        load,
        terms.processors,
        external_rate=terms.find_rate(load.external_rate),
        limit=terms.find_target(),
        k_max=terms.k_max,
        model=model,
    )
