"""How often does Headgate's own policy keep its target, and at what cost?

Runs of a week on generated workloads, with applications that the policy's constants were not chosen on. More workloads
are read from the folder that HEADGATE_WORKLOADS names: CSV files, also gzipped, of a time and a rate. The cost is
compared with the cheapest constant price, found by hindsight, that serves as much.
"""

import csv
import gzip
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: our matrices are small

import numpy as np

from planner.arrays import Floats
from planner.vms.price_policy import HeadgatePolicy
from planner.vms.replay import Capacity, interpolate_capacity, replay_policy
from planner.vms.throughput import MstSample
from planner.vms.timing import Belief, Observed, Timing
from planner.workloads.likely_mixtures import MIXTURES, LikelyMixtures
from planner.workloads.series import Window
from tests.planner.imai import TRAIN_VMS, mst_samples

TARGETS = (0.95, 0.98, 0.9875, 0.995)
TOLERANCE = 0.1
HINDSIGHT_PRICES = np.exp(np.linspace(np.log(6.0), np.log(3e4), 9))
HINDSIGHT_MIXTURES = (0, 2)
NEEDED_AT_PEAK = 48
STEPS, DAY = 10_080, 1440


def wave(random: np.random.Generator) -> Floats:
    """A wave of a day with noise that is not the same from hour to hour."""
    hours = np.arange(STEPS) * 2.0 * np.pi / DAY
    noise = np.exp(random.uniform(0.02, 0.3) * smooth(random, 20))
    return np.exp(random.uniform(0.3, 1.5) * np.sin(hours) + 0.3 * np.sin(2.0 * hours)) * noise


def jumps(random: np.random.Generator) -> Floats:
    """A level that jumps a few times a day."""
    levels = np.exp(random.normal(0.0, 0.7, 60))
    return np.asarray(levels[np.sort(random.integers(0, 60, STEPS))] * np.exp(0.1 * smooth(random, 5)))


def growth(random: np.random.Generator) -> Floats:
    """A wave that grows tenfold in a week."""
    return np.asarray(wave(random) * np.exp(np.linspace(0.0, 2.3, STEPS)))


def bursts(random: np.random.Generator) -> Floats:
    """A wave with bursts that come at once and decay."""
    starts = random.random(STEPS) < 8.0 / DAY
    heights = np.where(starts, random.pareto(1.5, STEPS) + 1.0, 0.0)
    decay = np.exp(-np.arange(200) / random.uniform(5.0, 40.0))
    return np.asarray(wave(random) + np.convolve(np.minimum(heights, 20.0), decay)[:STEPS])


def on_and_off(random: np.random.Generator) -> Floats:
    """A job that runs for some hours and rests for some."""
    lengths = random.exponential(240.0, 400).astype(int) + 10
    state = np.repeat(np.arange(400) % 2, lengths)[:STEPS]
    return np.asarray((0.02 + state) * np.exp(0.15 * smooth(random, 10)))


def counts(random: np.random.Generator) -> Floats:
    """Few events each minute."""
    return random.poisson(wave(random)).astype(float)


def smooth(random: np.random.Generator, span: int) -> Floats:
    """Noise of deviation 1 that forgets itself after `span` steps."""
    noise = random.standard_normal(STEPS + 400)
    weights = np.exp(-np.arange(400) / span)
    return np.asarray(np.convolve(noise, weights / np.sqrt(np.square(weights).sum()))[400 : 400 + STEPS])


KINDS: tuple[Callable[[np.random.Generator], Floats], ...] = (wave, jumps, growth, bursts, on_and_off, counts)


def list_workloads(seeds: Sequence[int]) -> Iterator[tuple[str, Floats, float]]:
    """The name, rates and step of every workload: generated ones, and those of the folder."""
    for seed in seeds:
        for kind in KINDS:
            yield f"{kind.__name__} {seed}", kind(np.random.default_rng([seed, len(kind.__name__)])), 60.0
    folder = os.environ.get("HEADGATE_WORKLOADS")
    for path in sorted(Path(folder).rglob("*.csv*")) if folder else ():
        text = path.read_bytes()
        lines = (gzip.decompress(text) if path.suffix == ".gz" else text).decode().splitlines()
        rows = list(csv.reader(lines))[1:]
        rates = np.array([float(row[1]) for row in rows])
        seconds = np.datetime64(rows[1][0].rstrip("Z")) - np.datetime64(rows[0][0].rstrip("Z"))
        yield path.name, rates, float(seconds / np.timedelta64(1, "s"))


