"""Replays: what is served, what waits, what it costs, and that nothing is lost on the way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.arrays import Floats
from planner.vms.replay import Capacity, Replay, interpolate_capacity, replay_policy, replay_schedule
from planner.vms.timing import Belief, Observed, Timing
from planner.workloads.series import InvalidSchedule, Window
from tests.planner.imai import mst_samples


class Scripted:
    """Decides what it was told to, and remembers what it saw."""

    def __init__(self, vms: list[int], *, reactive: bool) -> None:
        self.reactive = reactive
        self.script = iter(vms)
        self.seen: list[tuple[int, int, Window]] = []

    def decide_vms(self, observed: Observed, window: Window) -> int:
        self.seen.append((len(observed.rates), len(observed.vms), window))
        return next(self.script)

    def believe(self, vms: int) -> Belief:
        return Belief(10.0 * vms, 0.25)


STEADY = Capacity(np.array([1.0, 2.0, 3.0, 4.0]), np.zeros(4))


def test_decisions_are_made_a_start_up_ahead_on_what_was_seen_by_then() -> None:
    policy = Scripted([1, 3, 2], reactive=False)
    run = replay_policy(policy, np.ones(30), STEADY, Timing(), seed=0)
    assert policy.seen == [(1, 0, Window(1, 9)), (9, 9, Window(2, 11)), (19, 19, Window(2, 11))]
    assert run.vms.tolist() == [1] * 10 + [3] * 10 + [2] * 10
    assert (run.believed == 10.0 * run.vms).all()
    assert (run.expected_missed == 0.25).all()


def test_reactive_vms_come_late_and_go_at_once() -> None:
    policy = Scripted([1, 3, 2], reactive=True)
    run = replay_policy(policy, np.ones(30), STEADY, Timing(), seed=0)
    assert [seen[:2] for seen in policy.seen] == [(1, 0), (11, 10), (21, 20)]
    assert run.vms.tolist() == [1] * 12 + [3] * 8 + [2] * 10


def test_decisions_of_several_intervals_are_under_way_while_a_vm_starts() -> None:
    policy = Scripted([1, 2, 3, 4, 1], reactive=False)
    run = replay_policy(policy, np.ones(25), STEADY, Timing(5, 12), seed=0)
    assert policy.seen == [
        *((1, 0, Window(1, 4)), (1, 1, Window(5, 9)), (1, 1, Window(10, 14))),
        *((4, 4, Window(12, 16)), (9, 9, Window(12, 16))),
    ]
    assert run.vms.tolist() == [1] * 5 + [2] * 5 + [3] * 5 + [4] * 5 + [1] * 5


def test_without_a_start_a_decision_knows_the_steps_before_its_interval() -> None:
    policy = Scripted([1, 2, 3], reactive=False)
    replay_policy(policy, np.ones(3), STEADY, Timing(1, 0), seed=0)
    assert policy.seen == [(1, 0, Window(1, 1)), (1, 1, Window(1, 1)), (2, 2, Window(1, 1))]


@given(
    wanted=st.lists(st.integers(1, 4), min_size=1, max_size=12),
    interval=st.integers(1, 5),
    startup=st.integers(0, 14),
)
def test_reactive_vms_run_a_start_after_they_were_asked_for(
    wanted: list[int], interval: int, startup: int
) -> None:
    steps = interval * len(wanted)
    run = replay_policy(Scripted(wanted, reactive=True), np.ones(steps), STEADY, Timing(interval, startup), 0)
    for step, running in enumerate(run.vms.tolist()):
        now = step // interval
        # A VM runs if it was wanted at every decision from a start ago until now, or from the very first.
        first = max((step - startup) // interval, 0)
        assert running == min(wanted[first : now + 1])


def test_vms_that_are_paid_for_stay_and_are_the_cost() -> None:
    policy = Scripted([3, 1, 1, 2], reactive=False)
    run = replay_policy(policy, np.ones(40), STEADY, Timing(billing_seconds=900.0), seed=0)
    # Three VMs are paid for 15 steps; one of them is wanted at step 15, and again at step 30 with a second one.
    assert run.vms.tolist() == [3] * 15 + [1] * 15 + [2] * 10
    assert run.score.cost_to_truth == pytest.approx((45 + 15 + 20) / (2 * 40))
    late = replay_policy(
        Scripted([3, 1, 3, 3], reactive=True), np.ones(40), STEADY, Timing(10, 4, 60.0, 1500.0), seed=0
    )
    # What is asked for again while it is still paid for is there at once, and starts late otherwise.
    assert late.vms.tolist() == [3] * 40
    short = Timing(10, 4, 60.0, 900.0)
    late = replay_policy(Scripted([3, 1, 3, 3], reactive=True), np.ones(40), STEADY, short, seed=0)
    assert late.vms.tolist() == [3] * 15 + [1] * 9 + [3] * 16


@given(
    rates=st.lists(st.floats(0.0, 50.0), min_size=1, max_size=60),
    vms=st.integers(1, 128),
    seed=st.integers(0, 99),
)
def test_what_is_offered_is_served_or_waits(rates: list[float], vms: int, seed: int) -> None:
    capacity = interpolate_capacity(mst_samples("grep"), 128)
    replay = Replay(np.array(rates), capacity, Timing(), seed)
    for start in range(0, len(rates), 10):
        replay.serve(start, min(start + 10, len(rates)), vms)
    offered, served = sum(rates), float(replay.served.sum())
    assert offered * 60.0 == pytest.approx(served * 60.0 + replay.backlogs[-1], rel=1e-9, abs=1e-6)
    assert (replay.served <= replay.throughputs + 1e-9).all()
    assert (replay.saturated == (np.array(rates) >= replay.throughputs)).all()


def test_the_scores_are_the_paper_s_equations() -> None:
    rates = np.array([0.5, 1.5, 2.5, 3.5, 0.5])
    run = replay_schedule(np.array([1.0, 1.0, 3.0, 3.0, 3.0]), rates, STEADY, Timing(), seed=0)
    truth = [1, 2, 3, 4, 1]
    assert run.score.qos_percent == pytest.approx(100.0 * 3 / 5)
    assert run.score.cost_to_truth == pytest.approx(11 / sum(truth))
    assert run.score.cost_to_static == pytest.approx(11 / (5 * 4))
    assert run.score.max_backlog == pytest.approx(30.0)
    assert run.backlogs.tolist() == pytest.approx([0.0, 30.0, 0.0, 30.0, 0.0])


def test_each_interval_draws_once() -> None:
    capacity = interpolate_capacity(mst_samples("grep"), 128)

    def throughputs(seed: int) -> Floats:
        return replay_schedule(np.full(40, 8.0), np.ones(40), capacity, Timing(), seed).throughputs

    drawn = throughputs(1).reshape(4, 10)
    assert (drawn == drawn[:, :1]).all()
    assert len(set(drawn[:, 0])) == 4
    assert (throughputs(1) == throughputs(1)).all()
    assert (throughputs(1) != throughputs(2)).all()


@pytest.mark.parametrize("timing", [Timing(0, 0), Timing(5, -1), Timing(5, 1, 0.0)])
def test_a_schedule_that_cannot_be_is_refused(timing: Timing) -> None:
    with pytest.raises(InvalidSchedule):
        Replay(np.ones(9), STEADY, timing, 0)
