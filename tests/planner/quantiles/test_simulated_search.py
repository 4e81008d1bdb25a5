"""Plans that simulations decide on: they hold, fewer do not, and stricter targets never cost fewer processors."""

from dataclasses import replace

from planner.quantiles.search import DrawnTrial, Fewest
from planner.quantiles.simulated_search import SimulatedTrial, search_simulated
from planner.quantiles.simulator import Simulator, make_simulator
from planner.quantiles.spread import draw_roots
from planner.situations.situation import survey_load
from planner.values import Edge, Load, Operator, OperatorLoad, TimeTarget, Topology
from tests.planner.plan_cases import PAIR, load_pair

TURNS = replace(PAIR, operators=tuple(one._replace(queueing="round-robin") for one in PAIR.operators))
TARGET = TimeTarget("completion", 2.5, 0.99)


BATCHES = Topology((Operator("a"), Operator("b")), (Edge("a", "b", 20.0),))
BATCHES_LOAD = Load(100.0, {"a": OperatorLoad(20.0), "b": OperatorLoad(45.0)})


def search(
    topology: Topology,
    seconds: float,
    load: Load = load_pair(),  # noqa: B008
    quantile: float = 0.99,
) -> tuple[Fewest, Simulator]:
    target = replace(TARGET, seconds=seconds, quantile=quantile)
    situation = survey_load(topology, load, "ggk-whitt", is_open=True)
    draw = draw_roots(situation, 4_000).draw
    assert draw is not None
    ladder = DrawnTrial(situation, draw, target)
    simulator = make_simulator(situation, target, 6_000, 1)
    assert simulator is not None
    return search_simulated(SimulatedTrial(ladder, simulator)), simulator


def test_a_plan_holds_in_simulation_and_hardly_any_split_of_one_fewer_does():
    for topology in (PAIR, TURNS):
        found, simulator = search(topology, 2.5)
        assert found.is_tight
        assert simulator.run(found.counts).bound_seconds <= 2.5
        total = sum(found.counts)
        fewer = [(a, total - 2 - a) for a in range(4, total - 6)]
        assert all(simulator.run(counts).bound_seconds > 2.5 for counts in fewer)


def test_where_tuples_come_together_and_wait_longer_than_modelled_processors_are_added_until_the_target_holds():
    totals = []
    for seconds in (0.4, 0.5):
        found, simulator = search(BATCHES, seconds, BATCHES_LOAD)
        assert simulator.run(found.counts).bound_seconds <= seconds
        totals.append(sum(found.counts))
    assert totals == sorted(totals, reverse=True)


def test_a_target_that_no_number_of_processors_holds_ends_with_processors_that_are_not_tight():
    """The batches alone take longer, and the draw does not show that."""
    found, simulator = search(BATCHES, 0.305, BATCHES_LOAD)
    assert simulator.run(found.counts).bound_seconds > 0.305
    assert not found.is_tight


def test_stricter_targets_and_higher_quantiles_never_cost_less():
    for topology, seconds in ((PAIR, 2.05), (TURNS, 2.3)):
        totals = [
            [
                sum(search(topology, by * seconds, quantile=level)[0].counts)
                for by in (1.0, 1.07, 1.1, 1.3, 1.8)
            ]
            for level in (0.95, 0.98, 0.99)
        ]
        for row in totals:
            assert row == sorted(row, reverse=True)
        for column in zip(*totals, strict=True):
            assert list(column) == sorted(column)
        assert totals[-1][0] > totals[0][-1]


def test_where_bounds_allow_no_more_the_answer_is_what_they_allow():
    topology = replace(PAIR, operators=(Operator("a", max_processors=4), Operator("b/c~d", max_processors=6)))
    situation = survey_load(topology, load_pair(), "ggk-whitt", is_open=True)
    draw = draw_roots(situation, 10_000).draw
    assert draw is not None
    best = DrawnTrial(situation, draw, TARGET).measure((4, 6))
    found, simulator = search(topology, 0.95 * best)
    assert found.counts == [4, 6]
    assert not found.is_tight
    assert simulator.run([4, 6]).bound_seconds > 0.95 * best
