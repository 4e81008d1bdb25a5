"""Bursts of the stream from outside, from the counts of a topology's newest snapshots: of each as a whole, and of the
spans within it where they were counted.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from app.load.measurements.snapshots import Counted
from planner.queueing.bursts.counted_bursts import LEAST_WINDOWS, Run, Span, find_idc
from planner.situations.evidence import list_entries
from planner.values import Diagnostic, IdcPoint, Load, Topology
from planner.wording import write_number, write_seconds

LARGEST_GAP = 0.1
"""Snapshots follow each other if the time between them is at most this part of their length."""


def count_bursts(
    topology: Topology, load: Load, counted: Sequence[Counted]
) -> tuple[Load, tuple[Diagnostic, ...]]:
    """The load with the bursts of its external stream, if counts show them and its entries do not; and a diagnostic."""
    if all(load.operators[name].arrival_idc for name in list_entries(topology) if name in load.operators):
        return load, ()
    points = find_external_idc(counted)
    if not points:
        return load, ()
    return replace(load, external_idc=points), (describe_counted(points),)


def find_external_idc(counted: Sequence[Counted]) -> tuple[IdcPoint, ...]:
    """I(t) of the stream from outside; empty where the counts are too few, or all the same."""
    wholes = [[add_spans(one.spans) or one.span for one in run] for run in cut_runs(counted)]
    is_varied = len({one.span.tuples for one in counted}) > 1  # a rate that never changes was not counted
    if not is_varied or len(counted) < LEAST_WINDOWS:
        wholes = []
    looked_into = [one for one in counted if one.spans]
    looks = [[span for one in run for span in one.spans] for run in cut_runs(looked_into)]
    return find_idc(looks, wholes)


def add_spans(spans: Run) -> Span | None:
    """The spans of a snapshot as one, which tells exactly what its rate tells roughly; None without any."""
    return Span(*map(sum, zip(*spans, strict=True))) if spans else None


def cut_runs(counted: Sequence[Counted]) -> Iterable[list[Counted]]:
    """The snapshots in runs, in each of which one begins where the one before ends."""
    run = list(counted[:1])
    for before, now in pairwise(counted):
        gap = now.begins - before.begins - before.span.seconds
        if abs(gap) > LARGEST_GAP * before.span.seconds:
            yield run
            run = []
        run.append(now)
    if run:
        yield run


def describe_counted(points: Sequence[IdcPoint]) -> Diagnostic:
    """A diagnostic that bursts are from counts, with the lengths of time and the dispersion."""
    low, high = min(point.idc for point in points), max(point.idc for point in points)
    index = write_number(high) if high - low < 0.1 else f"{write_number(low)} to {write_number(high)}"
    return Diagnostic(
        "bursts-from-counters",
        f"The bursts of the stream from outside are from counts of its tuples, up to windows of "
        f"{write_seconds(points[-1].window_seconds)}: their index of dispersion is {index} (independent arrivals: 1).",
    )
