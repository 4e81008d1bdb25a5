"""What a measured total time leaves over for the waits of operators whose own waits are not measured.

rest = M − Σ vᵢ/μᵢ − Σ vᵢMᵢ over the operators with a measured wait Mᵢ,    modelled rest = Σ vᵢWᵢ over the others
"""

from collections.abc import Sequence
from math import fsum, inf

from planner.calibration.modelled_waits import ModelledInterval
from planner.calibration.shrunk_ratio import SeenWait

# A rest shorter than this part of all services is within the error of the service rates.
LITTLE_REST = 0.2


def see_rest(modelled: ModelledInterval, others: Sequence[int]) -> SeenWait | None:
    """The rest of the total for the operators `others` in one interval; None where it cannot tell."""
    measured = modelled.interval.load.measured_sojourn_seconds
    visits = [float(one) for one in modelled.situation.flow.visits]
    visited = [one for one in others if visits[one]]
    if measured is None or not visited:
        return None
    if any(modelled.processors[one] is None or modelled.waits[one] == inf for one in visited):
        return None
    known = []
    for operator, times in enumerate(visits):
        if operator not in others and times:
            wait = modelled.measured(operator).measured_wait_seconds
            if wait is None:
                return None
            known.append(times * wait)
    services = modelled.situation.find_lower_bound()
    waits = [visits[one] * modelled.waits[one] for one in visited]
    rest = fsum(waits)
    if rest < LITTLE_REST * services:
        return None
    noise = fsum(
        [(wait / rest) ** 2 * modelled.noises[one] for one, wait in zip(visited, waits, strict=True)]
    )
    tuples = (
        modelled.interval.weight * modelled.situation.load.external_rate * (modelled.interval.seconds or 1.0)
    )
    return SeenWait(modelled.place, max(0.0, measured - services - fsum(known)), rest, noise, tuples)
