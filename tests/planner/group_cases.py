"""Random topologies with a keyed operator that deals out whole groups, and the true load of its busiest instance."""

from dataclasses import dataclass
from random import Random

from planner.errors import PlannerError
from planner.plans.optimal import min_latency, min_processors
from planner.plans.quantile import min_processors_within
from planner.values import (
    Edge,
    InstanceLoad,
    Load,
    Operator,
    OperatorLoad,
    Plan,
    TimeTarget,
    Topology,
)

KINDS = ("unmeasured", "even", "groups", "instances", "fewer instances")
"""What is measured of the shares; with `fewer instances` the groups that one instance held are not told apart."""
OBJECTIVES = ("latency", "processors", "quantile")


@dataclass(frozen=True)
class GroupCase:
    """A topology whose operator `keyed` deals out groups of these true weights, under a load, and what is asked."""

    topology: Topology
    load: Load
    weights: tuple[float, ...]
    kind: str
    objective: str
    most: int

    def plan(self) -> Plan | None:
        """The plan; None where bounds or keys allow none."""
        budget = sum(round(one.arrival_rate or 0) for one in self.load.operators.values())
        least = sum(1.0 / (one.service_rate or 1.0) for one in self.load.operators.values())
        try:
            if self.objective == "latency":
                return min_latency(self.topology, self.load, self.most + budget // 4)
            if self.objective == "processors":
                return min_processors(self.topology, self.load, 3.0 * least)
            limit = TimeTarget("total", 9.0 * least, 0.95)
            return min_processors_within(self.topology, self.load, limit, roots=2_000)
        except PlannerError:
            return None

    def find_busiest(self, count: int) -> float:
        """How busy the busiest of `count` instances is when groups are dealt out whole, one after the other."""
        held, operator, measured = [0.0] * count, self.topology.operators[1], self.load.operators["keyed"]
        for group, weight in enumerate(self.weights):
            in_turn = operator.group_assignment == "round-robin"
            held[group % count if in_turn else group * count // len(self.weights)] += weight
        assert measured.arrival_rate is not None
        assert measured.service_rate is not None
        return max(held) / sum(held) * measured.arrival_rate / measured.service_rate


def draw_case(seed: int, kind: str, objective: str) -> GroupCase:
    """A case: 6 to 128 groups, and a rate that a number of instances up to the number of groups serves."""
    draw = Random(f"{seed} {kind} {objective}")
    number, rule = draw.randint(6, 128), draw.choice(["contiguous", "round-robin", None])
    skew = draw.choice([0.3, 0.8]) if kind in {"groups", "instances", "fewer instances"} else 0.0
    weights = [draw.lognormvariate(0.0, skew) if skew else 1.0 for _ in range(number)]
    weights = [one / sum(weights) for one in weights]
    service, aim = draw.uniform(10.0, 50.0), draw.randint(1, number)
    rate = draw.uniform(0.5, 0.97) * service * min(float(aim), 1.0 / max(weights))
    measured = OperatorLoad(service, rate, draw.choice([0.5, 1.0, 2.0]), 1.0)
    at = number if kind == "instances" else draw.randint(1, number)
    if kind == "groups":
        measured = measured._replace(group_shares=tuple(weights))
    elif kind != "unmeasured":
        held = [0.0] * at
        for group, weight in enumerate(weights):
            held[group % at if rule == "round-robin" else group * at // number] += weight
        instances = [InstanceLoad(f"keyed-{place}", share) for place, share in enumerate(held)]
        measured = measured._replace(
            instances=tuple(sorted(instances, key=lambda one: -one.share)), processors=at
        )
    operators = (
        Operator("source", queueing="round-robin"),
        Operator("keyed", queueing="keyed", max_parallelism=number, group_assignment=rule),
        Operator("sink", queueing="shared"),
    )
    loads = {"source": OperatorLoad(90.0, rate), "keyed": measured, "sink": OperatorLoad(70.0, rate)}
    most = draw.randint(4, number + 40)
    topology = Topology(operators, (Edge("source", "keyed"), Edge("keyed", "sink")))
    return GroupCase(topology, Load(rate, loads), tuple(weights), kind, objective, most)
