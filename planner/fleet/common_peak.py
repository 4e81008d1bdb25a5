"""How high may the work of all topologies together rise, by what they did together?

Rates of topologies move together, but do not all peak at once. So the quantile is taken of their sum, and the quantiles
of each are not added up:

    S(t) = Σ c λ(t),   growth(t) = max S(t+1..t+H) / S(t),   factor = the q-quantile of growth over the joint history

with c the processors that one external tuple a second keeps busy. Where all rates are `factor` times as high, the
targets take so many processors more; these are the reserve.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from planner.arrays import Floats, slide_max, take_quantiles
from planner.errors import PlannerError
from planner.fleet.claims import Member, make_claim
from planner.situations.situation import scale_load
from planner.wording import write_counted, write_factor, write_percent

FEWEST_STEPS = 30
"""On a shorter joint history a quantile says nothing."""


@dataclass(frozen=True)
class JointHistory:
    """The rates of topologies at the same times, a row each; NaN: not measured. `quantile` and `steps` are those of the
    reserve: the probability that it is enough, and how far ahead.
    """

    names: Sequence[str]
    rates: Floats
    steps: int
    quantile: float


@dataclass(frozen=True)
class CommonPeak:
    """What a common peak takes: `processors` more than now, for rates `factor` times as high; `added_up` is the number
    for each topology's own quantile. None: the joint history is too short.
    """

    processors: int
    factor: float | None
    added_up: int | None
    detail: str


def find_common_peak(members: Sequence[Member], history: JointHistory) -> CommonPeak:
    """The processors that the common peak of these topologies takes beyond what they need now."""
    rows = dict(zip(history.names, history.rates, strict=True))
    known = [one for one in members if one.name in rows and np.isfinite(rows[one.name]).mean() > 0.5]
    rates = np.array([rows[one.name] for one in known]).reshape(len(known), -1)
    common = rates[:, np.isfinite(rates).all(axis=0)]
    if common.shape[1] < FEWEST_STEPS + history.steps or not known:
        detail = f"No reserve: it takes {FEWEST_STEPS + history.steps} intervals that all topologies have."
        return CommonPeak(0, None, None, detail)
    work = np.array([find_work(one) for one in known])
    factor = find_growth(work @ common, history)
    own = {one.name: find_growth(row, history) for one, row in zip(known, common, strict=True)}
    now = count_needed(members, {})
    processors = max(count_needed(members, dict.fromkeys(own, factor)) - now, 0)
    added = max(count_needed(members, own) - now, 0)
    kept = write_counted(processors, "processor is", "processors are")
    detail = (
        f"{kept} kept for the common peak: with a probability of {write_percent(history.quantile)} all rates together "
        f"rise to no more than {write_factor(factor)} of now. The peaks of each, added up, would take {added:,}."
    )
    return CommonPeak(processors, factor, added, detail)


def find_work(member: Member) -> float:
    """The processors that one external tuple a second keeps busy."""
    stations = member.situation.stations
    busy = float(np.sum(np.asarray(stations.arrival_rate) / np.asarray(stations.service_rate)))
    return busy / (member.situation.load.external_rate or 1.0)


def find_growth(sums: Floats, history: JointHistory) -> float:
    """The quantile of the growth to the highest of the next steps; at least 1, since what runs now is needed too."""
    highest = slide_max(sums[1:], history.steps)
    start = sums[: len(highest)]
    growth = highest[start > 0.0] / start[start > 0.0]
    return max(float(take_quantiles(growth, [history.quantile])[0]), 1.0) if len(growth) else 1.0


def count_needed(members: Sequence[Member], factors: Mapping[str, float]) -> int:
    """The processors with which all targets are met at rates so many times as high; those of topologies that cannot be
    planned are left out.
    """
    total = 0
    for member in members:
        rate = factors.get(member.name, 1.0) * member.situation.load.external_rate
        try:
            total += sum(make_claim(member._replace(situation=scale_load(member.situation, rate))).needs)
        except PlannerError:
            continue
    return total
