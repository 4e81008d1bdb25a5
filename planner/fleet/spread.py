"""Which VM holds which threads of a fleet, so that few of those that run must move?

Every topology keeps threads where they run, as far as it keeps them and the VM has slots. What it gives up, it gives up
first where little runs, so that VMs become empty. What is new goes to a VM on which the topology has threads already,
else to the fullest VM with a free slot.
"""

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from planner.fleet.footprint import Bundle
from planner.placements.mappers.mapping import Vm

Where = Mapping[str, int]
"""Threads by the name of a VM."""


class Tenant(NamedTuple):
    """A topology with the threads of each of its slots, and where threads of its operators run now, as far as known."""

    name: str
    bundles: Sequence[Bundle]
    running: Mapping[str, Where]


class Thread(NamedTuple):
    """The operator of a topology."""

    topology: str
    operator: str


@dataclass
class Occupancy:
    """The threads on each VM, by topology and operator, and those that run elsewhere now and go on running."""

    vms: Mapping[str, Vm]
    free: dict[str, int]
    threads: dict[str, Counter[Thread]] = field(default_factory=dict)
    unplaced: int = 0

    @classmethod
    def prepare(cls, vms: Sequence[Vm]) -> "Occupancy":
        """All VMs empty."""
        return cls({vm.name: vm for vm in vms}, {vm.name: vm.slots for vm in vms})

    def put(self, vm: str, topology: str, bundle: Bundle) -> None:
        """Gives the threads a slot of a VM."""
        self.free[vm] -= 1
        here = self.threads.setdefault(vm, Counter())
        here.update({Thread(topology, operator): count for operator, count in bundle.items()})

    def count_moves(self, tenants: Sequence[Tenant]) -> int:
        """The threads that run on one VM and go on running on another."""
        moves, totals = 0, Counter[Thread]()
        for here in self.threads.values():
            totals.update(here)
        for tenant in tenants:
            for operator, where in tenant.running.items():
                thread = Thread(tenant.name, operator)
                kept = sum(min(count, self.threads.get(vm, Counter())[thread]) for vm, count in where.items())
                moves += max(min(totals[thread], sum(where.values())) - kept, 0)
        return moves


def spread(tenants: Sequence[Tenant], vms: Sequence[Vm]) -> Occupancy:
    """Places the threads of all topologies on the VMs."""
    found = Occupancy.prepare(vms)
    crowd = Counter[str]()
    for tenant in tenants:
        for where in tenant.running.values():
            crowd.update(where)
    rest: list[tuple[str, Bundle]] = []
    for tenant in tenants:
        rest += [(tenant.name, bundle) for bundle in keep(found, tenant, crowd)]
    homes: dict[str, set[str]] = {}
    for vm, here in found.threads.items():
        for topology in {thread.topology for thread in here}:
            homes.setdefault(topology, set()).add(vm)
    order = deque(sorted(found.vms, key=lambda vm: (found.free[vm], vm)))
    for topology, bundle in rest:
        home = choose(found, homes.get(topology, ()), order)
        if home is None:
            found.unplaced += 1
            continue
        found.put(home, topology, bundle)
        homes.setdefault(topology, set()).add(home)
    return found


def keep(found: Occupancy, tenant: Tenant, crowd: Counter[str]) -> list[Bundle]:
    """Puts the slots of a topology where its threads run, the fullest VMs first; returns those that no VM keeps."""
    left = {operator: Counter(dict(where)) for operator, where in tenant.running.items()}
    rest: list[Bundle] = []
    for bundle in sorted(tenant.bundles, key=lambda one: -sum(one.values())):
        places = Counter[str]()
        for operator, count in bundle.items():
            for vm, many in left.get(operator, {}).items():
                places[vm] += min(count, many)
        fitting = [vm for vm, kept in places.items() if kept > 0 and found.free.get(vm, 0) > 0]
        if not fitting:
            rest.append(bundle)
            continue
        best = max(fitting, key=lambda vm: (places[vm], crowd[vm], vm))
        for operator, count in bundle.items():
            if operator in left:
                left[operator][best] -= min(count, left[operator][best])
        found.put(best, tenant.name, bundle)
    return rest


def choose(found: Occupancy, homes: Iterable[str], order: deque[str]) -> str | None:
    """A VM for a slot: one on which the topology has threads, else the fullest with a free slot; None: all are full.

    `order` loses the VMs that are full.
    """
    own = [vm for vm in homes if found.free[vm] > 0]
    if own:
        return min(own, key=lambda vm: (found.free[vm], vm))
    while order and found.free[order[0]] <= 0:
        order.popleft()
    return order[0] if order else None
