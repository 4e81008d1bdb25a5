"""The intervals between samples: those that say something, and why the others do not."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from app.engines.diagnostics import say
from app.engines.flink.activity import JobInterval, measure
from app.engines.flink.samples import (
    JobSample,
    find_impossible_clock,
    find_moved_seconds,
    find_reset,
    has_moved,
)
from planner.values import Diagnostic

LEAST_SECONDS = 1.0
SAME_METRICS = (
    "Two samples have the same counters: Flink answered with metrics that it fetched before. Asking starts a new "
    "fetch, at most one in each metrics.fetcher.update-interval, 10 s unless configured: ask again after it."
)
TOO_CLOSE = (
    f"A sample is left out: its metrics are less than {LEAST_SECONDS:.0f} s younger than those of the sample before, "
    "too little time for rates."
)


@dataclass(slots=True)
class JobIntervals:
    """What can be measured between samples, oldest first; `fallback` says selectivities where nothing else does."""

    measured: list[JobInterval] = field(default_factory=list)
    fallback: JobInterval | None = None
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def newest(self) -> JobInterval | None:
        """The interval that the topology is measured by."""
        return self.measured[-1] if self.measured else self.fallback


def find_intervals(samples: Sequence[JobSample]) -> JobIntervals:
    """The intervals between samples whose counters can be subtracted; of one sample, its time since the start."""
    found = JobIntervals()
    moved = list(drop_unmoved(drop_impossible(samples, found), found))
    for earlier, later in pairwise(moved):
        reset = find_reset(earlier, later)
        if reset is not None:
            found.diagnostics.append(
                say(
                    "interval-discarded",
                    f"Between two samples {reset}: their counters cannot be subtracted, and nothing is measured from "
                    "them. The next interval counts again.",
                )
            )
        elif (interval := measure_between(earlier, later)) is not None:
            found.measured.append(interval)
    vertices = samples[-1].job.vertices.keys()
    found.measured = [one for one in found.measured if one.activities.keys() == vertices]
    found.fallback = find_fallback([one for one in moved if one.job.vertices.keys() == vertices])
    if len(samples) == 1 and found.fallback is not None:
        found.measured.append(found.fallback)
        found.diagnostics.append(
            say(
                "averages-since-start",
                f"There is one sample: rates are averages over the {found.fallback.seconds:.0f} s since the tasks "
                "started, with the seconds in which they warmed up. Send two samples, some time apart, for what "
                "happens now.",
            )
        )
    return found


def measure_between(earlier: JobSample, later: JobSample) -> JobInterval | None:
    """What happened between two samples; since the start where the earlier one came before Flink had any metrics.

    Such a sample has no clock, and the time between the answers is not that of the counters, which may be older.
    """
    if not has_counted_nothing(earlier):
        return measure(earlier, later)
    life = measure(None, later)
    return life if life is not None and life.seconds >= LEAST_SECONDS else None


def has_counted_nothing(sample: JobSample) -> bool:
    """Whether no vertex has counted a record or a time yet: Flink writes 0, and NaN for busy time."""
    return not any(any(one.counters) for one in sample.job.vertices.values())


def drop_impossible(samples: Sequence[JobSample], found: JobIntervals) -> Iterable[JobSample]:
    """The samples whose metrics can be of the tasks that run."""
    for sample in samples:
        name = find_impossible_clock(sample)
        if name is None:
            yield sample
            continue
        found.diagnostics.append(
            say(
                "stale-metrics",
                f"A sample is left out: {name} has counted for longer than it runs, so its metrics are from before it "
                "was started anew.",
            )
        )


def drop_unmoved(samples: Iterable[JobSample], found: JobIntervals) -> Iterable[JobSample]:
    """Samples with new counters: of those with the same ones the first, with what was asked beside the others."""
    kept: JobSample | None = None
    for sample in samples:
        if kept is None:
            kept = sample
        elif find_reset(kept, sample) is not None:
            yield kept
            kept = sample
        elif not has_moved(kept, sample):
            found.diagnostics.append(say("stale-metrics", SAME_METRICS))
            kept = JobSample(kept.job, {**kept.details, **sample.details}, {**kept.metrics, **sample.metrics})
        elif is_too_close(kept, sample):
            found.diagnostics.append(say("samples-too-close", TOO_CLOSE))
        else:
            yield kept
            kept = sample
    if kept is not None:
        yield kept


def is_too_close(earlier: JobSample, later: JobSample) -> bool:
    """Whether too little time passed for rates, by the clock of the tasks."""
    seconds = find_moved_seconds(earlier, later)
    return seconds is not None and seconds < LEAST_SECONDS


def find_fallback(samples: Sequence[JobSample]) -> JobInterval | None:
    """The longest life of a job's tasks."""
    lives = [life for sample in samples if (life := measure(None, sample)) is not None]
    return max(lives, key=lambda life: life.seconds, default=None)
