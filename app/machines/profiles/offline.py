"""Builds task profiles from trials in a CSV file, and prints the profiles."""

import csv
from io import StringIO
from math import fsum
from pathlib import Path

from app.machines.profiles.schemas import BuiltFields, StepEvidenceAnswer, describe_built
from app.terminal.commands import Refused, compute_answer
from app.terminal.files import read_text
from app.terminal.outputs import write_document
from app.terminal.tables import print_lines, print_table
from planner.placements.profile_builder import Criteria, Trial, build_profile
from planner.wording import join_names, write_count, write_number

COLUMNS = ("task", "threads", "rate", "at_seconds", "latency_seconds", "cpu", "memory")

Row = dict[str, str | None]


def run_profiles(path: Path, warm_up_seconds: float, max_slope: float) -> dict[str, BuiltFields]:
    """Returns a profile for each task of the file; rows of equal task, threads and rate are one trial."""
    criteria = Criteria(warm_up_seconds=warm_up_seconds, max_slope=max_slope)
    return {
        task: describe_built(compute_answer(lambda: build_profile(task, trials, criteria)))  # noqa: B023 -- called at once
        for task, trials in read_trials(path).items()
    }


def read_trials(path: Path) -> dict[str, list[Trial]]:
    """Reads the trials of a CSV file with one row per sample; a trial's cpu and memory are the means over its rows."""
    samples: dict[tuple[str, int, float], list[tuple[float, float, float, float]]] = {}
    try:
        reader = csv.DictReader(StringIO(read_text(path)))
        missing = [column for column in COLUMNS if column not in (reader.fieldnames or ())]
        if missing:
            raise Refused(f"{path}: no column {join_names(missing)}: write the header {','.join(COLUMNS)}.")
        names = list(reader.fieldnames or ())
        if twice := [column for column in COLUMNS if names.count(column) > 1]:
            raise Refused(f"{path}: column {join_names(twice)} stands twice in the header: keep one.")
        for row in reader:
            key, sample = _read_row(row, f"{path}:{reader.line_num}")
            samples.setdefault(key, []).append(sample)
    except csv.Error as error:
        raise Refused(f"{path}: cannot be read: {error}") from error
    if not samples:
        raise Refused(f"{path}: contains no trials: write one row per sample.")
    trials: dict[str, list[Trial]] = {}
    for (task, threads, rate), rows in samples.items():
        series = tuple((at_seconds, latency_seconds) for at_seconds, latency_seconds, _, _ in rows)
        cpu, memory = (_find_mean([row[at] for row in rows]) for at in (2, 3))
        trials.setdefault(task, []).append(Trial(threads, rate, series, cpu, memory))
    return trials


def _find_mean(values: list[float]) -> float:
    """Returns the mean of values, computed from differences, so that equal values have exactly that value as mean."""
    return values[0] + fsum(value - values[0] for value in values) / len(values)


def _read_row(row: Row, where: str) -> tuple[tuple[str, int, float], tuple[float, float, float, float]]:
    try:
        at_seconds, latency_seconds, cpu, memory = (float(row[column] or "") for column in COLUMNS[3:])
        key = (row["task"] or "", int(row["threads"] or ""), float(row["rate"] or ""))
    except ValueError as error:
        raise Refused(f"{where}: {error}: write plain numbers.") from error
    return key, (at_seconds, latency_seconds, cpu, memory)


def print_profiles(profiles: dict[str, BuiltFields], output: str) -> None:
    """Prints profiles as tables with the evidence of each point, or as JSON for `headgate place --profiles`."""
    if output in {"json", "yaml"}:
        write_document({task: built.model_dump(mode="json") for task, built in profiles.items()}, output)
        return
    if output != "table":
        points = [(task, one) for task, built in profiles.items() for one in built.points]
        write_document([{"task": task, **one.model_dump(mode="json")} for task, one in points], output)
        return
    for task, built in profiles.items():
        _print_steps(task, built)
        if built.plateau_threads is not None:
            print_lines([f"note: more than {built.plateau_threads} threads do not raise the peak rate."])
        print_lines(f"note: {gap.detail}" for gap in built.gaps)


HEADINGS = ("threads", "peak rate /s", "cpu", "memory", "slope there", "unstable from /s", "trials")


def _print_steps(task: str, built: BuiltFields) -> None:
    points = {point.threads: point for point in built.points}
    rows = []
    for step in built.evidence:
        point = points.get(step.threads)
        numbers = (point.peak_rate, point.cpu, point.memory) if point else (None, None, None)
        cells = [*numbers, _find_slope(step), step.smallest_unstable_rate]
        rows.append([write_count(step.threads), *map(write_number, cells), write_count(len(step.verdicts))])
    print_table(HEADINGS, rows, title=task)


def _find_slope(step: StepEvidenceAnswer) -> float | None:
    return next((one.slope for one in step.verdicts if one.stable and one.rate == step.peak_rate), None)
