"""A small simulation, as a body and as the job that is made of it."""

import json
from typing import Any

from app.jobs.simulations.gathering import describe_job
from app.jobs.simulations.schemas import SimulationJob, SimulationRequest

CHAIN: dict[str, Any] = {
    "topology": {
        "operators": [{"name": "parse"}, {"name": "score", "queueing": "round-robin"}],
        "edges": [{"source": "parse", "target": "score", "selectivity": 2.0}],
    },
    "load": {
        "external_rate": 100.0,
        "operators": {
            "parse": {"service_rate": 40.0, "service_scv": 1.0, "processors": 4},
            "score": {"service_rate": 30.0, "processors": 8},
        },
    },
    "roots": 20_000,
    "seed": 7,
}
BURSTS = {"kind": "mmpp", "burst_ratio": 2.0, "burst_share": 0.2, "mean_burst_seconds": 4.0}
MOST_EVENTS = 10_000_000


def make_simulation_job(**changes: Any) -> SimulationJob:
    """The job of that body, changed in these fields."""
    body = SimulationRequest.model_validate_json(json.dumps(CHAIN | changes))
    return describe_job(body, MOST_EVENTS)


def without_seconds(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer without the time that the simulation took, which no seed decides."""
    return {name: value for name, value in answer.items() if name != "seconds"}
