"""Verdicts on FPD, the example of the DRS paper."""

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from app.planning.gates.answers import judge_described
from app.planning.gates.schemas import GateAnswer, GateRequest


def judge_fpd(rate_factor: float = 1.0) -> GateAnswer:
    """The verdict at a multiple of the measured rate."""
    request = {"topology": FPD, "load": FPD_LOAD, "rate_factor": rate_factor}
    return judge_described(GateRequest.model_validate(request | {"t_max_seconds": 0.5}))
