"""The rate that a mapping sustains: by hand, and at the edge of what its slots keep up with."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.placements.errors import InvalidMapping
from planner.placements.mappers.mapping import ThreadMapping
from planner.placements.place import Placement, Rules, place_loads
from planner.placements.sustained_rate import Prediction, Route, predict, route_shuffled, route_slot_aware
from planner.placements.thread_allocation import TaskLoad, allocate_mba
from tests.planner.placements.examples import TWO, map_by_hand, read_rate
from tests.planner.placements.random_loads import MAPPERS, MARKET, any_loads, count_threads, external_rate_of


def test_a_mapping_by_hand_is_predicted_under_both_routings() -> None:
    loads = [TaskLoad("work", 30.0, 2.0, TWO)]
    mapping = map_by_hand({"work": 2}, {"work": 1})
    # Slot-aware: 12 + 10 at 2 visits each. Shuffled: the two together sustain 6/s each, so three 18/s.
    assert predict(loads, mapping, route_slot_aware).rate == pytest.approx(11.0)
    assert predict(loads, mapping, route_shuffled).rate == pytest.approx(9.0)


def test_usage_is_that_of_the_rate_that_runs() -> None:
    loads = [TaskLoad("work", 6.0, 1.0, TWO)]
    found = predict(loads, map_by_hand({"work": 2}, {"work": 1}), route_shuffled, 6.0)
    two, one = found.vms[0].slots
    assert (two.cpu, two.memory) == (0.6, 0.3)
    assert (one.cpu, one.memory) == pytest.approx((0.5 * 2 / 10, 0.2 * 2 / 10))  # a third of 6/s, of 10/s
    assert found.vms[0].cpu == pytest.approx(0.7)


def test_the_binding_task_is_the_first_of_the_weakest() -> None:
    loads = [TaskLoad(name, 1.0, visits, TWO) for name, visits in (("a", 1.0), ("b", 2.0), ("c", 2.0))]
    found = predict(loads, map_by_hand({"a": 1, "b": 1, "c": 1}), route_shuffled)
    assert (found.binding_task, found.rate) == ("b", 5.0)


def test_what_no_profile_measures_is_said() -> None:
    found = predict(
        [TaskLoad("a", 1.0, 1.0, TWO), TaskLoad("b", 1.0, 1.0, TWO)],
        map_by_hand({"a": 3, "b": 1}),
        route_shuffled,
    )
    assert [(one.code, one.operators) for one in found.diagnostics] == [
        ("beyond-profile", ("a",)),
        ("mixed-slots", ()),
    ]


@pytest.mark.parametrize(
    ("slots", "pointer"),
    [
        (({"work": 1}, {"wrok": 1}), "/vms/0/slots/1/threads"),
        (({"work": 0},), "/vms/0/slots/0/threads"),
        (({},), "/vms"),
    ],
)
def test_a_mapping_that_does_not_fit_the_topology_is_refused(
    slots: tuple[dict[str, int], ...], pointer: str
) -> None:
    with pytest.raises(InvalidMapping) as refused:
        predict([TaskLoad("work", 1.0, 1.0, TWO)], map_by_hand(*slots), route_shuffled)
    assert refused.value.pointer == pointer


def place_by(loads: list[TaskLoad], mapper: str, route: Route) -> Placement:
    """A placement by the allocation MBA and this mapper, with new VMs of every size to buy."""
    return place_loads(loads, external_rate_of(loads), MARKET, Rules(allocate_mba, MAPPERS[mapper], route))


@given(any_loads(), st.sampled_from(sorted(MAPPERS)))
def test_shuffling_sustains_no_more_than_routing_that_knows_the_slots(
    loads: list[TaskLoad], mapper: str
) -> None:
    placed = place_by(loads, mapper, route_slot_aware)
    shuffled = predict(loads, placed.mapping, route_shuffled)
    aware = predict(loads, placed.mapping, route_slot_aware)
    assert read_rate(shuffled) <= read_rate(aware) * (1 + 1e-12)


def find_overloads(loads: Sequence[TaskLoad], mapping: ThreadMapping, rate: float) -> int:
    """Slots that receive more of a task than its threads there sustain, with an equal share to each thread."""
    totals = count_threads(mapping)
    overloaded = 0
    for load in loads:
        for vm in mapping.vms:
            for slot in vm.slots:
                count = slot.threads.get(load.name, 0)
                arriving = rate * load.visits * count / totals[load.name]
                overloaded += count > 0 and arriving > load.profile.interpolate(count).peak_rate
    return overloaded


@given(any_loads(), st.sampled_from(sorted(MAPPERS)))
def test_at_the_predicted_rate_every_slot_keeps_up_and_above_it_one_does_not(
    loads: list[TaskLoad], mapper: str
) -> None:
    placed = place_by(loads, mapper, route_shuffled)
    rate = read_rate(placed.prediction)
    assert find_overloads(loads, placed.mapping, rate * (1 - 1e-9)) == 0
    assert find_overloads(loads, placed.mapping, rate * (1 + 1e-9)) > 0


@pytest.mark.parametrize(
    ("sustained", "asked", "meets"),
    [(9.0, 9.0, True), (9.0, 8.0, True), (9.0, 9.1, False), (9.0, None, None), (None, 9.0, None)],
)
def test_a_rate_is_met_up_to_the_one_sustained(
    sustained: float | None, asked: float | None, *, meets: bool | None
):
    assert Prediction(sustained, None, (), (), ()).meets(asked) is meets
