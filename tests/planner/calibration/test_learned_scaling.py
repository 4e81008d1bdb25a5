"""Curves of capacity learned from noisy rates are near the truth far beyond what was measured; straight ones stay."""

from collections.abc import Sequence
from math import ceil

import numpy as np
import pytest

from planner.calibration.learned_scaling import SeenRate, describe_learned, learn_scaling
from planner.queueing.instances.scaling import find_peak, slow_down
from planner.values import Scaling

NOISE = 0.03
STRAIGHT = Scaling()
KINDS = {
    "power 0.1": Scaling(gamma=0.1),
    "power 0.2": Scaling(gamma=0.2),
    "usl 0.02": Scaling(sigma=0.02),
    "usl 0.05": Scaling(sigma=0.05),
    "usl 0.01 with a peak": Scaling(sigma=0.01, kappa=0.0005),
}


def measure(
    scaling: Scaling, counts: Sequence[int], draw: np.random.Generator, intervals: int = 20, revision: int = 1
) -> list[SeenRate]:
    return [
        SeenRate(k, 20.0 * float(slow_down(scaling, float(k))) * float(draw.normal(1.0, NOISE)), revision)
        for k in counts
        for _ in range(intervals)
    ]


def serve(scaling: Scaling, k: int, running: int, truth: Scaling) -> float:
    """What k processors serve by a scaling, where the rate with those that run is measured."""
    at = 20.0 * float(slow_down(truth, float(running)))
    return k * at * float(slow_down(scaling, float(k)) / slow_down(scaling, float(running)))


def find_fewest(scaling: Scaling, rate: float, running: int, truth: Scaling) -> int | None:
    most = find_peak(scaling) or 10_000
    return next((k for k in range(1, most + 1) if serve(scaling, k, running, truth) >= rate), None)


@pytest.mark.parametrize("name", KINDS)
def test_the_first_step_is_near_the_truth_up_to_five_times_what_was_measured(name: str) -> None:
    truth, errors = KINDS[name], []
    for seed in range(8):
        draw = np.random.default_rng(seed)
        learned = learn_scaling(measure(truth, (4, 8, 16), draw))
        assert learned is not None
        for times in (1.25, 1.5, 2.0, 3.0, 4.0, 5.0):
            needed = ceil(16 * times)
            if needed > (find_peak(truth) or needed):
                continue
            # Just less than so many serve: rounding is no error of the curve.
            found = find_fewest(learned.scaling, 0.999 * serve(truth, needed, 16, truth), 16, truth)
            errors.append(1.0 if found is None else abs(found / needed - 1.0))
    assert np.mean(errors) <= 0.12


def test_straight_capacity_is_left_alone_under_noise() -> None:
    spent = []
    for seed in range(60):
        draw = np.random.default_rng(seed)
        learned = learn_scaling(measure(STRAIGHT, (4, 6, 9), draw))
        found = STRAIGHT if learned is None else learned.scaling
        needed = find_fewest(found, serve(STRAIGHT, 18, 9, STRAIGHT), 9, STRAIGHT)
        spent.append(1.5 if needed is None else needed / 18)
    assert np.mean(spent) <= 1.01
    assert sum(one > 1.0 for one in spent) <= 4


def test_the_chance_of_some_hundred_services_bends_nothing() -> None:
    """Mean times of 300 exponential services scatter by 6%: four intervals of each number agree by chance alone."""
    draw, bent = np.random.default_rng(4), 0
    for _ in range(200):
        rates = [
            SeenRate(k, 300.0 / float(draw.gamma(300, 1.0 / 20.0)), change=change, services=300.0)
            for change, counts in enumerate(((4, 2), (2, 4), (4, 3)))
            for k in counts
            for _ in range(4)
        ]
        bent += learn_scaling(rates) is not None
    assert bent <= 4


def test_too_little_evidence_bends_nothing() -> None:
    draw = np.random.default_rng(1)
    bent = Scaling(sigma=0.1)
    assert learn_scaling([]) is None
    assert learn_scaling(measure(bent, (8,), draw)) is None
    assert learn_scaling(measure(bent, (8, 9), draw)) is None
    assert learn_scaling(measure(bent, (4, 12), draw, intervals=2)) is None
    other_code = [*measure(bent, (4,), draw), *measure(bent, (12,), draw, revision=2)]
    assert learn_scaling(other_code) is None


def test_another_revision_may_be_faster_and_bends_the_same() -> None:
    draw = np.random.default_rng(2)
    truth = Scaling(gamma=0.2)
    before = measure(truth, (4, 8), draw)
    after = [
        one._replace(service_rate=3.0 * one.service_rate) for one in measure(truth, (8, 16), draw, revision=2)
    ]
    learned = learn_scaling([*after, *before], 2)
    assert learned is not None
    assert float(slow_down(learned.scaling, 16.0)) == pytest.approx(16.0**-0.2, rel=0.06)
    assert "with 8 (20 intervals), 34.4/s with 16" in describe_learned("a", learned).detail


def test_a_change_that_brought_nothing_is_the_end_and_said() -> None:
    draw = np.random.default_rng(3)
    flat = [
        SeenRate(k, rate * float(draw.normal(1.0, 0.01)))
        for k, rate in ((3, 20.0), (6, 20.0))
        for _ in range(6)
    ]
    flat += [SeenRate(9, 20.0 * 6 / 9 * 1.04) for _ in range(6)]
    learned = learn_scaling(flat)
    assert learned is not None
    assert find_peak(learned.scaling) == 6
    said = describe_learned("score", learned).detail
    assert "6 → 9 processors at score served 4.3% more. No plan gives more than 6." in said
    # Other code may be the cure.
    assert learn_scaling(flat, 2) is None
    assert learn_scaling([*flat, *measure(STRAIGHT, (6, 9), draw, revision=2)], 2) is None


def test_the_evidence_names_counts_rates_and_what_is_likely_with_twice_as_many() -> None:
    learned = learn_scaling(measure(Scaling(sigma=0.05), (4, 12), np.random.default_rng(4)))
    assert learned is not None
    low, middle, high = learned.kept
    assert low <= middle <= high
    truth = float(slow_down(Scaling(sigma=0.05), 24.0) / slow_down(Scaling(sigma=0.05), 12.0))
    assert low <= truth <= high
    note = describe_learned("score", learned)
    assert (note.code, note.operators) == ("capacity-learned", ("score",))
    assert "17.4/s with 4 (20 intervals), 12.8/s with 12 (20 intervals)" in note.detail
    assert "With 24, one would keep " in note.detail


def test_an_operator_that_is_slow_for_a_while_and_gets_more_processors_does_not_bend() -> None:
    draw = np.random.default_rng(5)

    def run(count: int, rate: float, change: int) -> list[SeenRate]:
        return [SeenRate(count, rate * float(draw.normal(1.0, NOISE)), 1, change) for _ in range(4)]

    # It is slow from before the first change on, until after the second one, and quick again before the third one.
    seen = [
        *run(14, 20.4, 0),
        *run(40, 20.4, 0),
        *run(40, 20.4, 1),
        *run(27, 20.4, 1),
        *run(27, 34.0, 2),
        *run(16, 34.0, 2),
    ]
    assert learn_scaling(seen) is None
    # Compared over all changes it would look as if 40 had made it slow.
    assert learn_scaling([one._replace(change=0) for one in [*run(14, 34.0, 0), *seen[4:12]]]) is not None
