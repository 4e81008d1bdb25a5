"""A topology under loads, for the tests of the gates room."""

from collections.abc import Mapping
from itertools import pairwise

from hypothesis import strategies as st

from planner.gates.verdict import Verdict
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, TimeTarget, Topology

FPD = Topology(
    (Operator("generator"), Operator("detector", stateful=True), Operator("reporter")),
    (
        Edge("generator", "detector", 4.0),
        Edge("detector", "detector", 0.1),
        Edge("detector", "reporter", 0.05),
    ),
    (Entry("generator"),),
)


RUNNING = {"generator": 6, "detector": 13, "reporter": 3}


def measure(external_rate: float = 320.0, processors: Mapping[str, int | None] = RUNNING) -> Load:
    rates = {"generator": 80.0, "detector": 130.0, "reporter": 40.0}
    return Load(
        external_rate,
        {
            name: OperatorLoad(mu, service_scv=1.3, processors=processors.get(name))
            for name, mu in rates.items()
        },
    )


@st.composite
def cases(draw: st.DrawFn) -> tuple[Topology, Load]:
    """Up to four operators, edges forward and one that may lead back; any may lack its processors."""
    names = "abcd"[: draw(st.integers(1, 4))]
    share = st.floats(0.1, 2.0)
    edges = [Edge(one, other, draw(share)) for one, other in pairwise(names)]
    if draw(st.booleans()):
        edges.append(Edge(names[0], names[0], draw(st.floats(0.0, 0.8))))
    bounded = draw(st.sampled_from([None, None, 3]))
    topology = Topology(
        tuple(Operator(name, max_processors=bounded) for name in names), tuple(edges), (Entry(names[0]),)
    )
    load = Load(
        draw(st.floats(0.5, 100.0)),
        {
            name: OperatorLoad(
                draw(st.floats(1.0, 50.0)),
                arrival_scv=draw(st.sampled_from([None, 0.0, 2.5])),
                service_scv=draw(st.floats(0.0, 4.0)),
                processors=draw(st.integers(1, 12)),
            )
            for name in names
        },
    )
    return topology, load


def names_failed(verdict: Verdict) -> list[str]:
    return [check.name for check in verdict.checks if not check.passed]


def within(t_max_seconds: float | None) -> TimeTarget | None:
    """The limit of E[T]; None where there is none."""
    return None if t_max_seconds is None else TimeTarget("total", t_max_seconds)
