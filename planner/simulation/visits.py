"""ServedVisits of tuples to stations, in columns."""

from typing import NamedTuple

from planner.arrays import Counts, Floats


class ServedVisits(NamedTuple):
    """ServedVisits to one station: which instance served the tuple of which root, and when."""

    station: int
    instance: Counts
    root: Counts
    arrived: Floats
    started: Floats
    finished: Floats


class VisitLog(NamedTuple):
    """All visits in order of arrival, as a raw log would tell them, and when each root arrived from outside.

    `operator` is the place in the topology; instances are counted from 0 at each operator.
    """

    operator: Counts
    instance: Counts
    root: Counts
    arrived_seconds: Floats
    started_seconds: Floats
    finished_seconds: Floats
    root_arrived_seconds: Floats
