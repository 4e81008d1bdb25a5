"""The papers' control loops, replayed; and that they keep still when nothing happens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from planner.calibration.modelled_waits import Interval
from planner.decisions.compose import Decision
from planner.decisions.policy import LastChange, Policy
from planner.decisions.state_migration import State
from planner.situations.situation import estimate
from planner.topology.smoothing import smooth_window
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology
from tests.planner.decisions.asked import decide

# Video logo detection (DRS, Fig. 4). The paper prints no service rates: with these, three extractors carry 6 frames/s
# within [T_min, T_max], miss T_max at 12 and drown at 18, as in its Fig. 9.
VLD = Topology(
    (Operator("extractor"), Operator("matcher"), Operator("aggregator")),
    (Edge("extractor", "matcher", 10.0), Edge("matcher", "aggregator", 0.1)),
    (Entry("extractor"),),
)
VLD_RATES = {"extractor": 4.3, "matcher": 66.7, "aggregator": 25.0}
LONG_TERM = [6.0] * 6 + [12.0] * 15 + [6.0] * 13 + [18.0] * 16  # changes at the 6th, 21st and 34th minute
SHORT_TERM = [6.0] * 6 + [12.0] * 3 + [6.0] * 21  # a burst from the 6th to the 9th


@dataclass
class Plant:
    """A platform that does what it is told, and measures each interval what the model expects of what runs."""

    topology: Topology
    service_rates: Mapping[str, float]
    running: dict[str, int]
    policy: Policy
    window: int
    interval_seconds: float = 60.0
    loads: list[Load] = field(default_factory=list)
    changes: list[tuple[int, str, tuple[int, ...]]] = field(default_factory=list)
    changed: tuple[int, float] | None = None

    def measure(self, external_rate: float, service_rates: Mapping[str, float] | None = None) -> None:
        rates = service_rates or self.service_rates
        operators = {name: OperatorLoad(mu, processors=self.running[name]) for name, mu in rates.items()}
        load = Load(external_rate, operators)
        expected = estimate(self.topology, load).expected_sojourn_seconds
        # What cannot keep up is seen to take long, not for ever: a minute's queue.
        seen = 5.0 if expected is None else expected
        self.loads.append(replace(load, measured_sojourn_seconds=seen))

    def decide(self) -> Decision:
        smoothed, _ = smooth_window(self.loads, self.window)
        now = len(self.loads)
        last = None
        if self.changed:
            last = LastChange((now - self.changed[0]) * self.interval_seconds, self.changed[1])
        return decide(
            self.topology,
            smoothed,
            list(self.running.values()),
            self.policy,
            last,
            newest_rate=self.loads[-1].external_rate,
            intervals=[Interval(load) for load in self.loads[-self.window :]],
        )

    def follow(self) -> Decision:
        decision = self.decide()
        if decision.action != "hold":
            self.running = {one.name: one.processors for one in decision.recommended.operators}
            self.changed = (len(self.loads), decision.recommended.external_rate)
            self.changes.append((len(self.loads), decision.action, tuple(self.running.values())))
        return decision


def show(title: str, plant: Plant) -> None:
    """The sequence of decisions, for `pytest -rP`."""
    print(title, *plant.changes, sep="\n  ")  # noqa: T201 -- a replay is there to be read


def replay_vld(pattern: Sequence[float], window: int) -> list[tuple[int, str, tuple[int, ...]]]:
    policy = Policy(t_max_seconds=1.0, t_min_seconds=0.45, cooldown_seconds=60.0 * window)
    plant = Plant(VLD, VLD_RATES, {"extractor": 3, "matcher": 3, "aggregator": 1}, policy, window)
    for rate in pattern:
        plant.measure(rate)
        if len(plant.loads) >= window:
            plant.follow()
    show(f"w = {window}", plant)
    return plant.changes


def test_drs_figure_9_changes_once_for_each_step_of_the_load():
    changes = replay_vld(LONG_TERM, 6)
    assert [action for _, action, _ in changes] == ["scale_up", "scale_down", "scale_up"]
    # The paper's second and third come at the 27th (6 minutes after the step) and the 35th minute, as here.
    assert [minute for minute, _, _ in changes] == [10, 27, 35]


def test_drs_figure_9_a_short_window_answers_sooner():
    slow, quick = replay_vld(LONG_TERM, 6), replay_vld(LONG_TERM, 3)
    assert [action for _, action, _ in quick] == ["scale_up", "scale_down", "scale_up"]
    assert all(one[0] <= other[0] for one, other in zip(quick, slow, strict=True))
    assert quick[1][0] == 24  # 3 minutes after the step, as in the paper


def test_drs_figure_9_a_burst_of_three_minutes_passes_a_long_window_and_not_a_short_one():
    assert replay_vld(SHORT_TERM, 6) == []
    assert [action for _, action, _ in replay_vld(SHORT_TERM, 3)] == ["scale_up", "scale_down"]


# Es-Stream, section VI-C: rates of Fig. 15; selectivities and service rates are ours.
COUNTING = Topology(
    (Operator("reader"), Operator("splitter"), Operator("counter")),
    (Edge("reader", "splitter"), Edge("splitter", "counter")),
    (Entry("reader"),),
)
COUNTING_RATES = {"reader": 900.0, "splitter": 300.0, "counter": 450.0}


def test_es_stream_figure_15_scales_up_and_then_down_by_the_trigger():
    policy = Policy(beta=0.5, trigger=0.2, model="mmk")
    running = {"reader": 1, "splitter": 1, "counter": 1}
    plant = Plant(COUNTING, COUNTING_RATES, running, policy, window=1, interval_seconds=10.0)
    for rate in [1800.0] * 10 + [3600.0] * 6 + [2700.0] * 6:
        plant.measure(rate)
        plant.follow()
    show("trigger 0.2", plant)
    totals = [sum(counts) for _, _, counts in plant.changes]
    assert [(at, action) for at, action, _ in plant.changes] == [
        (1, "scale_up"),  # from one of each
        (11, "scale_up"),
        (17, "scale_down"),
    ]
    assert totals[0] < totals[2] < totals[1]


def test_a_change_of_the_rate_below_the_trigger_is_ignored():
    policy = Policy(beta=0.5, trigger=0.2, model="mmk")
    plant = Plant(COUNTING, COUNTING_RATES, dict.fromkeys(COUNTING_RATES, 1), policy, window=1)
    for rate in (1800.0, 2100.0, 1500.0, 1800.0 * 1.19):
        plant.measure(rate)
        decision = plant.follow()
    assert len(plant.changes) == 1
    assert decision.reasons[-1].code in {"trigger", "at-optimum"}
    plant.measure(1800.0 * 1.21)
    assert plant.follow().action == "scale_up"


@pytest.mark.parametrize(
    ("policy", "most_changes"),
    [
        (Policy(k_max=14), 1),
        (Policy(t_max_seconds=1.0, t_min_seconds=0.45, cooldown_seconds=300.0), 1),
        (Policy(beta=0.5, trigger=0.2), 1),
    ],
    ids=["best-split", "latency-target", "tradeoff"],
)
def test_a_constant_load_with_poisson_noise_changes_next_to_nothing_in_four_hundred_decisions(
    policy: Policy, most_changes: int
):
    """Counts of a minute scatter by their square root: 9 frames/s by 4%, services at each operator likewise."""
    generator = np.random.default_rng(6)
    plant = Plant(VLD, VLD_RATES, {"extractor": 4, "matcher": 4, "aggregator": 2}, policy, window=6)
    for _ in range(400):
        rate = float(generator.poisson(9.0 * 60.0)) / 60.0
        service = {
            name: mu * float(generator.normal(1.0, 1.0 / np.sqrt(60.0 * rate)))
            for name, mu in VLD_RATES.items()
        }
        plant.measure(rate, service)
        plant.follow()
    show("noise", plant)
    assert len(plant.changes) <= most_changes


def make(external_rate: float, running: Sequence[int], **options: Any) -> Decision:
    operators = {name: OperatorLoad(mu) for name, mu in VLD_RATES.items()}
    measured = options.pop("measured", None)
    last = options.pop("last", None)
    return decide(VLD, Load(external_rate, operators, measured), running, Policy(**options), last)


def codes(decision: Decision) -> list[str]:
    return [reason.code for reason in decision.reasons]


def test_the_same_arguments_decide_the_same():
    assert make(9.0, (3, 3, 1), t_max_seconds=0.6) == make(9.0, (3, 3, 1), t_max_seconds=0.6)


def test_best_split_moves_only_for_a_gain():
    moved = make(9.0, (3, 6, 5), k_max=14)
    assert moved.action == "rebalance"
    assert sum(one.processors for one in moved.recommended.operators) == 14
    near = [one.processors for one in moved.recommended.operators]
    near[0] -= 1
    near[1] += 1
    held = make(9.0, near, k_max=14)
    assert (held.action, codes(held)[-1]) == ("hold", "gain-too-small")
    assert make(9.0, near, k_max=14, least_gain=0.0).action == "rebalance"
    assert make(9.0, near, k_max=10).action == "scale_down"


def test_an_interval_without_input_gives_nothing_up_for_speed():
    # One interval that measured nothing must not take the processors away that the best split has no use for now.
    assert make(0.0, (5, 5, 4), k_max=14).action == "hold"
    assert make(0.0, (5, 5, 4), t_max_seconds=1.0, t_min_seconds=0.1).action == "hold"
    assert make(0.0, (5, 5, 4), t_max_seconds=1.0, t_min_seconds=0.5).action == "scale_down"  # asked for


def test_the_measurement_is_believed_over_the_model():
    # The model finds three extractors enough; they are measured to take twice as long as it says.
    decision = make(8.0, (3, 2, 1), t_max_seconds=1.0, measured=1.2)
    assert decision.action == "scale_up"
    assert "model-corrected" in codes(decision)
    hopeless = make(6.0, (9, 9, 9), t_max_seconds=1.0, measured=50.0)
    assert hopeless.action == "hold"
    assert [one.code for one in hopeless.constraints] == ["waiting-is-not-it"]


def test_e_t_measured_far_from_the_model_is_said_where_the_interval_ran_with_these_processors():
    operators = {name: OperatorLoad(mu, processors=4) for name, mu in VLD_RATES.items()}
    load = Load(6.0, operators, measured_sojourn_seconds=60.0)
    policy = Policy(t_max_seconds=100.0)

    def list_codes(running: Sequence[int], intervals: Sequence[Interval] | None) -> list[str]:
        found = decide(VLD, load, running, policy, intervals=intervals)
        return [one.code for one in found.current.diagnostics]

    assert "sojourn-disagrees" in list_codes([4, 4, 4], [Interval(load)])
    assert "sojourn-disagrees" not in list_codes([5, 4, 4], [Interval(load)])
    unknown = replace(load, operators={**operators, "matcher": OperatorLoad(66.7)})
    assert "sojourn-disagrees" not in list_codes([4, 4, 4], [Interval(load), Interval(unknown)])


def test_bounds_are_kept_and_named():
    capped = make(12.0, (3, 3, 1), t_max_seconds=0.45, k_max=9)
    assert sum(one.processors for one in capped.recommended.operators) == 9
    assert [one.code for one in capped.constraints] == ["k_max"]
    short = make(12.0, (3, 3, 1), k_max=5)
    assert (short.action, short.constraints[0].code) == ("hold", "k_max")
    bounded = make(18.0, (3, 3, 1), t_max_seconds=1.0, bounds={"extractor": (1, 4)})
    assert (bounded.action, bounded.constraints[0].code) == ("scale_up", "max_processors")
    assert bounded.recommended.operators[0].processors == 4
    assert (
        bounded.recommended.operators[1].processors > 3
    )  # one operator at its bound keeps nothing from the others
    grouped = make(12.0, (3, 3, 1), beta=0.01, states={"matcher": State(4)})
    assert grouped.recommended.operators[1].processors == 4
    unreachable = make(6.0, (3, 3, 1), t_max_seconds=0.1)
    assert (unreachable.action, unreachable.constraints[0].code) == ("hold", "t_max_seconds")


def test_fewer_than_run_only_where_fewer_would_do():
    down = make(3.0, (5, 5, 3), t_max_seconds=1.0, t_min_seconds=0.5)
    assert down.action == "scale_down"
    assert (down.recommended.expected_sojourn_seconds or 9.0) <= 1.0
    held = make(6.0, (5, 5, 3), t_max_seconds=1.0, t_min_seconds=0.3)
    assert held.action == "hold"
