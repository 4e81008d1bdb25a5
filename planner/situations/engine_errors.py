"""How far E[T] was from what jobs on real engines measured of themselves: the mean relative |error|, by engine.

`ENGINES_WRITE=1 make bench BENCH=engine_truth` runs the jobs and writes the numbers here. Services all take equally
long, vary as random ones do, or a few are very long; keys are even, or tuples are dealt in turn.
"""

from collections.abc import Mapping
from typing import NamedTuple

from planner.values import Load

ASSUMED, ESTIMATED, KNOWN = "services assumed", "services estimated", "services known"
"""What was known of how services vary: nothing, so that 1 was taken; an estimate; or what the owner said."""


class EngineRuns(NamedTuple):
    """How many jobs ran on an engine, and the error of E[T] by what was known of their services."""

    jobs: int
    errors: Mapping[str, float]


ENGINE_ERRORS: Mapping[str, EngineRuns] = {
    "flink": EngineRuns(
        jobs=12,
        errors={"services assumed": 0.402, "services estimated": 0.154, "services known": 0.102},
    ),
}


def find_engine_error(load: Load) -> float | None:
    """The known error of E[T] by the load that an engine measured, by what is known of its services at worst.

    None for loads of no engine, and of engines of which no such jobs could be run.
    """
    runs = ENGINE_ERRORS.get(load.engine)
    if runs is None:
        return None
    measured = load.operators.values()
    if any(one.service_scv is None for one in measured):
        return runs.errors[ASSUMED]
    return runs.errors[ESTIMATED if any(one.scv_estimate for one in measured) else KNOWN]
