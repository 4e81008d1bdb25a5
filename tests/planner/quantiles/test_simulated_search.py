"""Plans that simulations decide on: they hold, fewer do not, and stricter targets never cost fewer processors."""

from dataclasses import replace

from planner.quantiles.search import DrawnTrial, Fewest
from planner.quantiles.simulated_search import SimulatedTrial, Simulator, make_simulator, search_simulated
from planner.quantiles.spread import draw_roots
from planner.situations.situation import survey_load
from planner.values import Operator, TimeTarget, Topology
from tests.planner.plan_cases import PAIR, load_pair

TURNS = replace(PAIR, operators=tuple(one._replace(queueing="round-robin") for one in PAIR.operators))
TARGET = TimeTarget("completion", 2.5, 0.99)


def search(topology: Topology, seconds: float) -> tuple[Fewest, Simulator]:
    target, load = replace(TARGET, seconds=seconds), load_pair()
    situation = survey_load(topology, load, "ggk-whitt", is_open=True)
    draw = draw_roots(situation, 10_000).draw
    assert draw is not None
    ladder = DrawnTrial(situation, draw, target)
    simulator = make_simulator(situation, target, ladder.floors, 20_000, 1)
    assert simulator is not None
    return search_simulated(SimulatedTrial(ladder, simulator)), simulator


def test_a_plan_holds_in_simulation_and_the_next_smaller_one_does_not():
    for topology in (PAIR, TURNS):
        found, simulator = search(topology, 2.5)
        assert simulator.run(found.counts).bound_seconds <= 2.5
        fewer = [[count - (i == j) for j, count in enumerate(found.counts)] for i in range(len(found.counts))]
        assert all(simulator.run(counts).bound_seconds > 2.5 for counts in fewer)


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
