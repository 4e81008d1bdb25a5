"""Threads on VMs: nothing is lost, no VM is overfull, and what can stay stays."""

from collections import Counter
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from planner.fleet.spread import Occupancy, Tenant, Thread, spread
from planner.placements.mappers.mapping import Vm

VMS = [Vm("v1", 4), Vm("v2", 4), Vm("v3", 2)]


def tenant(name: str, count: int, **running: int) -> Tenant:
    """A topology of one operator with so many threads, which run on these VMs now."""
    return Tenant(name, [{"a": 1}] * count, {"a": running})


def place(*tenants: Tenant, vms: Sequence[Vm] = VMS) -> tuple[Occupancy, int]:
    found = spread(tenants, vms)
    return found, found.count_moves(tenants)


def test_what_runs_stays_and_what_is_new_goes_where_its_topology_is():
    found, moves = place(tenant("t", 3, v1=2), tenant("u", 3, v2=3))
    assert moves == 0
    assert found.threads["v1"] == {Thread("t", "a"): 3}
    assert found.threads["v2"] == {Thread("u", "a"): 3}


def test_what_is_given_up_empties_a_vm():
    found, moves = place(tenant("t", 4, v1=3, v3=2), tenant("u", 1, v1=1))
    assert moves == 0
    assert found.threads["v3"] == {Thread("t", "a"): 1}
    assert place(tenant("t", 3, v1=3, v3=2))[0].free["v3"] == 2


def test_threads_of_a_lost_vm_move_and_others_do_not():
    found, moves = place(tenant("t", 4, v1=2, v2=2), tenant("u", 2, v3=2), vms=VMS[1:])
    assert moves == 2
    assert found.unplaced == 0
    assert found.threads["v3"] == {Thread("u", "a"): 2}


def test_a_bundle_stays_where_most_of_its_threads_are():
    mixed = Tenant("t", [{"a": 2, "b": 3}], {"a": {"v1": 2}, "b": {"v2": 3}})
    found, moves = place(mixed)
    assert (found.threads["v2"], moves) == ({Thread("t", "a"): 2, Thread("t", "b"): 3}, 2)


@given(
    counts=st.lists(st.integers(0, 4), min_size=1, max_size=5),
    where=st.lists(st.sampled_from(["v1", "v2", "v3", "gone"]), max_size=10),
)
def test_all_threads_have_a_slot_while_there_are_any(*, counts: list[int], where: list[str]):
    running = [Counter(where[i :: len(counts)]) for i in range(len(counts))]
    tenants = [
        tenant(f"t{i}", count, **one) for i, (count, one) in enumerate(zip(counts, running, strict=True))
    ]
    found, moves = place(*tenants)
    placed = sum((Counter(here) for here in found.threads.values()), Counter[Thread]())
    assert sum(placed.values()) + found.unplaced == sum(counts)
    assert found.unplaced == max(sum(counts) - 10, 0)
    assert all(free >= 0 for free in found.free.values())
    fits = all(sum(one[vm.name] for one in running) <= vm.slots for vm in VMS)
    if fits and not found.unplaced:
        must = sum(
            max(min(count, sum(one.values())) - sum(one[vm.name] for vm in VMS), 0)
            for count, one in zip(counts, running, strict=True)
        )
        assert moves == must, "only threads of the VM that is gone move"
