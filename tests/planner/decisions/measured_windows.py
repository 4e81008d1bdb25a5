"""Windows of measured intervals, and decisions made on them."""

from collections.abc import Mapping, Sequence
from typing import Any

from planner.calibration.modelled_waits import Interval
from planner.decisions.compose import Decision
from planner.decisions.policy import Policy
from planner.topology.smoothing import smooth_window
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology
from tests.planner.decisions.asked import decide

ONE = Topology((Operator("serve"),), (), (Entry("serve"),))
PAIR = Topology((Operator("parse"), Operator("score")), (Edge("parse", "score"),), (Entry("parse"),))
NAMES = ("parse", "score")
SERVICE = {"parse": 20.0, "score": 25.0}
SERVICE_SECONDS = 0.09


def observe(
    rate: float, measured: float | None, rates: Mapping[str, float], running: Sequence[int | None]
) -> Load:
    operators = {
        name: OperatorLoad(mu, processors=count)
        for (name, mu), count in zip(rates.items(), running, strict=True)
    }
    return Load(rate, operators, measured)


def decide_on(
    topology: Topology, loads: Sequence[Load], running: Sequence[int], policy: Policy, **options: Any
) -> Decision:
    load, _ = smooth_window(loads, len(loads))
    newest = max(loads[-1].external_rate, options.pop("newest_rate", 0.0))
    intervals = [Interval(one) for one in loads]
    return decide(topology, load, running, policy, newest_rate=newest, intervals=intervals, **options)


def total(decision: Decision) -> int:
    return decision.recommended.processors_total


def codes(decision: Decision) -> list[str]:
    return [one.code for one in (*decision.reasons, *decision.constraints)]
