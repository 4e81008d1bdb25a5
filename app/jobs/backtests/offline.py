"""Backtests from files, without a server or a database; checks and numbers equal those over HTTP."""

import csv
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, TextIO

from pydantic import Field
from rich.console import Console
from rich.progress import Progress

from app.jobs.backtests.answers import draw_backtest
from app.jobs.backtests.gathering import make_job
from app.jobs.backtests.schemas import BacktestJob, BacktestRequest
from app.jobs.backtests.service import check_job
from app.rendering.picture_files import save_picture
from app.terminal.commands import Refused, clean_up_at_interrupts, refuse, say
from app.terminal.files import check_body, open_documents
from app.terminal.outputs import render_document
from app.terminal.series_files import (
    UnreadableFile,
    describe_timing,
    read_samples,
    read_workload,
    write_verdict,
)
from app.terminal.tables import Column, print_lines, print_table
from app.web.problems.errors import InvalidRequest
from planner.errors import PlannerError
from planner.vms.backtest import (
    Backtest,
    BacktestScore,
    BacktestSetup,
    PolicySummary,
    run_backtest,
    summarise_scores,
)
from planner.vms.misses import CAUSES, REASONS, RunPromise, write_debt
from planner.vms.sigma_policies import BASELINES
from planner.vms.throughput import MstSample, check_samples
from planner.vms.timing import InvalidMstSamples
from planner.wording import join_names, write_number
from planner.workloads.series import Workload, regularise_workload

FORMATS = (".png", ".svg", ".pdf")
SCORE_COLUMNS = [one.name for one in fields(BacktestScore) if one.name != "promise"]
# A column keeps its place: what is new stands last.
NEWER_COLUMNS = ["hourly_price"]
PROMISE_COLUMNS = [one.name for one in fields(RunPromise) if one.name not in {"misses", *NEWER_COLUMNS}]
COLUMNS = [*SCORE_COLUMNS, *PROMISE_COLUMNS, *(f"missed_{cause}" for cause in CAUSES), *NEWER_COLUMNS]
# The defaults of the command are the values of Imai et al.
PAPER_PEAK, PAPER_TRAIN_VMS = 32.0, [3, 4, 6, 8, 24]


class FileBacktest(BacktestRequest):
    """The request for a backtest from files, with any number of seeds: nobody else waits for this computer."""

    seeds: Annotated[int, Field(ge=1)] = BacktestRequest.model_fields["seeds"].default


@dataclass(frozen=True)
class BacktestChoices:
    """The options of `headgate backtest`: the fields of the request, and the options for files."""

    body: FileBacktest
    app: str | None
    plot: Path | None = None
    trains_as_usual: bool = True


def run_backtests(
    files: tuple[Path, Path], given: Mapping[str, Any], app: str | None, plot: Path | None, output: str
) -> None:
    """Reads workload and samples from `files`, replays every run of the backtest and prints its row."""
    choices = read_choices(given, app, plot)
    print_rows(backtest_files(*files, choices), output, sys.stdout, choices.body)


def read_choices(given: Mapping[str, Any], app: str | None, plot: Path | None) -> BacktestChoices:
    """Turns the options of the command into the request, which has defaults for absent options."""
    said: dict[str, Any] = {"scale_peak": PAPER_PEAK}
    said |= open_documents(given)
    if isinstance(said.get("policies"), str) and said["policies"].strip() != "all":
        said["policies"] = [name.strip() for name in said["policies"].split(",") if name.strip()]
    if isinstance(said["scale_peak"], str):
        said["scale_peak"] = _read_peak(said["scale_peak"])
    if isinstance(said.get("train_vms"), str):
        said["train_vms"] = _read_counts(said["train_vms"])
    return BacktestChoices(check_body(FileBacktest, said), app, plot, trains_as_usual="train_vms" not in said)


def _read_counts(text: str) -> list[int] | None:
    """Reads the numbers of an option such as `3,4,6,8,24`; None for `all`."""
    if text.strip() == "all":
        return None
    try:
        return [int(count) for count in text.split(",")]
    except ValueError as error:
        raise Refused(
            f"--train-vms {text}: write whole numbers with commas between, e.g. 3,4,6,8,24, or all"
        ) from error


