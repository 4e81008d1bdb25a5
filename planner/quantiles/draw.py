"""External tuples drawn at random: which tuples derive from each, their services, and their luck in waiting.

Nothing here depends on the processors. Every allocation is timed on the same draw (planner.quantiles.times), so that
differences between allocations are not those of chance.

Each tuple emits on every edge ⌊selectivity⌋ tuples, and one more with the probability of the fraction; shares of
entries are drawn in the same way. Tuples are kept in blocks of one operator, parents before children. Tuples from one
parent arrive together: at a shared or keyed queue they find the same queue, and therefore have the same luck.

Each tuple that waits, waits D times the mean wait of all tuples that wait, with a drawn D of mean 1. Where the queue is
shared D is exponential. At a queue of one server D has a gamma distribution with the SCV of M/G/1,

    SCV = 2ρ − 1 + (1 − ρ)·4d/(3(1 + s)²),   d = E[S³]/E[S]³,   s = SCV of services S    (Whitt 1983, QNA, eq. 51)

which is 1 where services are exponential. The utilisation ρ is taken as USUAL_LOAD, because the draw must depend
neither on the processors nor on the load.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from planner.arrays import Floats, Indices
from planner.queueing.queueings import KEYED
from planner.simulation.laws import Sampler, ServiceLaw, assume_law, find_scv, make_sampler, read_histogram
from planner.topology.cycles import find_components
from planner.topology.flow import order_acyclic
from planner.topology.network import Network
from planner.values import SHARED, TUPLE, Load, Operator, OperatorLoad, Queueing, Topology

OUTSIDE = -1
"""The block of tuples without a parent: they come from outside."""
MOST_DRAWN = 8_000_000
"""Tuples of one draw; they take 50 bytes each."""
MOST_ROUNDS = 1000
"""How often a tuple's descendants go round a cycle before they are left out."""
NO_KEYS = np.zeros(0)
USUAL_LOAD = 0.7
LEAST_SCV, LARGEST_SCV = 0.1, 1.5
"""Heavier tails were further from simulations: a long service delays all that wait behind it together."""
EXPONENTIAL = ServiceLaw("exponential", 1.0)


class TooManyTuples(Exception):
    """More tuples would derive from the drawn external tuples than memory should hold."""


class Parents(NamedTuple):
    """The parents of `size` tuples: a block of tuples, and the place in it of each tuple's parent.

    Places of None mean that each parent has one tuple, in order. `is_multiple`: a parent can have several tuples, which
    stand next to each other.
    """

    block: int
    places: Indices | None
    size: int
    is_multiple: bool


@dataclass(frozen=True, slots=True)
class Visits:
    """Tuples that arrive at one operator; `roots` are their external tuples, or None for one tuple of each, in order.

    A tuple waits if its chance, between 0 and 1, is below the probability that a tuple waits at all; `delays`, with
    mean 1, say for how long. `keys` between 0 and 1 choose the instance of a keyed operator. `is_last` is False where
    every tuple has a child, which finishes later.
    """

    operator: int
    parents: tuple[Parents, ...]
    roots: Indices | None
    services: Floats
    chances: Floats
    delays: Floats
    keys: Floats
    is_last: bool


@dataclass(frozen=True, slots=True)
class Draw:
    """All tuples that derive from `roots` external tuples; `is_cut` says that some went round a cycle too often."""

    roots: int
    blocks: tuple[Visits, ...]
    is_cut: bool


