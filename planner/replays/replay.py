"""What a policy would have done over stored intervals, beside what ran.

At the end of each interval the policy decides with the code of all decisions (planner.decisions.compose.decide): on the
measured rates and services, with the processors that it would run by then, and with the times and the backlog that the
model gives for these (planner.replays.course). Its change begins with the next interval. Before the first interval of
the replay, all is as it was measured.
"""

from dataclasses import dataclass

from planner.decisions.policy import Policy, bound_topology
from planner.economics.history import MINUTE, ChangeCost
from planner.economics.needs import Needs
from planner.economics.steady import CALIBRATED, find_correction
from planner.errors import PlannerError
from planner.replays.course import Course, Ground
from planner.replays.deciding import Deciding
from planner.replays.recording import Recording, apply_factors, keep_alike, see_all
from planner.situations.situation import scale_load, survey_load
from planner.targets.drawn_target import make_target
from planner.topology.smoothing import smooth_window

MODELLED_FROM = 10
"""The newest intervals of which services and visits are taken for the model of one interval; its rate is its own."""


@dataclass(frozen=True)
class PolicyReplay:
    """The course of the policy and of what ran, what a change was taken to cost, and the intervals without decision.

    `measured_late_share` is the part of the time of what ran that was measured above the target; None: unknown.
    """

    planned: Course
    ran: Course
    pause: ChangeCost
    undecided: int
    measured_late_share: float | None


def replay(recording: Recording, policy: Policy) -> PolicyReplay:
    """Decides at the end of each interval of the recording; raises what every decision raised if none was possible."""
    pause = find_pause(recording, policy)
    first = recording.counts[max(0, recording.first - 1)]
    ran, planned = Course(first, pause.pause_seconds), Course(first, pause.pause_seconds)
    deciding = Deciding(recording, policy)
    counts, undecided = first, 0
    error: PlannerError | None = None
    for place in range(recording.first, len(recording.intervals)):
        try:
            ground = lay_ground(recording, policy, place)
            ran.run(ground, recording.counts[place])
            deciding.add(place, counts, planned.run(ground, counts))
            counts = deciding.decide(place, counts)
        except PlannerError as refused:
            error, undecided = refused, undecided + 1
    if error is not None and undecided == len(recording.intervals) - recording.first:
        raise error
    return PolicyReplay(planned, ran, pause, undecided, measure_late(recording, policy))


def lay_ground(recording: Recording, policy: Policy, place: int) -> Ground:
    """The interval at a place as a situation, with the target of the policy and the correction of modelled waits."""
    newest = recording.intervals[place]
    alike = keep_alike(recording, range(max(0, place - MODELLED_FROM + 1), place + 1))
    load = apply_factors(smooth_window(alike, MODELLED_FROM)[0], newest.factors)
    bounded = bound_topology(recording.topology, policy)
    situation = scale_load(survey_load(bounded, load, policy.model), newest.load.external_rate)
    target = make_target(situation, policy.limit)
    correction = 1.0
    if policy.t_max_seconds is not None and newest.load.external_rate > 0.0:
        seen = see_all(recording, place, policy, round(2.0 * CALIBRATED * MINUTE / recording.window_seconds))
        correction = find_correction(Needs(situation, policy.t_max_seconds), seen).factor
    return Ground(situation, target, correction, recording.window_seconds)


def find_pause(recording: Recording, policy: Policy) -> ChangeCost:
    """What a change costs: as the policy says, or as all changes of the recording show."""
    seen = see_all(recording, len(recording.intervals) - 1, policy, len(recording.intervals))
    busy = 0.0
    try:
        ground = lay_ground(recording, policy, recording.first)
        busy = min(1.0, ground.rate / min(ground.find_full(recording.counts[recording.first])))
    except PlannerError:
        pass
    found = seen.find_change_cost(busy)
    if policy.change_pause_seconds is None:
        return found
    return ChangeCost(found.late, policy.change_pause_seconds, found.changes)


def measure_late(recording: Recording, policy: Policy) -> float | None:
    """The share of the measured intervals whose E[T] was above the target; None if none was measured."""
    loads = [one.load for one in recording.intervals[recording.first :]]
    times = [one.measured_sojourn_seconds for one in loads if one.measured_sojourn_seconds is not None]
    if policy.t_max_seconds is None or not times:
        return None
    return sum(1 for one in times if one > policy.t_max_seconds) / len(times)
