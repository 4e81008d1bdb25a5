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
    """The criteria of a stable trial (`max_slope`) and of a plateau (`min_rate_slope` over `window` points)."""

    warm_up_seconds: float = 0.0
    max_slope: float = 1e-3
    window: int = 3
    min_rate_slope: float = 0.0


@dataclass(frozen=True, slots=True)
class TrialVerdict:
    """The verdict on one trial; `slope` is None if too few samples follow the warm-up, or all have the same time."""

    threads: int
    rate: float
    slope: float | None
    samples: int
    stable: bool


@dataclass(frozen=True, slots=True)
class StepEvidence:
    """The trials on both sides of the peak rate of a number of threads."""

    threads: int
    peak_rate: float | None
    smallest_unstable_rate: float | None
    verdicts: tuple[TrialVerdict, ...]


class Gap(NamedTuple):
    """A question that the trials leave open, as a sentence, and the numbers of threads that it concerns."""

    code: str
    threads: tuple[int, ...]
    detail: str


class BuiltProfile(NamedTuple):
    """A profile with its evidence; from `plateau_threads` on more threads no longer raise the rate."""

    profile: Profile
    evidence: tuple[StepEvidence, ...]
    gaps: tuple[Gap, ...]
    plateau_threads: int | None


def fit_slope(points: Sequence[tuple[float, float]]) -> float:
    """The least-squares slope Σ(x − x̄)(y − ȳ) / Σ(x − x̄)²; 0 if all x are equal."""
    centre = fsum(x for x, _ in points) / len(points)
    middle = fsum(y for _, y in points) / len(points)
    spread = fsum((x - centre) ** 2 for x, _ in points)
    return fsum((x - centre) * (y - middle) for x, y in points) / spread if spread else 0.0


def judge_trial(trial: Trial, criteria: Criteria) -> TrialVerdict:
    """Judges a trial: stable if the slope of latency after the warm-up is at most `max_slope`."""
    settled = [sample for sample in trial.samples if sample[0] >= criteria.warm_up_seconds]
    if len(settled) < FEWEST_SAMPLES or max(settled)[0] == min(settled)[0]:
        return TrialVerdict(trial.threads, trial.rate, None, len(settled), stable=False)
    slope = fit_slope(settled)
    return TrialVerdict(trial.threads, trial.rate, slope, len(settled), slope <= criteria.max_slope)


def build_profile(task: str, trials: Iterable[Trial], criteria: Criteria | None = None) -> BuiltProfile:
    """Builds a profile from trials: for each τ the highest stable rate, with the cpu and memory of that trial.

    All measured τ are kept, also τ beyond the plateau, where a live sweep would stop.
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
    """Algorithm 1: trials with rising threads up to the plateau, and rising rates up to the first unstable one."""
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
    """Raise InvalidProfile unless the rate is above 0 and all samples are within MOST_SECONDS."""
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
    """Judge the trials of one τ, and add the stable trial of the highest rate, if any, as its point."""
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
    """The profile with its gaps; NoStablePoint if no trial was stable."""
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
    """The first τ at which I no longer rises over the last `window` measured τ; None if there is none."""
    for end in range(criteria.window, len(points) + 1):
        window = [(float(point.threads), point.peak_rate) for point in points[end - criteria.window : end]]
        if fit_slope(window) <= criteria.min_rate_slope:
            return points[end - 1].threads
    return None


def find_gaps(evidence: Sequence[StepEvidence]) -> tuple[Gap, ...]:
    """The gaps of trials: τ without stable trials, peaks without unstable trials above, contradictions, untried τ."""
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
    """The gaps in the rates of one τ."""
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
