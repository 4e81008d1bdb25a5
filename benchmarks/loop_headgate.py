"""Headgate's own rules as controllers of the loop, called in process on the values that the service would gather."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from benchmarks.loop_platform import MINUTE, Job, Minute
from planner.calibration.modelled_waits import Interval
from planner.decisions.case import DecisionQuestion
from planner.decisions.compose import decide
from planner.decisions.horizon import RateHistory, look_out
from planner.decisions.policy import LastChange, Policy
from planner.economics.choose import EconomicTerms, choose
from planner.economics.history import History, SeenInterval
from planner.economics.steady import smooth_seen
from planner.situations.situation import survey_load
from planner.topology.smoothing import smooth_window
from planner.values import DEFAULT_MODEL
from planner.workloads.series import Measurement

REMEMBERED, SMOOTHED = 1_440, 40


@dataclass
class RulesOfDrs:
    """The rules of planner.decisions with the policy that the documents recommend."""

    job: Job
    target_seconds: float
    last: tuple[int, float] | None = None
    needed: list[int] = field(default_factory=list)

    def __call__(self, minutes: Sequence[Minute]) -> tuple[int, ...]:
        """The processors to run after these minutes."""
        policy = Policy(
            t_max_seconds=self.target_seconds,
            t_min_seconds=0.8 * self.target_seconds,
            cooldown_seconds=300.0,
            least_saving=0.1,
            scale_down_window_seconds=600.0,
            catch_up_seconds=300.0,
        )
        newest = minutes[-1]
        loads = [one.load for one in minutes[-6:]]
        rates = [
            Measurement(MINUTE * (len(minutes) - back), one.load.external_rate)
            for back, one in reversed(list(enumerate(reversed(minutes[-REMEMBERED:]))))
        ]
        history = RateHistory(rates, MINUTE)
        last = None
        if self.last is not None:
            last = LastChange(MINUTE * (len(minutes) - self.last[0]), self.last[1])
        question = DecisionQuestion(
            self.job.topology,
            smooth_window(loads, 6)[0],
            newest.counts,
            policy,
            last,
            newest.load.external_rate,
            [Interval(one) for one in loads],
            history=history,
            wanted_before=max(self.needed[-10:], default=None),
        )
        made = decide(replace(question, outlook=look_out(history, policy)))
        self.needed.append(made.needed)
        if made.action == "hold":
            return newest.counts
        self.last = (len(minutes), newest.load.external_rate)
        return tuple(one.processors for one in made.recommended.operators)


@dataclass
class EconomicRule:
    """The economic rule, which needs a target and a promise."""

    job: Job
    target_seconds: float
    promise: float = 0.97

    def __call__(self, minutes: Sequence[Minute]) -> tuple[int, ...]:
        """The processors to run after these minutes."""
        kept, length = minutes[-REMEMBERED:], minutes[-1].length
        intervals = [see(self.job, one) for one in kept]
        history = History.gather(intervals, length, self.target_seconds, length * len(minutes))
        loads = [one.load for one in kept[-SMOOTHED:]]
        whole = smooth_window(loads, len(loads))[0]
        load = smooth_seen(self.job.topology, whole, [Interval(one) for one in loads], length, history)
        situation = survey_load(self.job.topology, load, DEFAULT_MODEL, is_open=True)
        rates = [one.rate for one in history.intervals]
        made = choose(situation, history, rates, EconomicTerms(self.target_seconds, self.promise))
        self.made = made
        return kept[-1].counts if made is None else made.counts


def see(job: Job, minute: Minute) -> SeenInterval:
    """A minute as an interval of the history."""
    backlog = tuple(minute.load.operators[one.name].backlog_tuples or 0.0 for one in job.parts)
    return SeenInterval(
        minute.load.external_rate, minute.counts, minute.load.measured_sojourn_seconds, backlog
    )
