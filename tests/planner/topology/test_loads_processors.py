"""The processors that an answer is asked for."""

import pytest

from planner.errors import InvalidAllocation
from planner.topology.loads import find_counts
from tests.planner.plan_cases import PAIR, load_pair


def test_processors_stand_in_the_order_of_the_topology_and_come_from_the_load_when_none_are_given() -> None:
    assert find_counts(PAIR, load_pair(), None) == [4, 5]
    assert find_counts(PAIR, load_pair(), {"b/c~d": 7, "a": 6}) == [6, 7]


@pytest.mark.parametrize("processors", [{"a": 4}, {}])
def test_missing_processors_are_named_all_at_once(processors: dict[str, int]) -> None:
    with pytest.raises(InvalidAllocation) as caught:
        find_counts(PAIR, load_pair(), processors)
    for name in {"a", "b/c~d"} - processors.keys():
        assert name in str(caught.value)


@pytest.mark.parametrize("count", [0, -1, 1_000_000_001])
def test_processors_outside_one_to_a_billion_are_refused_with_their_pointer(count: int) -> None:
    with pytest.raises(InvalidAllocation) as caught:
        find_counts(PAIR, load_pair(), {"a": 4, "b/c~d": count})
    assert caught.value.pointer == "/b~1c~0d"


def test_processors_of_a_stranger_are_refused_with_their_pointer() -> None:
    with pytest.raises(InvalidAllocation, match="'x'") as caught:
        find_counts(PAIR, load_pair(), {"a": 4, "b/c~d": 5, "x": 1})
    assert caught.value.pointer == "/x"
