"""An owner's bounds: on top of the topology's own, and no more processors than key groups."""

from hypothesis import given
from hypothesis import strategies as st

from planner.decisions.policy import Policy, bound_topology
from planner.decisions.state_migration import State
from planner.values import Edge, Entry, Operator, Topology

LEAST = st.integers(1, 9)
MOST = st.one_of(st.none(), st.integers(1, 30))


@given(LEAST, MOST, LEAST, MOST, MOST)
def test_a_number_is_allowed_where_topology_policy_and_key_groups_all_allow_it(
    least: int, most: int | None, policy_least: int, policy_most: int | None, key_groups: int | None
):
    topology = Topology((Operator("one", True, least, most), Operator("other")), (Edge("one", "other"),))  # noqa: FBT003
    states = {"one": State(key_groups)} if key_groups else {}
    policy = Policy(k_max=9, bounds={"one": (policy_least, policy_most)}, states=states)
    bounded, other = bound_topology(topology, policy).operators
    for count in range(1, 32):
        allowed = (
            max(least, policy_least)
            <= count
            <= min(one for one in (most, policy_most, key_groups, 99) if one is not None)
        )
        ceiling = bounded.max_processors
        assert (bounded.min_processors <= count and (ceiling is None or count <= ceiling)) == allowed
    assert other == Operator("other")


def test_everything_else_of_the_topology_stays():
    topology = Topology((Operator("a"), Operator("b")), (Edge("a", "b", 2.0),), (Entry("a", 0.5),))
    assert bound_topology(topology, Policy(k_max=4)) == topology
