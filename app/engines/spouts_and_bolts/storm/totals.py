"""Whether a bolt's totals fit its capacity, which is that of its busiest executor (StatsUtil, maxOr0).

    mean utilisation = executed × latency / (seconds covered × executors) ≤ capacity

Totals say nothing of the uptime of executors. Where capacity is far above the mean, the executors are uneven, or
started later than the counts are taken to have.
"""

from app.engines.numbers import divide
from app.engines.spouts_and_bolts.storm.components import Component
from app.engines.spouts_and_bolts.storm.fields import CAPACITY_WINDOW

TOLERANCE = 0.05
UNEVEN = 1.5
ROUNDING = 0.001
LEAST_CAPACITY = 0.1


def find_mean_utilisation(bolt: Component) -> float | None:
    """The mean over a bolt's executors, by totals of at most ten minutes; None where these do not give it."""
    short = bolt.covered is not None and bolt.covered <= CAPACITY_WINDOW
    if bolt.rows or not short or bolt.executed_rate is None or bolt.latency is None or not bolt.processors:
        return None
    return bolt.executed_rate * bolt.latency / bolt.processors


def explain_misfit(bolt: Component, mean: float, capacity: float) -> str | None:
    """Why the mean utilisation and the largest capacity do not fit; None where they do."""
    slack = TOLERANCE * max(mean, capacity) + ROUNDING
    if mean - capacity > slack:
        return "less than the mean, which cannot be: one of these numbers is odd"
    if capacity - mean > slack and bolt.processors == 1:
        started = divide((bolt.executed or 0.0) * (bolt.latency or 0.0), capacity)
        return (
            f"the counts fit it if the executor has been up for {started:.0f} s only, less than the topology"
        )
    if capacity > UNEVEN * mean + slack and capacity > LEAST_CAPACITY:
        return "far more than the mean: its executors are uneven, or started after the topology"
    return None


def fits_capacity(component: Component) -> bool:
    """Whether nothing contradicts the time that a component's counts are taken to cover."""
    mean, capacity = find_mean_utilisation(component), component.capacity
    return mean is None or capacity is None or explain_misfit(component, mean, capacity) is None
