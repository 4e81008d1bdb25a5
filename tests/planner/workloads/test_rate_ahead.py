"""The rate to be ready for: covered as often as was asked, on a ramp too; and a day lived through with it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from planner.decisions.decide import decide
from planner.decisions.owner_terms import LastChange, Policy
from planner.decisions.wait_correction import Interval
from planner.topology.load_smoothing import smooth_window
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology
from planner.workloads.errors import WorkloadTooShort
from planner.workloads.rate_ahead import RateAhead, look_ahead
from planner.workloads.series import Measurement
from tests.planner.queues_simulated import Chain

STEP = 60.0


def look(rates: Sequence[float], steps: int, quantile: float = 0.95) -> RateAhead:
    return look_ahead([Measurement(STEP * i, rate) for i, rate in enumerate(rates)], STEP, steps, quantile)


def make_wave(count: int, seed: int) -> list[float]:
    generator = np.random.default_rng(seed)
    middle = [300.0 - 200.0 * math.cos(2.0 * math.pi * i / 700.0) for i in range(count)]
    return [rate * math.exp(generator.normal(0.0, 0.03)) for rate in middle]


@pytest.mark.parametrize("quantile", [0.8, 0.95])
def test_the_upper_rate_is_kept_as_often_as_was_asked(quantile: float):
    wave = make_wave(1400, seed=3)
    kept = [
        look(wave[max(moment - 300, 0) : moment], 5, quantile).upper_rate >= max(wave[moment : moment + 5])
        for moment in range(120, 1390, 3)
    ]
    assert np.mean(kept) == pytest.approx(quantile, abs=0.07)


def test_a_ramp_is_expected_to_go_on():
    rising = look([100.0 + 3.0 * i + (i * 7 % 5) for i in range(60)], 10)
    assert rising.upper_rate >= 100.0 + 3.0 * 69
    assert rising.upper_rate <= 100.0 + 3.0 * 69 + 10.0
    falling = look([400.0 - 3.0 * i + (i * 7 % 5) for i in range(60)], 10)
    assert falling.upper_rate <= 400.0 - 3.0 * 59 + 10.0


def test_a_constant_rate_stays_what_it_is_and_says_so():
    found = look([50.0] * 60, 5)
    assert (found.expected_rate, found.upper_rate, found.model) == (50.0, 50.0, "constant")
    assert [said.code for said in found.diagnostics] == ["constant-rate"]


def test_too_few_intervals_are_no_look_ahead_and_far_steps_are_said_to_be_beyond_it():
    for known in (1, 2, 29):
        with pytest.raises(WorkloadTooShort):
            look([50.0 + i for i in range(known)], 5)
    short = look([50.0 + i % 7 for i in range(30)], 1000)
    assert short.steps == 10
    assert [said.code for said in short.diagnostics] == ["shorter-look-ahead"]


PAIR = Topology((Operator("parse"), Operator("score")), (Edge("parse", "score"),), (Entry("parse"),))
SERVICE = {"parse": 4.0, "score": 5.0}
POLICY = Policy(t_max_seconds=1.0, t_min_seconds=0.6, cooldown_seconds=5 * STEP)


@dataclass
class Day:
    """How it went: intervals measured above the target, and the mean number of processors."""

    missed: int = 0
    processors: float = 0.0


def live_through(rates: Sequence[float], *, is_ahead: bool) -> Day:
    """Every minute the queues are simulated, measured and decided about; what is decided runs at once."""
    job = Chain([1.0 / mu for mu in SERVICE.values()], (6, 5), own=False, seed=9)
    loads: list[Load] = []
    changed: tuple[int, float] | None = None
    day = Day()
    for minute, rate in enumerate(rates):
        running = job.servers
        arrived, measured = job.run(rate, STEP)
        day.missed += measured > (POLICY.t_max_seconds or 0.0)
        day.processors += sum(running) / len(rates)
        operators = {
            name: OperatorLoad(mu, processors=count)
            for (name, mu), count in zip(SERVICE.items(), running, strict=True)
        }
        loads.append(Load(arrived, operators, measured))
        smoothed, _ = smooth_window(loads[-3:], 3)
        upper = None
        if is_ahead and len(loads) >= 30:
            upper = look([load.external_rate for load in loads[-300:]], 5).upper_rate
        decision = decide(
            PAIR,
            smoothed,
            running,
            POLICY,
            LastChange((minute - changed[0]) * STEP, changed[1]) if changed else None,
            newest_rate=arrived,
            rate_ahead=upper,
            intervals=[Interval(load) for load in loads[-3:]],
        )
        if decision.action != "hold":
            changed = (minute, smoothed.external_rate)
            job.resize([one.processors for one in decision.recommended.operators])
    return day


def make_day(minutes: int) -> list[float]:
    """Quiet, a ramp to five times as much, a plateau, and back; with noise that lasts some minutes."""
    generator = np.random.default_rng(4)
    corners = ([0.0, 0.1, 0.5, 0.7, 1.0], [8.0, 8.0, 40.0, 40.0, 8.0])
    rates, noise = [], 0.0
    for minute in range(minutes):
        noise = 0.8 * noise + generator.normal(0.0, 0.02)
        rates.append(float(np.interp(minute / minutes, *corners)) * math.exp(noise))
    return rates


def test_a_day_with_a_ramp_misses_a_third_as_often_for_a_tenth_more_processors():
    rates = make_day(360)
    before, ahead = live_through(rates, is_ahead=False), live_through(rates, is_ahead=True)
    print(before, ahead)  # noqa: T201 -- for `pytest -rP`
    assert before.missed >= 20
    assert ahead.missed <= before.missed / 3.0
    assert ahead.processors <= 1.1 * before.processors
