"""What a measured total leaves over for operators whose waits are not measured."""

from dataclasses import replace
from typing import Any

import pytest

from planner.calibration.modelled_waits import Interval, model_intervals, see_rest
from planner.calibration.shrunk_ratio import SeenWait
from planner.situations.situation import estimate
from planner.values import Edge, Load, Operator, OperatorLoad, Topology

FORK = Topology(
    (Operator("a"), Operator("b"), Operator("c")), (Edge("a", "b", 2.0), Edge("a", "c", 0.5), Edge("b", "c"))
)
LOAD = Load(
    40.0,
    {
        "a": OperatorLoad(10.0, processors=5, measured_wait_seconds=0.02),
        "b": OperatorLoad(20.0, processors=5),
        "c": OperatorLoad(25.0, processors=5),
    },
    measured_sojourn_seconds=1.0,
)


def see(load: Load) -> SeenWait | None:
    (modelled,) = model_intervals(FORK, LOAD, [Interval(load, seconds=60.0)], "ggk-whitt")
    return see_rest(modelled, [1, 2])


def change(operator: str, **fields: Any) -> Load:
    changed = {**LOAD.operators, operator: LOAD.operators[operator]._replace(**fields)}
    return replace(LOAD, operators=changed)


def test_the_rest_is_what_services_and_known_waits_leave():
    seen = see(LOAD)
    assert seen is not None
    # Visits are 1, 2 and 2.5.
    services = 1.0 / 10.0 + 2.0 / 20.0 + 2.5 / 25.0
    assert seen.measured_seconds == pytest.approx(1.0 - services - 0.02, rel=1e-12)
    _, b, c = estimate(FORK, LOAD).operators
    assert seen.modelled_seconds == pytest.approx(
        2.0 * (b.wait_seconds or 0.0) + 2.5 * (c.wait_seconds or 0.0), rel=1e-12
    )
    assert 0.0 < seen.noise < 1.0
    short = see(replace(LOAD, measured_sojourn_seconds=0.1))
    assert short is not None
    assert short.measured_seconds == 0.0


@pytest.mark.parametrize(
    "load",
    [
        replace(LOAD, measured_sojourn_seconds=None),
        change("b", processors=None),
        change("b", processors=4),  # cannot keep up
        change("a", measured_wait_seconds=None),  # measured in other intervals
        replace(LOAD, external_rate=10.0),  # hardly any wait
    ],
)
def test_what_tells_nothing_of_the_rest(load: Load):
    assert see(load) is None