class Habits:
    """How one operator of a draw serves tuples and lets them queue."""

    def __init__(self, operator: Operator, measured: OperatorLoad) -> None:
        law = assume_law(measured)
        self.serve = delay_services(make_sampler(law), operator.delay_seconds)
        self.delay = make_delay_sampler(law, operator.queueing)
        self.is_keyed = operator.queueing == KEYED
        self.is_by_tuple = self.is_keyed and operator.keyed_by == TUPLE
        self.is_together = (operator.queueing or SHARED) in {SHARED, KEYED} and not self.is_by_tuple
        self.keys: Floats | None = None

    def find_keys(self, rng: np.random.Generator, all_roots: int, roots: Indices | None) -> Floats:
        """A number for each tuple that chooses its instance; all tuples of one external tuple have the same number,
        unless each has a key of its own.
        """
        if not self.is_keyed:
            return NO_KEYS
        if self.is_by_tuple:
            return rng.random(all_roots if roots is None else len(roots))
        if self.keys is None:
            self.keys = rng.random(all_roots)
        return self.keys if roots is None else self.keys[roots]

    def draw_luck(self, rng: np.random.Generator, parents: Sequence[Parents]) -> tuple[Floats, Floats]:
        """For each tuple a chance between 0 and 1 that decides whether it waits, and a delay of mean 1 for how long."""
        lucks = [self.draw_luck_of(rng, one) for one in parents]
        if len(lucks) == 1:
            return lucks[0]
        chances, delays = zip(*lucks, strict=True)
        return np.concatenate(chances), np.concatenate(delays)

    def draw_luck_of(self, rng: np.random.Generator, parents: Parents) -> tuple[Floats, Floats]:
        """The chances and delays of waiting for tuples whose parents are in one block."""
        places = parents.places
        if places is None or not (parents.is_multiple and self.is_together):
            return rng.random(parents.size), self.delay(rng, parents.size)
        size = int(places[-1]) + 1
        chances, delays = rng.random(size), self.delay(rng, size)
        return chances[places], delays[places]


def draw_tuples(topology: Topology, network: Network, load: Load, roots: int, seed: int) -> Draw:
    """Draws `roots` external tuples and all tuples that derive from them; equal seeds give equal draws.

    Raises TooManyTuples.
    """
    habits = [Habits(operator, load.operators[operator.name]) for operator in topology.operators]
    growth = Growth(network, habits, roots, np.random.default_rng(seed))
    growth.enter()
    is_cut = False
    for component in order_components(network):
        is_cut |= growth.settle(component)
    return Draw(roots, tuple(growth.blocks), is_cut)


def order_components(network: Network) -> list[list[int]]:
    """The operators in groups that feed each other in cycles, each group after all groups that feed it."""
    order, rest = order_acyclic(network)
    cycles = find_components(network.successors, rest) if rest else []
    return [[operator] for operator in order] + list(reversed(cycles))


