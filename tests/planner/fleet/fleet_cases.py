"""Small random fleets, and the best share of a budget by trying every one."""

from dataclasses import dataclass
from itertools import product
from math import inf
from random import Random

from planner.fleet.claims import Member
from planner.situations.situation import Situation, survey_load
from planner.values import DEFAULT_MODEL, Edge, Entry, Load, Model, Operator, OperatorLoad, Topology

SPARE = 7


def make_situation(random: Random, model: Model = DEFAULT_MODEL, *, has_groups: bool = False) -> Situation:
    """One or two operators in a chain, some with queues of their own, some with whole key groups."""
    names = ["a", "b"][: random.choice([1, 2])]
    operators = []
    for name in names:
        queueing = random.choice(["shared", "shared", "round-robin"])
        parallelism = None
        if has_groups and random.random() < 0.7:
            queueing, parallelism = "keyed", random.choice([8, 12, 16])
        most = random.choice([None, None, 6]) if parallelism is None else None
        operators.append(
            Operator(
                name,
                min_processors=random.choice([1, 1, 3]),
                max_processors=most,
                queueing=queueing,
                max_parallelism=parallelism,
            )
        )
    edges = (Edge("a", "b", random.choice([0.5, 1.0, 2.0])),) if len(names) == 2 else ()
    load = Load(
        random.uniform(2.0, 12.0),
        {
            name: OperatorLoad(random.uniform(6.0, 12.0), arrival_scv=random.choice([None, 0.5, 2.0]))
            for name in names
        },
    )
    return survey_load(Topology(tuple(operators), edges, (Entry("a"),)), load, model, is_open=True)


@dataclass(frozen=True)
class SmallFleet:
    """Topologies, and every split of each with up to SPARE processors more than the floors: counts and E[T]."""

    members: list[Member]

    def list_chain(self, member: Member) -> tuple[int, list[float]]:
        """The least stable processors, and the least E[T] with each number more, by trying every split."""
        situation = member.situation
        stations = situation.stations
        ranges = []
        for i, least in enumerate(stations.list_least_stable([int(one) for one in stations.min_processors])):
            ranges.append(range(least, int(min(stations.max_processors[i], least + SPARE + 4)) + 1))
        first = sum(one[0] for one in ranges)
        best = [inf] * (SPARE + 5)
        longest = max(map(len, ranges))
        rows = [situation.wait_seconds([one[min(i, len(one) - 1)] for one in ranges]) for i in range(longest)]
        for steps in product(*(range(len(one)) for one in ranges)):
            if sum(steps) < len(best):
                seconds = situation.sum_sojourns([rows[step][i] for i, step in enumerate(steps)])
                best[sum(steps)] = min(best[sum(steps)], seconds)
        for more in range(1, len(best)):
            best[more] = min(best[more], best[more - 1])
        first_allowed = max(member.floor - first, 0)
        most = len(best) if member.most is None else member.most - first + 1
        return first + first_allowed, best[first_allowed:most]

    def find_best(self, k_max: int) -> tuple[float, ...] | None:
        """The least lateness of each priority, the highest first, and then the least weighted E[T]; None: too small."""
        chains = [self.list_chain(member) for member in self.members]
        spare = k_max - sum(first for first, _ in chains)
        if spare < 0:
            return None
        found = [
            self.judge([times[more] for (_, times), more in zip(chains, mores, strict=True)])
            for mores in product(*(range(min(len(times), spare + 1)) for _, times in chains))
            if sum(mores) <= spare
        ]
        return pick(found)

    def judge(self, times: list[float]) -> tuple[float, ...]:
        """The lateness of each priority, the highest first, and the weighted E[T]."""
        lateness: dict[int, float] = {}
        for member, seconds in zip(self.members, times, strict=True):
            lateness.setdefault(member.priority, 0.0)
            if member.t_max_seconds is not None:
                above = max(seconds - member.t_max_seconds, 0.0)
                above = 0.0 if above < 1e-12 * seconds else above
                lateness[member.priority] += member.weight * above / member.t_max_seconds
        pairs = zip(self.members, times, strict=True)
        total = sum(member.weight * seconds for member, seconds in pairs)
        return (*(lateness[one] for one in sorted(lateness, reverse=True)), total)


def pick(found: list[tuple[float, ...]]) -> tuple[float, ...]:
    """The least, number by number, where numbers that differ by rounding count as equal."""
    for place in range(len(found[0])):
        least = min(one[place] for one in found)
        found = [one for one in found if one[place] <= least + 1e-10 * abs(least)]
    return found[0]


def make_fleet(seed: int, *, has_groups: bool = False) -> tuple[SmallFleet, int]:
    """A random fleet of two or three topologies, and a budget between too small and ample."""
    random = Random(seed)
    members = []
    for number in range(random.choice([2, 2, 3])):
        situation = make_situation(random, has_groups=has_groups)
        stations = situation.stations
        floors = stations.list_least_stable([int(one) for one in stations.min_processors])
        first = situation.sum_sojourns(situation.wait_seconds(floors))
        lower = situation.find_lower_bound()
        reach = situation.sum_sojourns(
            situation.wait_seconds(
                [min(k + 3, int(m)) for k, m in zip(floors, stations.max_processors, strict=True)]
            )
        )
        target = random.choice(
            [None, reach + random.random() * (first - reach), reach * 1.0001 + 1e-9 * lower]
        )
        members.append(
            Member(
                f"t{number}",
                situation,
                target,
                random.choice([1.0, 1.0, 3.0]),
                random.choice([0, 0, 1]),
                random.choice([0, 0, sum(floors) + 1]),
                random.choice([None, None, sum(floors) + 4]),
            )
        )
    fleet = SmallFleet(members)
    return fleet, sum(fleet.list_chain(one)[0] for one in members) + random.randint(-1, SPARE)


def make_member(name: str, external_rate: float, t_max_seconds: float | None, **more: object) -> Member:
    """A topology of one operator of which a processor serves 10/s."""
    topology = Topology((Operator("a"),), (), (Entry("a"),))
    load = Load(external_rate, {"a": OperatorLoad(10.0)})
    situation = survey_load(topology, load, DEFAULT_MODEL, is_open=True)
    return Member(name, situation, t_max_seconds, **more)  # type: ignore[arg-type]
