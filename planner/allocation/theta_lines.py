"""Greedy's last gain θ on few operators, found from lines of ln gain in the processors of each operator."""

from collections.abc import Callable, Sequence
from math import exp, fsum, log

from planner.queueing.gain_curves import LEAST_GAIN, Curve

Point = tuple[int, float, float, int, int]
"""k, ln gain at k, and processors per unit of ln gain (1/slope), a line through k; and the bounds of k."""
FindTheta = Callable[[Sequence[Point]], float]


def draw_line(curve: Curve, k: int, ceiling: int) -> Point:
    """The line through ln gain at k processors, or at the last k before the gain vanishes."""
    here, floor = curve[k], curve.floor
    if not here:
        k = max(floor, min(k, curve.find_vanishing()))
        here = curve[k]
    log_gain = log(here or LEAST_GAIN)
    # Towards k − 1, because find_crossing and the explanation ask for that gain anyway.
    slope = (
        log_gain - log(curve[k - 1] or LEAST_GAIN)
        if k > floor
        else log(curve[k + 1] or LEAST_GAIN) - log_gain
    )
    return k, log_gain, 1.0 / slope if slope < -1e-12 else -1e12, floor, ceiling


def find_theta_for_total(total: int) -> FindTheta:
    """A function that finds ln θ for the gain θ at which greedy has given about `total` processors.

    ln gain is taken as a line in the processors of each operator; operators at a bound are left out.
    """

    def find_theta(points: Sequence[Point]) -> float:
        free, rest, log_theta = points, float(total), 0.0
        while free:
            spread = held = 0.0
            for k, log_gain, step, _, _ in free:
                spread += step
                held += k + 0.5 - log_gain * step  # half a processor is what rounding up adds
            log_theta = (rest - held) / spread
            kept = []
            for point in free:
                k, log_gain, step, floor, ceiling = point
                wanted = k + (log_theta - log_gain) * step
                if wanted < floor:
                    rest -= floor
                elif wanted > ceiling:
                    rest -= ceiling
                else:
                    kept.append(point)
            if len(kept) == len(free):
                break
            free = kept
        return min(max(log_theta, log(LEAST_GAIN)), 700.0)

    return find_theta


def find_theta_for_waiting(limit: float, curves: Sequence[Curve]) -> FindTheta:
    """A function that finds ln θ for the gain θ at which greedy leaves `limit` tuples waiting on average.

    Along a line of ln gain the waiting tuples of an operator fall by (gain − θ)·|step|.
    """

    def find_theta(points: Sequence[Point]) -> float:
        excess = fsum([c.waiting(k) for c, (k, *_) in zip(curves, points, strict=True)]) - limit
        spread = total = 0.0
        for k, log_gain, step, _, ceiling in points:
            if k < ceiling or excess < 0.0:
                spread -= step
                total -= exp(log_gain) * step
        theta = (total - excess) / spread if spread else 0.0
        # far from the limit the line overshoots, so θ falls by a factor instead
        closest = max(exp(min([log_gain for _, log_gain, *_ in points])) * 1e-3, LEAST_GAIN)
        return log(max(theta, closest))

    return find_theta
