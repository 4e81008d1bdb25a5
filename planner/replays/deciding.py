"""The decisions of a replay one after the other, with what each of them must know of those before it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from planner.decisions.case import DecisionQuestion
from planner.decisions.compose import Decision, decide
from planner.decisions.horizon import NO_OUTLOOK, RateHistory, look_out
from planner.decisions.policy import LastChange, Policy
from planner.decisions.state_migration import OwnersLeft
from planner.economics.history import History, SeenInterval
from planner.economics.steady import smooth_seen
from planner.replays.course import Ran
from planner.replays.recording import Recording, apply_factors, keep_alike
from planner.values import Load
from planner.workloads.line_forecasts import HISTORY
from planner.workloads.series import Measurement
from planner.workloads.weighed_forecast import LOOKED_BACK


@dataclass
class Deciding:
    """The decisions of a replay one after the other, with what each of them must know of those before it."""

    recording: Recording
    policy: Policy
    played: dict[int, Load] = field(default_factory=dict)
    seen: list[SeenInterval] = field(default_factory=list)
    rates: list[Measurement] = field(default_factory=list)
    last: tuple[float, float] | None = None
    needed: list[tuple[float, int]] = field(default_factory=list)
    owners: dict[str, OwnersLeft] = field(default_factory=dict)
    promised_until: float | None = None

    def __post_init__(self) -> None:
        """Begins with what was measured before the replay."""
        recording = self.recording
        self.rates += recording.earlier
        for place, one in enumerate(recording.intervals[: recording.first]):
            self.remember(one.ended, one.load)
            if place and recording.counts[place] != recording.counts[place - 1]:
                began = recording.intervals[place - 1]
                self.last = began.ended, began.load.external_rate

    def remember(self, ended: float, load: Load) -> None:
        """Adds an interval to the rates and times that decisions look back on."""
        self.seen.append(self.recording.see(load))
        self.rates.append(Measurement(ended - self.recording.window_seconds, load.external_rate))

    def add(self, place: int, counts: Sequence[int], ran: Ran) -> None:
        """Adds an interval that ran with these processors."""
        recorded = self.recording.intervals[place]
        load = self.recording.loads[place]
        operators = {
            name: load.operators[name]._replace(
                processors=count, backlog_tuples=waiting, measured_wait_seconds=None
            )
            for name, count, waiting in zip(self.recording.names, counts, ran.backlog, strict=True)
        }
        self.played[place] = replace(
            load,
            operators=operators,
            measured_sojourn_seconds=ran.seconds,
            measured_completion_seconds=None,
        )
        self.remember(recorded.ended, self.played[place])

    def decide(self, place: int, counts: tuple[int, ...]) -> tuple[int, ...]:
        """The processors to run after the interval at a place."""
        question = self.ask(place, counts)
        now = self.recording.intervals[place].ended
        decision = decide(question)
        if self.policy.scale_down_window_seconds:
            self.needed.append((now, decision.needed))
        terms = question.catch_up
        waits = any(one.backlog_tuples for one in question.load.operators.values())
        self.promised_until = now + terms.promised_seconds if waits and terms is not None else None
        if decision.action == "hold":
            return counts
        self.change(now, decision)
        return tuple([one.processors for one in decision.recommended.operators])

    def change(self, now: float, decision: Decision) -> None:
        """Remembers a change."""
        self.last = now, decision.current.external_rate
        migrated = decision.moves.migrations
        self.owners = {name: OwnersLeft(one.after, tuple(one.owners)) for name, one in migrated.items()}

    def ask(self, place: int, counts: tuple[int, ...]) -> DecisionQuestion:
        """The question of the decision, as the service asks it for stored data."""
        recording = self.recording
        now, window = recording.intervals[place], recording.window_seconds
        policy = now.policy or self.policy
        newest = range(max(0, place - recording.smoothed + 1), place + 1)
        if policy.is_economic:
            loads = keep_alike(recording, newest, self.played)
        else:
            loads = [self.played.get(one, recording.loads[one]) for one in newest]
        smoothed, intervals = recording.smooth(loads)
        load = apply_factors(smoothed, now.factors)
        seen = None
        if policy.is_economic:
            target = policy.t_max_seconds or 0.0
            pause = policy.change_pause_seconds
            seen = History.gather(self.seen[-HISTORY:], window, target, now.ended, pause)
            load = smooth_seen(recording.topology, load, intervals, window, seen)
        history = None
        if policy.is_looking_ahead or policy.states:
            history = RateHistory(self.rates[-LOOKED_BACK:], window)
        outlook = look_out(history, policy) if history is not None and policy.is_looking_ahead else NO_OUTLOOK
        wanted = [one for one in self.needed if one[0] >= now.ended - policy.scale_down_window_seconds]
        until = self.promised_until
        return DecisionQuestion(
            recording.topology,
            load,
            counts,
            policy,
            None if self.last is None else LastChange(now.ended - self.last[0], self.last[1]),
            now.load.external_rate,
            intervals,
            outlook,
            history,
            self.owners,
            catch_up_left_seconds=None if until is None else until - now.ended,
            wanted_before=max([count for _, count in wanted], default=None),
            seen=seen,
        )
