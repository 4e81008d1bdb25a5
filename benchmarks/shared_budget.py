"""One budget for many topologies: the planner's time for 1,000, and what sharing saves beside sizing each job alone.

Saved: ten jobs of three operators run joint days that were measured, shifted by hours and scaled. Alone, each job has
the fewest processors for its own p95 rate of the day, for good. Shared, the fleet is planned again every ten minutes
for the highest rates of the ten minutes before, under the smallest budget with at least as many job-minutes within
target. Both are judged by the model at the rate of each minute; a change takes no time.
"""

from dataclasses import dataclass
from itertools import pairwise
from random import Random
from time import process_time

import numpy as np

from benchmarks.loop_workloads import read_days
from planner.arrays import Floats
from planner.errors import BudgetTooSmall
from planner.fleet.claims import Member
from planner.fleet.plan import plan_fleet
from planner.situations.situation import Situation, scale_load, survey_load
from planner.targets.target import allocate_fewest
from planner.values import DEFAULT_MODEL, Edge, Entry, Load, Operator, OperatorLoad, Topology

JOBS, STEP = 10, 10
FLEETS = {
    "tuned on": ("worldcup_0520", "worldcup_0610", "taxi_1018"),
    "judged on": ("worldcup_0612", "nasa_0706", "nasa_0713", "taxi_1231"),
}
HOURS_APART = (0, 1, 4)


def make_situation(random: Random, operators: int, queueing: str = "shared") -> Situation:
    """A chain of operators under a random load."""
    names = [f"op{i}" for i in range(operators)]
    edges = [Edge(one, two, random.choice([0.5, 1.0, 1.0, 2.0])) for one, two in pairwise(names)]
    topology = Topology(
        tuple(Operator(name, queueing=queueing) for name in names), tuple(edges), (Entry(names[0]),)
    )
    load = {name: OperatorLoad(random.uniform(10.0, 100.0), processors=5) for name in names}
    return survey_load(topology, Load(random.uniform(20.0, 300.0), load), DEFAULT_MODEL, is_open=True)


def time_plans(queueing: str) -> None:
    """Prints the processor time of plans of 1,000 topologies under several budgets."""
    random = Random(1)
    started = process_time()
    situations = [make_situation(random, 10, queueing) for _ in range(1000)]
    surveyed = process_time() - started
    needed = 0
    for share in (1.2, 0.99, 0.95):
        members = [
            Member(f"t{i}", one, 1.3 * one.find_lower_bound(), 1.0 + i % 3, i % 3)
            for i, one in enumerate(situations)
        ]
        started = process_time()
        plan = plan_fleet(members, int(share * (needed or 10**6)))
        seconds = process_time() - started
        needed = plan.needed
        met = sum(one.meets or False for one in plan.shares)
        print(
            f"1,000 topologies x 10 operators, {queueing}: survey {surveyed:.2f} s, plan {seconds:.2f} s, "
            f"{met} targets met, optimal {plan.optimal}"
        )
        random, situations = Random(1), []
        situations = [make_situation(random, 10, queueing) for _ in range(1000)]


@dataclass
class SharedJob:
    """A job with its rates by the minute, and its target."""

    situation: Situation
    rates: Floats
    target: float

    def at(self, rate: float) -> Situation:
        """The job at another rate."""
        return scale_load(self.situation, max(rate, 1e-6))

    def count_met(self, counts: list[list[int]]) -> int:
        """The minutes within target, with the processors of each step."""
        met = 0
        for minute, rate in enumerate(self.rates):
            situation = self.at(float(rate))
            seconds = situation.sum_sojourns(situation.wait_seconds(counts[minute // STEP]))
            met += seconds <= self.target
        return met


def make_jobs(days: tuple[str, ...], hours: int) -> list[SharedJob]:
    """Ten jobs, each with one of the days, those of one day some hours apart."""
    measured, random, jobs = read_days(), Random(hours), []
    for number in range(JOBS):
        rates = measured[days[number % len(days)]]
        rates = np.roll(rates, 60 * hours * (number // len(days)))
        situation = make_situation(random, 3)
        scaled = rates / rates.mean() * random.uniform(50.0, 400.0)
        jobs.append(SharedJob(situation, scaled, 1.4 * situation.find_lower_bound()))
    return jobs


def plan_steps(jobs: list[SharedJob], budget: int) -> list[list[list[int]]]:
    """The processors of each job in each step, planned for the highest rates of the step before."""
    found: list[list[list[int]]] = [[] for _ in jobs]
    for step in range(len(jobs[0].rates) // STEP):
        before = slice(max(step - 1, 0) * STEP, max(step, 1) * STEP)
        members = [
            Member(str(i), job.at(float(job.rates[before].max())), job.target) for i, job in enumerate(jobs)
        ]
        try:
            counts = [share.counts for share in plan_fleet(members, budget).shares]
        except BudgetTooSmall:
            counts = [one[-1] if one else [1, 1, 1] for one in found]
        for one, count in zip(found, counts, strict=True):
            one.append(count)
    return found


def compare(title: str, days: tuple[str, ...], hours: int) -> None:
    """Prints what sharing saves for one fleet."""
    jobs = make_jobs(days, hours)
    steps = len(jobs[0].rates) // STEP
    alone = [allocate_fewest(job.at(float(np.quantile(job.rates, 0.95))), job.target).counts for job in jobs]
    total, minutes = sum(map(sum, alone)), len(jobs) * len(jobs[0].rates)
    met = sum(job.count_met([counts] * steps) for job, counts in zip(jobs, alone, strict=True))
    low, high, best = total // 2, total + total // 8, 0.0
    while high - low > 1:
        middle = (low + high) // 2
        counts = plan_steps(jobs, middle)
        found = sum(job.count_met(one) for job, one in zip(jobs, counts, strict=True))
        if found >= met:
            high, best = middle, found / minutes
        else:
            low = middle
    print(
        f"{title:10} | {hours} h apart | {total:5} alone, {met / minutes:.1%} within | {high:5} shared, {best:.1%} "
        f"within | {1 - high / total:.0%} saved"
    )


def main() -> None:
    """Prints times, then savings."""
    for queueing in ("shared", "round-robin"):
        time_plans(queueing)
    for title, days in FLEETS.items():
        for hours in HOURS_APART:
            compare(title, days, hours)
