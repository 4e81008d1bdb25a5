"""Recordings of the row of two operators for the tests of replays."""

from collections.abc import Sequence

from planner.calibration.modelled_waits import Interval
from planner.replays.recording import Recorded, Recording
from planner.topology.smoothing import smooth_window
from planner.values import Load
from tests.planner.economics.loads import ROW, TARGET, load_row


def smooth_some(loads: Sequence[Load]) -> tuple[Load, tuple[Interval, ...]]:
    return smooth_window(loads, 6)[0], tuple([Interval(one) for one in loads])


def record(
    rates: Sequence[float],
    counts: Sequence[tuple[int, int]] | tuple[int, int] = (4, 6),
    seconds: float | None = 0.4,
    first: int = 0,
) -> Recording:
    each = [counts] * len(rates) if isinstance(counts[0], int) else counts
    loads = [
        Load(rate, load_row(rate, some).operators, seconds)  # type: ignore[arg-type]
        for rate, some in zip(rates, each, strict=True)
    ]
    recorded = [Recorded(60.0 * (place + 1), load) for place, load in enumerate(loads)]
    return Recording(ROW, recorded, first, 60.0, smooth_some, 6, TARGET)
