"""The correction of modelled waits by measured ones, over the intervals that a load was smoothed from.

For an interval j with processors k_j and load λ_j the model gives a service part and a wait part

    S_j = Σ vᵢ/μᵢ,    W_j = Σ vᵢWᵢ(k_j, λ_j)

and only the wait is corrected: M_j = S_j + c·W_j with the measured sojourn M_j. Over all intervals that count,
c = Σ(M_j − S_j)⁺ / Σ max(W_j, S_j/20). A longer measurement never lowers c, and the bound S_j/20 keeps measurement
noise from dividing by a tiny wait. Shared queues and a queue per processor (planner.allocation.allocate) have one c
each, because the two waits fall differently with more processors. The second is considered only if no operator of the
topology has a configured queueing.
Modelled waits contain the factors of single operators (planner.calibration) if the load has them, so c corrects only
the rest, and nothing is corrected twice. Whether queues are shared at all is judged without these factors. Whether an
interval counts follows from its load and processors alone, never from its measured times.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum, inf

from planner.allocation.allocate import EvenSplit
from planner.calibration.modelled_waits import Interval, fill_in, find_disturbed, limit_intervals
from planner.errors import PlannerError
from planner.situations.situation import Situation, survey_load
from planner.values import Load, Model, OperatorLoad, Topology

# A wait of 0.2 services means a utilisation of about one sixth: more processors can hardly shorten it.
LITTLE_WAIT = 0.2
# The error of the modelled wait itself (Whitt 1993). A larger factor shows another kind of queue.
MODEL_ERROR = 1.2
LARGEST_FACTOR = 1e6
# Measured times scatter by some percent of the service; the ratio to a modelled wait below that means nothing.
LEAST_WAIT = 0.05
# No queue of an operator that is busier settles to its modelled wait within an interval: what is measured then is how
# much has piled up.
BUSIEST = 0.98


@dataclass(frozen=True, slots=True)
class Correction:
    """The factors of measured over modelled wait; None: no interval counts.

    `shared` is the factor for shared queues, `own` for a queue per processor. `uncalibrated` is `shared` without the
    factors of single operators. `intervals` is the number of intervals that count. `calm` of them ran with the present
    processors and had hardly any wait even with a queue per processor; `calm_missed` of these were nevertheless
    measured above the target.
    """

    shared: float | None = None
    own: float | None = None
    intervals: int = 0
    calm: int = 0
    calm_missed: int = 0
    uncalibrated: float | None = None

    @property
    def factor(self) -> float:
        """The factor for shared queues; 1 where no interval counts."""
        return 1.0 if self.shared is None else self.shared

    @property
    def least_shared(self) -> float:
        """The factor of waits in shared queues, at least 1: a wait shorter than modelled does not justify fewer
        processors.
        """
        return max(1.0, self.shared or 1.0)

    @property
    def is_own(self) -> bool:
        """Whether the measured waits are too long for the model in which the processors of an
        operator share a queue.
        """
        ratio = self.shared if self.uncalibrated is None else self.uncalibrated
        return self.own is not None and ratio is not None and ratio > MODEL_ERROR


UNCORRECTED = Correction()


@dataclass(frozen=True, slots=True)
class IntervalWaits:
    """The modelled and measured times of one interval; `is_here`: the processors that run now ran in this interval."""

    service_seconds: float
    shared_seconds: float
    uncalibrated_seconds: float
    own_seconds: float  # uncalibrated_seconds where own queues are not considered
    measured_seconds: float
    weight: float
    is_here: bool

    @property
    def excess(self) -> float:
        """The measured time of a tuple beyond the modelled time of its services, at least 0."""
        return max(0.0, self.measured_seconds - self.service_seconds)

    @property
    def least_seconds(self) -> float:
        """The modelled wait, but at least a twentieth of the time of services, because measured waits are divided by
        it.
        """
        return LEAST_WAIT * self.service_seconds

    @property
    def is_calm(self) -> bool:
        """Whether by the model tuples hardly wait in this interval, even with a queue per processor if that is
        considered.
        """
        return self.own_seconds <= LITTLE_WAIT * self.service_seconds


def correct_waits(  # noqa: PLR0917 - the arguments of a decision
    topology: Topology,
    load: Load,
    running: Sequence[int],
    intervals: Sequence[Interval],
    model: Model,
    t_max_seconds: float,
) -> Correction:
    """Returns the factors of measured over modelled waits in the newest intervals.

    Values that an interval did not measure are taken from `load`. `running` are the processors that run now.
    Intervals in which a backlog was worked off tell nothing.
    """
    disturbed = find_disturbed(intervals)
    steady = [one for place, one in enumerate(intervals) if place not in disturbed]
    newest = limit_intervals(topology, steady)
    found = [look_at_interval(topology, load, running, one, model) for one in newest]
    seen = [one for one in found if one is not None]
    telling = [one for one in seen if not one.is_calm]
    calm = [one for one in seen if one.is_calm and one.is_here]
    missed = [one for one in calm if one.measured_seconds > t_max_seconds]
    excess = fsum([one.weight * one.excess for one in telling])
    return Correction(
        find_factor(excess, [one.weight * max(one.shared_seconds, one.least_seconds) for one in telling]),
        find_factor(excess, [one.weight * one.own_seconds for one in telling])
        if is_queueing_unknown(topology)
        else None,
        len(telling),
        len(calm),
        len(missed),
        find_factor(
            excess, [one.weight * max(one.uncalibrated_seconds, one.least_seconds) for one in telling]
        ),
    )


def is_queueing_unknown(topology: Topology) -> bool:
    """Whether no operator has a configured kind of queue, so that a queue per processor must be considered too."""
    return all(operator.queueing is None for operator in topology.operators)


def find_factor(excess: float, waits: Sequence[float]) -> float | None:
    """The factor of the measured wait (`excess`) over the sum of modelled waits; None if there is no modelled wait."""
    if not waits:
        return None
    modelled = fsum(waits)
    return min(excess / modelled, LARGEST_FACTOR) if modelled > 0.0 else LARGEST_FACTOR if excess else 0.0


def look_at_interval(
    topology: Topology, load: Load, running: Sequence[int], interval: Interval, model: Model
) -> IntervalWaits | None:
    """Returns the modelled and measured times of an interval.

    Returns None if its E[T] or processors are unknown, or if by the model an operator could hardly keep up.
    """
    measured, rate = interval.load.measured_sojourn_seconds, interval.load.external_rate
    known = [interval.load.operators.get(one.name, OperatorLoad()).processors for one in topology.operators]
    counts = [count for count in known if count is not None]
    if measured is None or not rate or len(counts) < len(known):
        return None
    try:
        situation = survey_load(topology, fill_in(interval.load, load), model)
        busiest = max(situation.stations.find_utilisations(counts))
    except PlannerError:
        return None
    if busiest > BUSIEST:
        return None
    shared = uncalibrated = find_wait(situation, counts)
    if situation.stations.wait_factors is not None:
        stations = replace(situation.stations, wait_factors=None)
        uncalibrated = find_wait(situation._replace(stations=stations), counts)
    own = find_own_wait(situation, counts) if is_queueing_unknown(topology) else uncalibrated
    if inf in {shared, own}:
        return None
    service = situation.find_lower_bound()
    return IntervalWaits(
        service, shared, uncalibrated, own, measured, interval.weight, counts == list(running)
    )


def find_wait(situation: Situation, counts: Sequence[int]) -> float:
    """Returns the modelled mean time that an external tuple waits at all operators, where processors share a queue.

    The sum is Σ vᵢWᵢ: vᵢ visits of operator i, with a wait of Wᵢ each.
    """
    waits = situation.wait_seconds(counts)
    arrivals = situation.stations.arrival_rate
    terms = [float(rate * wait) for rate, wait in zip(arrivals, waits, strict=True) if rate]
    return fsum(terms) / situation.load.external_rate if inf not in terms else inf


def find_own_wait(situation: Situation, counts: Sequence[int]) -> float:
    """Returns the modelled mean time that an external tuple waits at all operators, where each processor has its own
    queue.

    The sum is Σ vᵢWᵢ: vᵢ visits of operator i, with a wait of Wᵢ each.
    """
    return EvenSplit.prepare(situation.stations).waiting(counts) / situation.load.external_rate


def correct_sojourn(situation: Situation, counts: Sequence[int], correction: Correction) -> float | None:
    """Returns the mean time in the topology with these processors, with modelled waits corrected by measured ones.

    E[T] = S + c·W is the time S of services and c times the modelled wait W. Returns None if no interval counts, or if
    an operator cannot keep up.
    """
    if correction.shared is None or not situation.load.external_rate:
        return None
    service = situation.find_lower_bound()
    factor, wait = correction.shared, max(find_wait(situation, counts), LEAST_WAIT * service)
    if correction.is_own and correction.own is not None:
        factor, wait = correction.own, find_own_wait(situation, counts)
    return None if wait == inf else service + factor * wait