def _read_peak(text: str) -> float | None:
    if text.lower() == "none":
        return None
    try:
        return float(text)
    except ValueError as error:
        raise Refused(f"--scale-peak {text}: write a number, or none") from error


def backtest_files(workload: Path, mst: Path, choices: BacktestChoices) -> Iterator[BacktestScore]:
    """Yields the score of each application, policy and seed as soon as it is computed."""
    try:
        for job in read_jobs(workload, mst, choices):
            setup, policies = job.to_setup(), tuple(job.policies)
            yield from _show_progress(setup, policies, job.seeds)
            if choices.plot is not None:
                save_picture(draw_backtest(Backtest(setup), policies, 0), choices.plot)
    except (PlannerError, InvalidRequest, UnreadableFile, OSError) as error:
        raise refuse(error) from error


def read_jobs(workload: Path, mst: Path, choices: BacktestChoices) -> Iterator[BacktestJob]:
    """Yields a backtest for each application in the samples, or only for the chosen application."""
    body = choices.body
    series = regularise_workload(read_workload(workload), body.step_seconds)
    samples = read_samples(mst)
    if choices.app is not None and choices.app not in samples:
        raise InvalidMstSamples(f"{mst} has no application {choices.app}; it has {', '.join(samples)}.")
    names = [choices.app] if choices.app is not None else list(samples)
    if choices.plot is not None and (len(names) > 1 or choices.plot.suffix not in FORMATS):
        raise UnreadableFile(f"--plot draws one application (choose with --app) into {', '.join(FORMATS)}.")
    _say_terms(series, body)
    for name in names:
        check_samples(samples[name])
        asked = train_as_usual(body, name, samples[name]) if choices.trains_as_usual else body
        workload_name = body.workload_name or workload.stem
        job = make_job(asked, series, samples[name], workload_name=workload_name, app=name)
        check_job(job)
        yield job


def train_as_usual(body: FileBacktest, app: str, samples: Sequence[MstSample]) -> FileBacktest:
    """Returns the request with policies trained on the VM counts of Imai et al., or on all if some lack samples."""
    measured = sorted({one.vms for one in samples})
    if set(PAPER_TRAIN_VMS) <= set(measured):
        return body.model_copy(update={"train_vms": PAPER_TRAIN_VMS})
    say(
        f"{app} was not measured with each of {join_names(PAPER_TRAIN_VMS)} VMs: policies are trained on all of "
        f"{join_names(measured)}"
    )
    return body