class Growth:
    """A draw while it is made: the tuples drawn so far, and emitted tuples that have not arrived yet."""

    def __init__(
        self, network: Network, habits: Sequence[Habits], roots: int, rng: np.random.Generator
    ) -> None:
        self.network, self.habits, self.roots, self.rng = network, habits, roots, rng
        self.blocks: list[Visits] = []
        self.drawn = 0
        self.coming: list[list[tuple[Parents, Indices | None]]] = [[] for _ in network.names]

    def enter(self) -> None:
        """Sends the external tuples on their way at every entry."""
        for operator, share in enumerate(self.network.shares):
            if share:
                places = self.draw_copies(self.roots, share)
                size = self.roots if places is None else len(places)
                if size:
                    self.coming[operator].append((Parents(OUTSIDE, places, size, share > 1.0), places))

    def settle(self, component: Sequence[int]) -> bool:
        """Lets tuples arrive at the operators of a cycle until none is on its way; True where some were left out."""
        for _ in range(MOST_ROUNDS):
            busy = [operator for operator in component if self.coming[operator]]
            if not busy:
                return False
            for operator in busy:
                self.arrive(operator)
        return any(self.coming[operator] for operator in component)

    def arrive(self, operator: int) -> None:
        """Serves the tuples that are on their way to an operator, and sends on the tuples that the operator emits."""
        coming, self.coming[operator] = self.coming[operator], []
        parents = tuple([parent for parent, _ in coming])
        size = sum([parent.size for parent in parents])
        roots = coming[0][1]
        if len(coming) > 1:
            roots = np.concatenate([np.arange(self.roots) if one is None else one for _, one in coming])
        habit = self.habits[operator]
        services = habit.serve(self.rng, size)
        chances, delays = habit.draw_luck(self.rng, parents)
        keys = habit.find_keys(self.rng, self.roots, roots)
        is_last = self.emit(operator, roots, size)
        self.blocks.append(Visits(operator, parents, roots, services, chances, delays, keys, is_last))

    def emit(self, operator: int, roots: Indices | None, size: int) -> bool:
        """Sends on what the tuples of the next block emit; returns False where every one of these tuples
        has a child.
        """
        network, is_last = self.network, True
        targets, selectivities = network.successors[operator], network.selectivities[operator]
        if network.loops[operator]:
            targets, selectivities = [*targets, operator], [*selectivities, network.loops[operator]]
        for target, selectivity in zip(targets, selectivities, strict=True):
            places = self.draw_copies(size, selectivity)
            emitted = size if places is None else len(places)
            if not emitted:
                continue
            of_roots = places if roots is None else roots if places is None else roots[places]
            parents = Parents(len(self.blocks), places, emitted, selectivity > 1.0)
            self.coming[target].append((parents, of_roots))
            is_last = is_last and selectivity < 1.0
        return is_last

    def draw_copies(self, size: int, mean: float) -> Indices | None:
        """The place of the parent of each emitted tuple: ⌊mean⌋ tuples each, and one more with the fraction's
        probability.

        None: each parent emits one tuple, in order.
        """
        whole = int(mean)
        rest = mean - whole
        if self.drawn + size * mean > MOST_DRAWN:
            raise TooManyTuples
        if whole == 1 and not rest:
            self.drawn += size
            return None
        more = self.rng.random(size) < rest if rest else np.zeros(size, np.bool_)
        places = np.repeat(np.arange(size), whole + more) if whole else np.flatnonzero(more)
        self.drawn += len(places)
        return places


def delay_services(serve: Sampler, seconds: float) -> Sampler:
    """A function that draws service times with a constant delay added."""
    return (lambda rng, size: serve(rng, size) + seconds) if seconds else serve


def make_delay_sampler(services: ServiceLaw, queueing: Queueing | None) -> Sampler:
    """A function that draws relative delays of mean 1 for tuples that wait at an operator."""
    if queueing in {None, SHARED} or services.kind == "exponential":
        return make_sampler(EXPONENTIAL)
    return make_sampler(ServiceLaw("gamma", 1.0, find_delay_scv(services)))


def find_delay_scv(services: ServiceLaw) -> float:
    """The squared coefficient of variation of the waits above 0 at a queue of one server."""
    s = find_scv(services)
    residual = 4.0 * find_third_moment(services) / (3.0 * (1.0 + s) ** 2)
    return min(max(2.0 * USUAL_LOAD - 1.0 + (1.0 - USUAL_LOAD) * residual, LEAST_SCV), LARGEST_SCV)


def find_third_moment(services: ServiceLaw) -> float:
    """The third moment of a service time over its mean cubed, E[S³]/E[S]³.

    Of a histogram Σ pᵦ(low + high)(low² + high²)/4 over mean³, of lognormal (1 + s)³, of gamma (1 + s)(1 + 2s), s the
    SCV.
    """
    s = find_scv(services)
    if services.kind == "lognormal":
        return float((1.0 + s) ** 3)
    if services.kind != "histogram":
        return (1.0 + s) * (1.0 + 2.0 * s)
    bounds, reached = read_histogram(services)
    low, high, parts = bounds[:-1], bounds[1:], np.diff(reached)
    third = float(np.sum(parts * (low + high) * (low * low + high * high))) / 4.0
    return third / (float(np.sum(parts * (low + high))) / 2.0) ** 3
