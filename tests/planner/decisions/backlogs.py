"""Three operators in a loop, with tuples that wait."""

from collections.abc import Mapping, Sequence

from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology

# parse emits two tuples of which store gets one; half of what store sends comes back to parse.
TOPOLOGY = Topology(
    (Operator("parse"), Operator("store"), Operator("out")),
    (Edge("parse", "store", 1.5), Edge("store", "parse", 0.2), Edge("store", "out", 0.5)),
    (Entry("parse"),),
)
SERVICE = {"parse": 20.0, "store": 40.0, "out": 80.0}
NAMES = tuple(SERVICE)


def load_of(waiting: Mapping[str, float | None], rate: float = 50.0, runs: Sequence[int] = (6, 5, 2)) -> Load:
    operators = {
        name: OperatorLoad(SERVICE[name], processors=count, backlog_tuples=waiting.get(name))
        for name, count in zip(NAMES, runs, strict=True)
    }
    return Load(rate, operators)