def _show_progress(setup: BacktestSetup, policies: tuple[str, ...], seeds: int) -> Iterator[BacktestScore]:
    """Yields the scores, and shows a progress bar on standard error if that is a terminal."""
    clean_up_at_interrupts()  # the bar hides the cursor
    intervals = -(-len(setup.rates) // setup.timing.interval_steps)
    replayed = [policy for policy in policies if policy not in BASELINES]
    with Progress(console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True) as progress:
        task = progress.add_task(f"{setup.app} on {setup.workload}", total=intervals * len(replayed) * seeds)
        yield from run_backtest(setup, policies, seeds, lambda _: progress.advance(task))


def _say_terms(series: Workload, body: BacktestRequest) -> None:
    for one in series.diagnostics:
        say(one.detail)
    peak = (
        "left in its own unit"
        if body.scale_peak is None
        else f"scaled to a peak of {write_number(body.scale_peak, digits=6)}"
    )
    say("; ".join([*describe_timing(series, body), f"workload {peak}"]))


def print_rows(rows: Iterator[BacktestScore], output: str, out: TextIO, body: BacktestRequest) -> None:
    """Prints scores: CSV rows as soon as they are computed, JSON and the table at the end."""
    if output == "csv":
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(write_csv_row(row))
            out.flush()
    elif output != "table":
        out.write(render_document([row.to_row() for row in rows], output))
    else:
        known = list(rows)
        _print_summaries(known, has_spread=body.seeds > 1)
        print_lines(describe_promises(known))
        if not all(row.judgeable for row in known):
            short = (
                "These runs are shorter than a week, or their target allows fewer than 10 missed steps: chance decides "
                "whether they keep it."
            )
            print_lines([short])


def describe_promises(rows: Sequence[BacktestScore]) -> list[str]:
    """Returns a line for each application and policy: how its runs kept the target, and why they missed steps."""
    by_policy: dict[tuple[str, str], list[RunPromise]] = {}
    for row in rows:
        if row.promise is not None:
            by_policy.setdefault((row.app, row.policy), []).append(row.promise)
    return [
        f"{policy} on {app}: {' '.join(_describe_runs(runs))}" for (app, policy), runs in by_policy.items()
    ]


def _describe_runs(runs: Sequence[RunPromise]) -> list[str]:
    least, most = min(one.least_kept for one in runs), max(one.most_kept for one in runs)
    said = [f"by chance a run may serve {_write_share(least)} to {_write_share(most)}"]
    if (expected := _average(one.expected for one in runs)) is not None:
        said.append(f"{_write_share(expected)} was expected")
    if (debt := _average(one.debt_steps for one in runs)) is not None:
        said.append(f"{write_debt(debt)}{' (mean of the runs)' if len(runs) > 1 else ''}")
    lines = [f"{'; '.join(said)}."]
    if (price := _average(one.price for one in runs)) is not None:
        counted, cap = write_number(price), write_number(_average(one.price_cap for one in runs))
        lines.append(
            f"A missed step counted at the end as much as {counted} VMs for a step; the most allowed was {cap}."
        )
    binding = Counter(one.binding for one in runs).most_common()
    lines.append(f"What kept it from serving more: {', or '.join(REASONS[name] for name, _ in binding)}.")
    missed = Counter[str]()
    for one in runs:
        missed.update(one.misses)
    causes = [f"{count:,} because of {REASONS[cause]}" for cause, count in missed.most_common() if count]
    return [*lines, f"Missed steps: {', '.join(causes)}."] if causes else lines


def _average(values: Iterable[float | None]) -> float | None:
    """The mean of what is known; None if nothing is."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _write_share(share: float) -> str:
    return f"{write_number(100.0 * share, digits=4)}%"


def write_csv_row(score: BacktestScore) -> dict[str, object]:
    """Returns a score as cells: misses have a column for each cause, days below the target are `3: price; 5: jump`."""
    row = score.to_row()
    days = "; ".join(f"{day['day']}: {day['cause']}" for day in row["days_below"] or ())
    counts = {f"missed_{cause}": count for cause, count in (row.pop("misses") or {}).items()}
    return {name: _write_cell(value) for name, value in (row | counts | {"days_below": days}).items()}


def _write_cell(value: object) -> object:
    """Returns a value for a CSV row; true and false are written as in JSON."""
    return str(value).lower() if isinstance(value, bool) else value


def _print_summaries(rows: Sequence[BacktestScore], *, has_spread: bool) -> None:
    """Prints each policy's means over the seeds, with standard deviations if `has_spread`."""
    spread = ["±"] if has_spread else []
    lines = []
    costs = ["cost to truth", *spread, "cost to static", "max backlog"]
    names = ["QoS %", *spread, "target %", "verdict", *costs]
    for app in dict.fromkeys(row.app for row in rows):
        of_app = [row for row in rows if row.app == app]
        for one in summarise_scores(of_app):
            backlog = max(row.max_backlog for row in of_app if row.policy == one.policy)
            lines.append([app, one.policy, *_write_summary(one, backlog, has_spread=has_spread)])
    numbers = [Column(name, is_text=name == "verdict") for name in names]
    print_table(["app", Column("policy", is_text=True), *numbers], lines, keys=2)


def _write_summary(one: PolicySummary, max_backlog: float, *, has_spread: bool) -> list[str]:
    qos, cost = [write_number(one.qos_percent, digits=4)], [write_number(one.cost_to_truth)]
    if has_spread:
        qos.append(write_number(one.qos_percent_deviation or 0.0))
        cost.append(write_number(one.cost_to_truth_deviation or 0.0))
    target = write_number(one.qos_target_percent, digits=4)
    verdict = write_verdict(one.meets_target)
    return [*qos, target, verdict, *cost, write_number(one.cost_to_static), write_number(max_backlog)]
