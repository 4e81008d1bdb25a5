"""Stored intervals as a replay reads them: each with its load, and what decisions read of several of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from planner.calibration.modelled_waits import Interval
from planner.decisions.policy import Policy
from planner.economics.history import MINUTE, History, SeenInterval
from planner.values import Load, Topology
from planner.workloads.line_forecasts import HISTORY
from planner.workloads.series import Measurement

Smoother = Callable[[Sequence[Load]], tuple[Load, tuple[Interval, ...]]]


@dataclass(frozen=True, slots=True)
class Recorded:
    """One stored interval: its end in seconds, its load with the processors of all operators, and by operator the
    factor that calibration gave to modelled waits by then. `policy`: the policy of that time, if it differs.
    """

    ended: float
    load: Load
    factors: Mapping[str, float | None] = field(default_factory=dict)
    policy: Policy | None = None


@dataclass(frozen=True)
class Recording:
    """Stored intervals of one length, oldest first: from the place `first` on they are replayed.

    `smooth` makes one load of the newest `smoothed` loads, as the decisions of the policy do. `t_max_seconds` is the
    target of E[T], 0 without one. `earlier` are the external rates before all intervals, oldest first.
    """

    topology: Topology
    intervals: Sequence[Recorded]
    first: int
    window_seconds: float
    smooth: Smoother
    smoothed: int
    t_max_seconds: float = 0.0
    earlier: Sequence[Measurement] = ()

    @cached_property
    def names(self) -> list[str]:
        """The operators, in the topology's order."""
        return [one.name for one in self.topology.operators]

    @cached_property
    def counts(self) -> list[tuple[int, ...]]:
        """The processors that ran in each interval."""
        return [self.count(one.load) for one in self.intervals]

    @cached_property
    def loads(self) -> list[Load]:
        """The loads, where those that a change of what ran disturbs have the measurements of the steady one before."""
        seen = [self.see(one.load) for one in self.intervals]
        history = History(seen, self.window_seconds / MINUTE, self.t_max_seconds)
        loads: list[Load] = []
        steady: Load | None = None
        for place, one in enumerate(self.intervals):
            load = one.load
            if place < self.first or history.is_steady(place):
                steady = load if history.is_steady(place) else steady
            elif steady is not None and steady.external_rate > 0.0:
                load = self.undisturb(load, steady)
            loads.append(load)
        return loads

    def undisturb(self, load: Load, steady: Load) -> Load:
        """A load with the services, visits and variations of a steady one."""
        part = load.external_rate / steady.external_rate
        operators = {
            name: one._replace(
                processors=load.operators[name].processors,
                arrival_rate=None if one.arrival_rate is None else part * one.arrival_rate,
            )
            for name, one in steady.operators.items()
        }
        return replace(load, operators=operators)

    def count(self, load: Load) -> tuple[int, ...]:
        """The processors of a load, in the topology's order."""
        return tuple([load.operators[name].processors or 1 for name in self.names])

    def see(self, load: Load) -> SeenInterval:
        """An interval as the economic rule reads it."""
        waiting = [load.operators[name].backlog_tuples for name in self.names]
        known = [one for one in waiting if one is not None]
        return SeenInterval(
            load.external_rate,
            self.count(load),
            load.measured_sojourn_seconds,
            tuple(known) if len(known) == len(waiting) else None,
        )


def keep_alike(recording: Recording, places: range, played: Mapping[int, Load] | None = None) -> list[Load]:
    """The loads at places, where shares of instances stay only if as many processors ran as in the last."""
    newest = recording.loads[places[-1]]
    loads = []
    for place in places:
        recorded = recording.loads[place]
        load = (played or {}).get(place, recorded)
        other = {
            name: one._replace(instances=())
            for name, one in load.operators.items()
            if one.instances and recorded.operators[name].processors != newest.operators[name].processors
        }
        loads.append(replace(load, operators={**load.operators, **other}) if other else load)
    return loads


def apply_factors(load: Load, factors: Mapping[str, float | None]) -> Load:
    """The load with the factors that calibration gave to modelled waits."""
    operators = {
        name: one._replace(wait_factor=factors.get(name, one.wait_factor))
        for name, one in load.operators.items()
    }
    return replace(load, operators=operators)


def see_all(recording: Recording, place: int, policy: Policy, most: int = HISTORY) -> History:
    """The newest intervals up to a place as they were measured."""
    some = recording.intervals[max(0, place + 1 - most) : place + 1]
    seen = [recording.see(one.load) for one in some]
    ended = recording.intervals[place].ended
    target, pause = policy.t_max_seconds or 0.0, policy.change_pause_seconds
    return History.gather(seen, recording.window_seconds, target, ended, pause)
