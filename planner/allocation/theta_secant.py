"""The search for the gain θ at which a given number of tuples waits, where gains follow no lines.

ln(tuples that wait) is nearly linear in ln θ: at queues of their own VA²/c wait and the gain is VA²/c², so the slope is
½. A secant finds the θ in a few steps from anywhere.
"""

from math import copysign, inf, log

from planner.queueing.gain_curve import LEAST_GAIN

USUAL_SLOPE = 0.5
LEAST_SLOPE = 0.02  # a secant that is more level than this leads nowhere
MOST_APART = 10.0
NEAR = 0.5
MOST_STEPS = 24


class ThetaSecant:
    """The ln θ to try next, from each ln θ tried and ln(waiting/limit) there."""

    def __init__(self) -> None:
        self.low, self.high = log(LEAST_GAIN), 700.0
        self.before: tuple[float, float] | None = None

    def step(self, log_theta: float, log_ratio: float) -> float:
        """The next ln θ: by the secant through the last two, within the bracket so far."""
        if log_ratio > 0.0:
            self.high = min(self.high, log_theta)
        else:
            self.low = max(self.low, log_theta)
        before, slope = self.before, USUAL_SLOPE
        if before is not None and before[0] != log_theta:
            slope = (log_ratio - before[1]) / (log_theta - before[0])
        self.before = (log_theta, log_ratio)
        wanted = log_theta - log_ratio / (slope if slope > LEAST_SLOPE else USUAL_SLOPE)
        if self.low < wanted < self.high:
            return wanted
        if self.high - self.low < MOST_APART:
            return (self.low + self.high) / 2.0
        return log_theta - copysign(1.0, log_ratio)


def compare_waiting(waiting: float, limit: float, best_gain: float, operators: int) -> float | None:
    """ln(waiting/limit), or None where some steps per operator lead to the limit, or no step leads on."""
    ratio = log(waiting / limit) if waiting > 0.0 else -inf
    is_near = abs(waiting - limit) <= 3.0 * operators * best_gain and abs(ratio) < NEAR
    return None if is_near or best_gain <= 0.0 or ratio == -inf else ratio
