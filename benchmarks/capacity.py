"""Capacity that bends, learned on the way: a job of one operator whose rate steps up and down, five kinds of curves.

Two old numbers of processors are known when the first step comes. At each step the fewest processors that stay a fifth
idle are planned, run, measured with 3% noise, and planned again, until the plan keeps what runs. As in the service, the
intervals just before and just after each change are compared. Beside it the same with straight capacity, and a job
whose capacity is straight.
"""

from statistics import mean

import numpy as np

from planner.calibration.learned_scaling import SeenRate, learn_scaling
from planner.queueing.instances.scaling import slow_down
from planner.situations.situation import survey_load
from planner.values import DEFAULT_MODEL, Load, Operator, OperatorLoad, Scaling, Topology

KINDS = {
    "power, 0.1": Scaling(gamma=0.1),
    "power, 0.2": Scaling(gamma=0.2),
    "usl, 0.02": Scaling(sigma=0.02),
    "usl, 0.05": Scaling(sigma=0.05),
    "usl, 0.01 with a peak at 44": Scaling(sigma=0.01, kappa=0.0005),
    "straight": Scaling(),
}
ALONE, FULL, NOISE, INTERVALS, JOBS, NEAR = 20.0, 0.8, 0.03, 4, 20, 0.1
OLD, STEPS = (4, 8), (16, 24, 12, 40, 20, 32)
"""The old numbers of processors, and those that the rate of each step truly needs: up to five times the larger."""
MOST_TURNS = 10


class Job:
    """An operator with true capacity, what was measured of it, and what runs."""

    def __init__(self, truth: Scaling, seed: int) -> None:
        self.truth, self.draw = truth, np.random.default_rng(seed)
        self.running, self.changes, self.measured, self.seen = OLD[0], 0, 0.0, list[SeenRate]()

    def serve(self, count: int) -> float:
        """What so many processors serve at most."""
        return count * ALONE * float(slow_down(self.truth, float(count)))

    def run(self, count: int) -> None:
        """Changes the processors, and measures some intervals before and after the change."""
        self.changes += 1
        for running in (self.running, count):
            rates = self.serve(running) / running * self.draw.normal(1.0, NOISE, INTERVALS)
            self.seen += [SeenRate(running, float(rate), change=self.changes) for rate in rates]
        self.running, self.measured = count, float(rates.mean())

    def plan(self, rate: float, *, learns: bool) -> int:
        """The fewest processors that are at most FULL busy by what is known."""
        learned = learn_scaling(self.seen) if learns else None
        operator = Operator("a", queueing="round-robin", scaling=None if learned is None else learned.scaling)
        load = Load(rate, {"a": OperatorLoad(self.measured, processors=self.running)})
        stations = survey_load(Topology((operator,)), load, DEFAULT_MODEL).stations
        most = int(min(stations.max_processors[0], 1_000))
        enough = (k for k in range(1, most + 1) if FULL * stations.list_capacities([k])[0] >= rate)
        return next(enough, most)


def follow(truth: Scaling, seed: int, *, learns: bool) -> tuple[list[float], list[int]]:
    """The error of the first plan of each step, and the changes until a plan keeps what runs."""
    job, errors, changes = Job(truth, seed), [], []
    for count in OLD[1:]:
        job.run(count)
    for needed in STEPS:
        rate, made = 0.999 * FULL * job.serve(needed), 0
        errors.append(job.plan(rate, learns=learns) / needed - 1.0)
        while made < MOST_TURNS:
            wanted = job.plan(rate, learns=learns)
            is_enough = (1.0 - NOISE) * rate <= FULL * job.serve(job.running)
            if wanted == job.running or (is_enough and abs(wanted - job.running) <= NEAR * job.running):
                break
            job.run(wanted)
            made += 1
        changes.append(made)
    return errors, changes


def main() -> None:
    """Prints a row per kind of curve."""
    print(f"{'':30}{'first plan off by':>20}{'changes a step':>16}{'straight: off by':>19}{'changes':>9}")
    for name, truth in KINDS.items():
        row = f"{name:30}"
        for learns in (True, False):
            found = [follow(truth, seed, learns=learns) for seed in range(JOBS)]
            off = mean(abs(error) for errors, _ in found for error in errors)
            row += f"{off:20.1%}{mean(one for _, made in found for one in made):12.2f}   "
        print(row, flush=True)


if __name__ == "__main__":
    main()
