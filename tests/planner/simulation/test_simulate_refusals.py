"""What a simulation refuses, and the place to change that it names."""

import pytest

from planner.errors import InvalidAllocation, InvalidLoad, InvalidTopology, PlannerError, SimulationTooLarge
from planner.simulation.arrivals import ArrivalLaw
from planner.simulation.laws import ServiceLaw
from planner.simulation.simulate import simulate
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology
from tests.planner.simulation.systems import (
    build_one,
    build_row,
    load_one,
    simulate_one,
)


@pytest.mark.parametrize(
    ("more", "refused", "place"),
    [
        ({"roots": 0}, InvalidLoad, "/roots"),
        ({"seed": -1}, InvalidLoad, "/seed"),
        ({"levels": (0.5, 1.0)}, InvalidLoad, "/levels/1"),
        ({"levels": (0.0,)}, InvalidLoad, "/levels/0"),
        ({"warm_up_share": 1.0}, InvalidLoad, "/warm_up_share"),
        ({"services": {"b": ServiceLaw("exponential", 1.0)}}, InvalidLoad, "/services/b"),
        ({"services": {"a": ServiceLaw("weibull", 1.0)}}, InvalidLoad, "/services/a/kind"),
        ({"capacities": {"a": -1}}, InvalidLoad, "/capacities/a"),
        ({"capacities": {"x~/": 1}}, InvalidLoad, "/capacities/x~0~1"),
        ({"arrivals": ArrivalLaw("weekly")}, InvalidLoad, "/arrivals/kind"),
    ],
)
def test_bad_arguments_are_refused_with_the_place_to_change(
    more: dict[str, object], refused: type[PlannerError], place: str
):
    with pytest.raises(refused) as caught:
        simulate_one(0.5, **{"roots": 10, **more})  # type: ignore[arg-type]
    assert getattr(caught.value, "place", None) == place


@pytest.mark.parametrize(
    ("roots", "processors", "selectivity", "unit", "argument"),
    [
        (10**9, 1, 1.0, "roots", "roots"),
        (10**7, 1, 100.0, "events", "roots"),
        (100, 10**7, 1.0, "processors", "processors"),
        (1, 1, 1e9, "events", "roots"),
    ],
)
def test_a_simulation_too_large_is_refused_before_it_begins(
    roots: int, processors: int, selectivity: float, unit: str, argument: str
):
    load = Load(1.0, {"a": OperatorLoad(1.0), "b": OperatorLoad(1.0)})
    with pytest.raises(SimulationTooLarge) as caught:
        simulate(build_row(["shared"] * 2, selectivity), load, {"a": processors, "b": 1}, roots=roots)
    assert (caught.value.unit, caught.value.argument) == (unit, argument)
    assert caught.value.number > caught.value.limit


def test_a_rare_tuple_with_too_many_children_is_refused():
    topology = Topology((Operator("a"), Operator("b")), (Edge("a", "b", 1e9),), (Entry("a", 1e-9),))
    load = Load(1.0, {"a": OperatorLoad(1.0), "b": OperatorLoad(1.0)})
    with pytest.raises(SimulationTooLarge, match="at once"):
        simulate(topology, load, {"a": 1, "b": 1}, roots=10)


def test_what_contradicts_itself_is_refused_as_in_estimates():
    with pytest.raises(InvalidAllocation):
        simulate(build_one(), load_one(1.0), None, roots=10)
    with pytest.raises(InvalidLoad, match="no tuple arrives"):
        simulate(build_one(), load_one(0.0), {"a": 1}, roots=10)
    with pytest.raises(InvalidTopology, match="queueing"):
        simulate(build_one("lottery"), load_one(1.0), {"a": 1}, roots=10)


@pytest.mark.parametrize(
    ("rate", "arrivals", "place"),
    [
        (1e-14, ArrivalLaw(), "/load/external_rate"),
        (1.0, ArrivalLaw("series", counts=(0, 5), interval_seconds=1e30), "/arrivals/interval_seconds"),
    ],
)
def test_a_stream_so_long_that_services_are_lost_in_rounding_is_refused(
    rate: float, arrivals: ArrivalLaw, place: str
):
    with pytest.raises(InvalidLoad, match="rounded times cannot show") as caught:
        simulate_one(rate, roots=10, arrivals=arrivals)
    assert caught.value.place == place