def make_apps() -> dict[str, tuple[MstSample, ...]]:
    """The samples of three measured applications, and of one made by a formula."""
    random = np.random.default_rng(5)
    measured = sorted({sample.vms for sample in mst_samples("wc")})
    made = tuple(
        MstSample(m, 1.1 * m**0.93 * np.exp(random.normal(0, 0.05))) for m in measured for _ in range(6)
    )
    return {app: mst_samples(app) for app in ("wc", "sol", "rsort")} | {"made": made}


class ConstantPrice(HeadgatePolicy):
    """The same policy at one price, and by one mixture, for ever."""

    def __init__(
        self, samples: Sequence[MstSample], likely: LikelyMixtures, price: float, mixture: int
    ) -> None:
        super().__init__(samples, likely, 128)
        self.constant, self.weights = price, MIXTURES[mixture]

    def decide_vms(self, observed: Observed, window: Window) -> int:
        """Returns the VMs of the coming interval."""
        self._learn_capacity(observed, window.steps)
        used = self.weights > 0.0
        components = [
            one for one, use in zip(self.likely_rates(observed.rates, window), used, strict=True) if use
        ]
        shares = self.weights[used] @ self.unserved_shares(tuple(components))
        return int(np.argmin(np.arange(1.0, 129.0) + self.constant * shares)) + 1

    def believe(self, vms: int) -> Belief:
        """Nothing: its misses have no causes."""
        return Belief(float(vms))


@dataclass(frozen=True, slots=True)
class Case:
    """A workload with an application, and the components of its rates, which all replays share."""

    rates: Floats
    capacity: Capacity
    training: tuple[MstSample, ...]
    likely: LikelyMixtures
    timing: Timing

    def replay(self, policy: HeadgatePolicy) -> tuple[float, float]:
        """The percentage served, and the VMs of all steps."""
        run = replay_policy(policy, self.rates, self.capacity, self.timing, 0)
        return run.score.qos_percent, float(run.vms.sum())

    def run(self, target: float) -> tuple[float, float]:
        """The replay of the policy with this target."""
        return self.replay(HeadgatePolicy(self.training, self.likely, 128, target, timing=self.timing))

    def find_hindsight(self) -> list[list[tuple[float, float]]]:
        """What the constant prices serve and cost, a list for each mixture."""
        return [
            [
                self.replay(ConstantPrice(self.training, self.likely, float(price), mixture))
                for price in HINDSIGHT_PRICES
            ]
            for mixture in HINDSIGHT_MIXTURES
        ]


def least_cost(hindsight: list[list[tuple[float, float]]], served: float) -> float:
    """The VMs of the cheapest constant price that serves so much, between two prices on a line."""
    found = [np.inf]
    for runs in hindsight:
        shares, vms = np.array(sorted(runs)).T
        cheapest = np.minimum.accumulate(vms[::-1])[::-1]
        if served <= shares[-1]:
            found.append(float(np.interp(served, shares, cheapest)))
    return min(found)


def main(seeds: Sequence[int] = (0,)) -> None:
    """Prints for each target the share of runs kept, the cost and the time."""
    kept: dict[float, list[bool]] = {target: [] for target in TARGETS}
    costs: dict[float, list[float]] = {target: [] for target in TARGETS}
    seconds, runs = 0.0, 0
    for name, rates, step in list_workloads(seeds):
        likely, timing = LikelyMixtures(round(86_400.0 / step)), Timing(step_seconds=step)
        scaled = rates / rates.max()
        for app, samples in make_apps().items():
            peak = float(interpolate_capacity(samples, 128).means[NEEDED_AT_PEAK - 1])
            own = [MstSample(sample.vms, sample.throughput / peak) for sample in samples]
            training = tuple(sample for sample in own if sample.vms in TRAIN_VMS)
            case = Case(scaled, interpolate_capacity(own, 128), training, likely, timing)
            hindsight = case.find_hindsight()
            for target in TARGETS:
                began = time.process_time()
                served, vms = case.run(target)
                seconds, runs = seconds + time.process_time() - began, runs + 1
                kept[target].append(served >= 100.0 * target - TOLERANCE)
                costs[target].append(vms / least_cost(hindsight, served))
                if not kept[target][-1]:
                    print(f"missed: {name}, {app}, {100 * target:g}%: {served:.2f}%", flush=True)
    print(f"{'target':>8}{'runs':>6}{'kept':>8}{'cost to the best constant price':>34}{'worst':>8}")
    for target in TARGETS:
        known = np.array([cost for cost in costs[target] if cost > 0.0])
        print(
            f"{100 * target:8g}{len(kept[target]):6}{np.mean(kept[target]):8.1%}"
            f"{np.exp(np.log(known).mean()):34.3f}{known.max():8.2f}"
        )
    print(f"kept of all: {np.mean(list(kept.values())):.1%}; {seconds / runs:.2f} s a replay")


if __name__ == "__main__":
    main()
