"""Plans that simulations decide on: they hold, fewer do not, and stricter targets never cost fewer processors."""

from dataclasses import replace

from planner.quantiles.search import DrawnTrial, Fewest
from planner.quantiles.simulated_search import SimulatedTrial, search_simulated
from planner.quantiles.simulator import Simulator, make_simulator
from planner.quantiles.spread import draw_roots
from planner.situations.situation import survey_load
from planner.values import Edge, Load, Operator, OperatorLoad, TimeTarget, Topology
from tests.planner.plan_cases import PAIR, list_neighbours, load_pair

TURNS = replace(PAIR, operators=tuple(one._replace(queueing="round-robin") for one in PAIR.operators))
TARGET = TimeTarget("completion", 2.5, 0.99)


BATCHES = Topology((Operator("a"), Operator("b")), (Edge("a", "b", 20.0),))
BATCHES_LOAD = Load(100.0, {"a": OperatorLoad(20.0), "b": OperatorLoad(45.0)})


def search(topology: Topology, seconds: float, load: Load = load_pair()) -> tuple[Fewest, Simulator]:  # noqa: B008
    target = replace(TARGET, seconds=seconds)
    situation = survey_load(topology, load, "ggk-whitt", is_open=True)
    draw = draw_roots(situation, 10_000).draw
    assert draw is not None
    ladder = DrawnTrial(situation, draw, target)
    simulator = make_simulator(situation, target, 20_000, 1)
    assert simulator is not None
    return search_simulated(SimulatedTrial(ladder, simulator)), simulator


def test_a_plan_holds_in_simulation_and_no_neighbour_with_one_fewer_does():
    for topology in (PAIR, TURNS):
        found, simulator = search(topology, 2.5)
        assert found.is_tight
        assert simulator.run(found.counts).bound_seconds <= 2.5
        neighbours = list_neighbours(found.counts)
        assert {sum(counts) for counts in neighbours} == {sum(found.counts) - 1}
        assert all(simulator.run(counts).bound_seconds > 2.5 for counts in neighbours)


def test_where_tuples_come_together_and_wait_longer_than_modelled_processors_are_added_until_the_target_holds():
    totals = []
    for seconds in (0.36, 0.4, 0.5):
        found, simulator = search(BATCHES, seconds, BATCHES_LOAD)
        assert simulator.run(found.counts).bound_seconds <= seconds
        assert all(simulator.run(fewer).bound_seconds > seconds for fewer in list_neighbours(found.counts))
        totals.append(sum(found.counts))
    assert totals == sorted(totals, reverse=True)


def test_a_target_that_no_number_of_processors_holds_ends_with_processors_that_are_not_tight():
    """The batches alone take longer, and the draw does not show that."""
    found, simulator = search(BATCHES, 0.305, BATCHES_LOAD)
    assert simulator.run(found.counts).bound_seconds > 0.305
    assert not found.is_tight


def test_a_stricter_target_never_costs_less():
    for topology in (PAIR, TURNS):
        totals = [sum(search(topology, seconds)[0].counts) for seconds in (2.05, 2.3, 2.32, 2.36, 3.0, 4.0)]
        assert totals == sorted(totals, reverse=True)
        assert totals[0] > totals[-1]


def test_where_bounds_allow_no_more_the_answer_is_what_they_allow():
    topology = replace(PAIR, operators=(Operator("a", max_processors=4), Operator("b/c~d", max_processors=6)))
    situation = survey_load(topology, load_pair(), "ggk-whitt", is_open=True)
    draw = draw_roots(situation, 10_000).draw
    assert draw is not None
    best = DrawnTrial(situation, draw, TARGET).measure((4, 6))
    found, simulator = search(topology, best)
    assert found.counts == [4, 6]
    assert simulator.run([4, 6]).bound_seconds > best
