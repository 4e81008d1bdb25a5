"""The profile builder (Shukla and Simmhan, Algorithm 1): builds the profile of a task from trials.

A trial is stable if its latency does not grow: after the warm-up, the least-squares slope of latency over time is at
most `max_slope`. A queue that fills gives a slope, of 1e-3 s/s at 0.1% overload.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import fsum, isfinite
from typing import NamedTuple

from planner.placements.errors import InvalidProfile, NoStablePoint
from planner.placements.profiles import Profile, ProfilePoint
from planner.wording import write_rate

FEWEST_SAMPLES = 3  # two points always lie on a line, and do not show how well it fits
# Larger numbers overflow in squares and products of a slope. Epoch seconds of the year 30,000 are a thousandth of it.
MOST_SECONDS = 1e15


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of the task alone on a slot: samples are (seconds since its start, latency in seconds)."""

    threads: int
    rate: float
    samples: tuple[tuple[float, float], ...]
    cpu: float
    memory: float


@dataclass(frozen=True, slots=True)
class Criteria:
    """The limits by which trials are judged.

    A stable trial has a slope of latency of at most `max_slope`. On a plateau the rate rises by at most
    `min_rate_slope` per thread, over `window` points.
    """

    warm_up_seconds: float = 0.0
    max_slope: float = 1e-3
    window: int = 3
    min_rate_slope: float = 0.0


@dataclass(frozen=True, slots=True)
class TrialVerdict:
    """Whether one trial is stable; `slope` is None if too few samples follow the warm-up, or all have the same time."""

    threads: int
    rate: float
    slope: float | None
    samples: int
    stable: bool


@dataclass(frozen=True, slots=True)
class StepEvidence:
    """The trials of one number of threads at the highest stable rate, and at the lowest unstable rate above it."""

    threads: int
    peak_rate: float | None
    smallest_unstable_rate: float | None
    verdicts: tuple[TrialVerdict, ...]


class Gap(NamedTuple):
    """A question that the trials leave open, as a sentence, with the numbers of threads that it concerns."""

    code: str
    threads: tuple[int, ...]
    detail: str


class BuiltProfile(NamedTuple):
    """The profile of a task, with the trials behind it; from `plateau_threads` on more threads no longer raise the
    rate.
    """

    profile: Profile
    evidence: tuple[StepEvidence, ...]
    gaps: tuple[Gap, ...]
    plateau_threads: int | None


def fit_slope(points: Sequence[tuple[float, float]]) -> float:
    """Returns the slope of the least-squares line through the points (x, y); 0 if all x are equal.

    The slope is Σ(x − x̄)(y − ȳ) / Σ(x − x̄)², where x̄ and ȳ are the means.
    """
    centre = fsum(x for x, _ in points) / len(points)
    middle = fsum(y for _, y in points) / len(points)
    spread = fsum((x - centre) ** 2 for x, _ in points)
    return fsum((x - centre) * (y - middle) for x, y in points) / spread if spread else 0.0


def judge_trial(trial: Trial, criteria: Criteria) -> TrialVerdict:
    """Judges whether a trial is stable: the slope of its latency after the warm-up is at most `max_slope`."""
    settled = [sample for sample in trial.samples if sample[0] >= criteria.warm_up_seconds]
    if len(settled) < FEWEST_SAMPLES or max(settled)[0] == min(settled)[0]:
        return TrialVerdict(trial.threads, trial.rate, None, len(settled), stable=False)
    slope = fit_slope(settled)
    return TrialVerdict(trial.threads, trial.rate, slope, len(settled), slope <= criteria.max_slope)


def build_profile(task: str, trials: Iterable[Trial], criteria: Criteria | None = None) -> BuiltProfile:
    """Builds the profile of a task: for each number of threads the highest stable rate, with cpu and memory of that
    trial.

    All measured numbers of threads are kept, also those beyond the plateau, where a live sweep would stop.
    """
    criteria = criteria or Criteria()
    ordered = sorted(trials, key=lambda trial: (trial.threads, trial.rate))
    for trial in ordered:
        check_trial(task, trial)
    points: list[ProfilePoint] = []
    evidence: list[StepEvidence] = []
    for _, group in groupby(ordered, key=lambda trial: trial.threads):
        add_threads(list(group), criteria, points, evidence)
    return conclude(task, points, evidence, criteria)


def sweep_task(
    task: str,
    run_trial: Callable[[int, float], Trial],
    thread_steps: Iterable[int],
    rate_steps: Callable[[int], Iterable[float]],
    criteria: Criteria | None = None,
) -> BuiltProfile:
    """Builds the profile of a task by running trials (Algorithm 1 of Shukla and Simmhan).

    The threads rise up to the plateau, and for each number of threads the rate rises up to the first unstable trial.
    """
    criteria = criteria or Criteria()
    points: list[ProfilePoint] = []
    evidence: list[StepEvidence] = []
    for threads in thread_steps:
        trials: list[Trial] = []
        for rate in rate_steps(threads):
            trials.append(run_trial(threads, rate))
            check_trial(task, trials[-1])
            if not judge_trial(trials[-1], criteria).stable:
                break
        add_threads(trials, criteria, points, evidence)
        if find_plateau(points, criteria) is not None:
            break
    return conclude(task, points, evidence, criteria)


