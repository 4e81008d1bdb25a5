"""How many wait in a big station with square-root slack, the first guess of every search."""

from math import erfc, exp, pi, sqrt


def solve_halfin_whitt(waiting: float) -> float:
    """The x at which φ/(x(φ + xΦ)), the number that waits over √A, is `waiting` (Halfin and Whitt 1981)."""
    low, high = -20.0, 3.6
    for _ in range(24):
        middle = (low + high) / 2.0
        x = exp(middle)
        density = exp(-x * x / 2.0) / sqrt(2.0 * pi)
        below = erfc(-x / sqrt(2.0)) / 2.0
        low, high = (middle, high) if density > waiting * x * (density + x * below) else (low, middle)
    return exp(low)