def check_trial(task: str, trial: Trial) -> None:
    """Raises InvalidProfile unless the trial's rate is above 0 and all its samples are numbers within ±MOST_SECONDS."""
    if not (isfinite(trial.rate) and trial.rate > 0.0):
        raise InvalidProfile(
            task, f"a trial has rate {trial.rate:g}: give one above 0.", trial.threads, trial.rate
        )
    for at_seconds, latency_seconds in trial.samples:
        if not (isfinite(at_seconds) and isfinite(latency_seconds)):
            raise InvalidProfile(
                task, f"the trial at rate {trial.rate:g} has a sample that is no number.", trial.threads
            )
        if max(abs(at_seconds), abs(latency_seconds)) > MOST_SECONDS:
            raise InvalidProfile(
                task,
                f"the trial at rate {trial.rate:g} has a sample beyond ±{MOST_SECONDS:g} s: give seconds.",
                trial.threads,
            )


def add_threads(
    trials: list[Trial], criteria: Criteria, points: list[ProfilePoint], evidence: list[StepEvidence]
) -> None:
    """Judges the trials of one number of threads, and adds the stable trial of the highest rate, if
    any, to `points`.
    """
    if not trials:
        return
    verdicts = tuple(judge_trial(trial, criteria) for trial in trials)
    stable = [trial for trial, verdict in zip(trials, verdicts, strict=True) if verdict.stable]
    peak = max(stable, key=lambda trial: trial.rate, default=None)
    if peak is not None:
        points.append(ProfilePoint(peak.threads, peak.rate, peak.cpu, peak.memory))
    above = [verdict.rate for verdict in verdicts if verdict.slope is not None and not verdict.stable]
    evidence.append(
        StepEvidence(trials[0].threads, peak.rate if peak else None, min(above, default=None), verdicts)
    )


def conclude(
    task: str, points: list[ProfilePoint], evidence: list[StepEvidence], criteria: Criteria
) -> BuiltProfile:
    """The profile of a task with the questions that its trials leave open; NoStablePoint if no trial was stable."""
    if not points:
        verdicts = [verdict for step in evidence for verdict in step.verdicts]
        raise NoStablePoint(
            task,
            len(verdicts),
            min((verdict.rate for verdict in verdicts), default=0.0),
            min((verdict.slope for verdict in verdicts if verdict.slope is not None), default=None),
            criteria.max_slope,
        )
    profile = Profile(task, tuple(points))
    return BuiltProfile(profile, tuple(evidence), find_gaps(evidence), find_plateau(points, criteria))


def find_plateau(points: Sequence[ProfilePoint], criteria: Criteria) -> int | None:
    """Returns the number of threads from which on more threads no longer raise the rate; None if there is none.

    The rate must not rise over the last `window` measured numbers of threads.
    """
    for end in range(criteria.window, len(points) + 1):
        window = [(float(point.threads), point.peak_rate) for point in points[end - criteria.window : end]]
        if fit_slope(window) <= criteria.min_rate_slope:
            return points[end - 1].threads
    return None


def find_gaps(evidence: Sequence[StepEvidence]) -> tuple[Gap, ...]:
    """Returns the questions that trials leave open.

    They concern numbers of threads without stable trials or not tried, highest rates without an unstable trial above,
    and trials that contradict each other.
    """
    gaps = [gap for step in evidence for gap in find_rate_gaps(step)]
    known = [step.threads for step in evidence if step.peak_rate is not None]
    gaps += [
        Gap(
            "threads-not-tried",
            (left, right),
            f"No trial has between {left} and {right} threads: the profile is interpolated there.",
        )
        for left, right in pairwise(known)
        if right - left > 1
    ]
    return tuple(gaps)


def find_rate_gaps(step: StepEvidence) -> list[Gap]:
    """Returns the questions that the trials of one number of threads leave open about its highest stable rate."""
    threads = step.threads
    if step.peak_rate is None:
        return [
            Gap(
                "no-stable-trial",
                (threads,),
                f"No trial with {threads} threads was stable: the profile leaves them out.",
            )
        ]
    unjudged = [verdict.rate for verdict in step.verdicts if verdict.slope is None]
    gaps = [
        Gap(
            "too-few-samples",
            (threads,),
            f"The trial at {write_rate(rate)} is not counted: it has fewer than {FEWEST_SAMPLES} samples after the "
            "warm-up, or all at the same time.",
        )
        for rate in unjudged
    ]
    unstable = step.smallest_unstable_rate
    if unstable is None:
        peak = write_rate(step.peak_rate)
        detail = f"All trials with {threads} threads were stable, up to {peak}: try higher rates."
        gaps.append(Gap("peak-not-reached", (threads,), detail))
    elif unstable < step.peak_rate:
        rates = f"{write_rate(unstable)} was unstable, but {write_rate(step.peak_rate)} stable"
        detail = f"With {threads} threads, {rates}: repeat these trials."
        gaps.append(Gap("trials-disagree", (threads,), detail))
    return gaps
