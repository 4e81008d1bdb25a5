"""Backtests and VM schedules from files: no server, no database, and the bodies of HTTP."""

import csv
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, TextIO, TypeVar

from pydantic import Field
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from app.backtests.answers import summarise_runs
from app.backtests.jobs import make_job
from app.backtests.schemas import BacktestRequest, BacktestRun, Job
from app.forecasts.schemas import VmForecastAnswer, VmForecastRequest
from app.forecasts.service import forecast_described
from app.http.errors import InvalidRequest
from app.http.problems import describe_problem
from app.terminal.files import check_body
from app.terminal.refusals import Refused
from app.terminal.series_files import UnreadableFile, read_samples, read_workload
from app.terminal.tables import open_console
from planner.errors import PlannerError
from planner.vms.backtest import Backtest, BacktestScore, BacktestSetup, run_backtest
from planner.vms.errors import InvalidMstSamples
from planner.vms.sigma_policies import BASELINES
from planner.vms.throughput import MstSample, check_samples
from planner.workloads.series import Measurement, Workload, regularise_workload

B = TypeVar("B")
FORMATS = (".png", ".svg", ".pdf")
COLUMNS = [field.name for field in fields(BacktestScore)]
# Those of Imai et al., which the command takes where nothing else is said.
PAPER_PEAK, PAPER_TRAIN_VMS = 32.0, [3, 4, 6, 8, 24]


class FileBacktest(BacktestRequest):
    """The body of a backtest, where nobody else waits for the processor: any number of seeds."""

    seeds: Annotated[int, Field(ge=1)] = BacktestRequest.model_fields["seeds"].default


@dataclass(frozen=True)
class BacktestChoices:
    """What the command line chose: the body's fields, and what only files have."""

    body: FileBacktest
    app: str | None
    plot: Path | None = None
    trains_as_usual: bool = True


def read_choices(given: Mapping[str, Any], app: str | None, plot: Path | None) -> BacktestChoices:
    """The options as the body's fields have them; what is not given is left to the body."""
    said: dict[str, Any] = {"scale_peak": PAPER_PEAK}
    said |= {name: value for name, value in given.items() if value is not None}
    if isinstance(said.get("policies"), str) and said["policies"].strip() != "all":
        said["policies"] = [name.strip() for name in said["policies"].split(",") if name.strip()]
    if isinstance(said["scale_peak"], str):
        said["scale_peak"] = _read_peak(said["scale_peak"])
    if isinstance(said.get("train_vms"), str):
        said["train_vms"] = _read_counts(said["train_vms"])
    return BacktestChoices(
        check_options(FileBacktest, said), app, plot, trains_as_usual="train_vms" not in said
    )


def check_options(body_type: type[B], said: dict[str, Any]) -> B:
    """The body, or Refused by the names that the options have."""
    try:
        return check_body(body_type, said)
    except Refused as refused:
        named = re.sub(
            r"^#/(?!workload|mst)(\w+)",
            lambda found: f"--{found[1].replace('_', '-')}",
            str(refused),
            flags=re.MULTILINE,
        )
        raise Refused(named) from refused


def _read_counts(text: str) -> list[int] | None:
    """`3,4,6,8,24`; `all` is every measured m."""
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
    """One row per application, policy and seed, as each is done."""
    try:
        for job in read_jobs(workload, mst, choices):
            setup, policies = job.to_setup(), tuple(job.policies)
            yield from _watch(setup, policies, job.seeds)
            if choices.plot is not None:
                from app.drawing.backtest_plot import plot_backtest  # noqa: PLC0415  (slow to import, and rarely asked for)

                plot_backtest(Backtest(setup), policies, 0, choices.plot)
    except (PlannerError, InvalidRequest, UnreadableFile, OSError) as error:
        raise refuse(error) from error


def read_jobs(workload: Path, mst: Path, choices: BacktestChoices) -> Iterator[Job]:
    """One for each application of the samples, or for the one chosen."""
    body = choices.body
    series = regularise_workload(read_workload(workload), body.step_seconds)
    samples = read_samples(mst)
    if choices.app is not None and choices.app not in samples:
        raise InvalidMstSamples(f"{mst} has no application {choices.app}; it has {', '.join(samples)}.")
    names = [choices.app] if choices.app is not None else list(samples)
    if choices.plot is not None and (len(names) > 1 or choices.plot.suffix not in FORMATS):
        raise UnreadableFile(f"--plot draws one application (choose with --app) into {', '.join(FORMATS)}.")
    _say_timing(series, body)
    for name in names:
        check_samples(samples[name])
        asked = train_as_usual(body, name, samples[name]) if choices.trains_as_usual else body
        workload_name = body.workload_name or workload.stem
        yield make_job(asked, series, samples[name], workload_name=workload_name, app=name)


def train_as_usual(body: FileBacktest, app: str, samples: Sequence[MstSample]) -> FileBacktest:
    """On the paper's m; where these were not all measured, on all that were, as over HTTP."""
    measured = sorted({one.vms for one in samples})
    if set(PAPER_TRAIN_VMS) <= set(measured):
        return body.model_copy(update={"train_vms": PAPER_TRAIN_VMS})
    _note(
        f"{app} was not measured at each of {_join(PAPER_TRAIN_VMS)} VMs: policies are trained on all of "
        f"{_join(measured)}"
    )
    return body


def _watch(setup: BacktestSetup, policies: tuple[str, ...], seeds: int) -> Iterator[BacktestScore]:
    """A bar where errors are read, if that is a terminal."""
    intervals = -(-len(setup.rates) // setup.timing.interval_steps)
    replayed = [policy for policy in policies if policy not in BASELINES]
    with Progress(console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True) as progress:
        task = progress.add_task(f"{setup.app} on {setup.workload}", total=intervals * len(replayed) * seeds)
        yield from run_backtest(setup, policies, seeds, lambda _: progress.advance(task))


def forecast_files(workload: Path, mst: Path, app: str | None, **choices: object) -> VmForecastAnswer:
    """The answer that POST /v1/forecasts/vms gives for what the files hold."""
    try:
        measured, samples = read_workload(workload), read_samples(mst)
        known = samples.get(app) if app is not None else next(iter(samples.values()))
        if known is None or (app is None and len(samples) > 1):
            raise InvalidMstSamples(f"Choose one application with --app: {mst} has {', '.join(samples)}.")
        body = check_options(
            VmForecastRequest,
            {
                "workload": [_to_point(one) for one in measured],
                "mst_samples": [{"vms": one.vms, "throughput": one.throughput} for one in known],
                **{name: choice for name, choice in choices.items() if choice is not None},
            },
        )
        series = regularise_workload(measured, body.step_seconds)
        _say_timing(series, body)
        return forecast_described(body)
    except (PlannerError, UnreadableFile) as error:
        raise refuse(error) from error


def _to_point(measured: Measurement) -> dict[str, object]:
    return {"at": datetime.fromtimestamp(measured.at_seconds, UTC), "rate": measured.rate}


def refuse(error: Exception) -> Refused:
    """The refusal with its problem type, as over HTTP."""
    problem = describe_problem(error)
    return Refused(f"{problem['type']}: {error}" if problem else str(error))


def _say_timing(series: Workload, body: BacktestRequest | VmForecastRequest) -> None:
    """What the numbers rest on: the step may have been found in the data, and defaults count in steps."""
    step = series.step_seconds
    said = [
        f"{len(series.rates)} steps of {write_seconds(step)}",
        f"decided every {body.interval_steps} steps ({write_seconds(body.interval_steps * step)})",
        f"VMs start within {body.startup_steps} ({write_seconds(body.startup_steps * step)})",
    ]
    if isinstance(body, BacktestRequest):
        peak = (
            "left in its own unit" if body.scale_peak is None else f"scaled to a peak of {body.scale_peak:g}"
        )
        said.append(f"workload {peak}")
        for one in series.diagnostics:
            _note(one.detail)
    _note("; ".join(said))


def write_seconds(seconds: float) -> str:
    """`1800 s`, `30 min`, `5 h`: the longest unit that it is a round number of."""
    for unit, length in (("d", 86_400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= length and (seconds * 10 / length).is_integer():
            return f"{seconds / length:g} {unit}"
    return f"{seconds:g} s"


def _join(counts: Sequence[int]) -> str:
    return ", ".join(map(str, counts))


def _note(text: str) -> None:
    print(f"headgate: {text}", file=sys.stderr)  # noqa: T201  (notes belong where errors are read)


def print_rows(rows: Iterator[BacktestScore], output: str, out: TextIO, body: BacktestRequest) -> None:
    """CSV and JSON lines as they come, a table at the end."""
    if output == "csv":
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(asdict(row))
            out.flush()
    elif output == "json":
        out.write(json.dumps([asdict(row) for row in rows], indent=2) + "\n")
    else:
        _tabulate([BacktestRun.model_validate(row) for row in rows], body)


def _tabulate(rows: list[BacktestRun], body: BacktestRequest) -> None:
    """Means over the seeds; deviations only where there are several."""
    spread = [""] if body.seeds == 1 else ["", "±"]
    table = Table("app", "policy", box=SIMPLE_HEAD)
    for measure in ("QoS %", "cost to truth"):
        for column in spread:
            table.add_column(column or measure, justify="right")
        if measure == "QoS %":
            table.add_column("target %", justify="right")
            table.add_column("verdict")
    for column in ("cost to static", "max backlog"):
        table.add_column(column, justify="right")
    for app in dict.fromkeys(row.app for row in rows):
        for one in summarise_runs([row for row in rows if row.app == app], body):
            qos = [f"{one.qos_percent:.2f}", f"{one.qos_percent_deviation or 0.0:.2f}"][: len(spread)]
            cost = [f"{one.cost_to_truth:.3f}", f"{one.cost_to_truth_deviation or 0.0:.3f}"][: len(spread)]
            target = "–" if one.qos_target_percent is None else f"{one.qos_target_percent:g}"
            backlog = max(row.max_backlog for row in rows if (row.app, row.policy) == (app, one.policy))
            rest = [f"{one.cost_to_static:.3f}", f"{backlog:.4g}"]
            table.add_row(app, one.policy, *qos, target, _say_met(one.meets_target), *cost, *rest)
    open_console().print(table)


def _say_met(meets_target: bool | None) -> str:  # noqa: FBT001  (a null of its own)
    """In a word, for colours are not seen by everybody nor kept in files."""
    return {None: "no target", True: "met", False: "MISSED"}[meets_target]


def print_forecast(answer: VmForecastAnswer, output: str) -> None:
    """A table for people, or the JSON that the service answers."""
    if output == "json":
        sys.stdout.write(answer.model_dump_json(indent=2, by_alias=True) + "\n")
        return
    table = Table("from (UTC)", box=SIMPLE_HEAD)
    columns = ("VMs", "expected", "covered", "probability", "target", "verdict", "mean + model + forecast")
    for column in columns:
        table.add_column(column, justify="right")
    for one in answer.intervals:
        parts = f"{one.vms_for_mean} + {one.vms_for_model} + {one.vms_for_forecast}"
        numbers = (f"{one.expected_rate:.4g}", f"{one.covered_rate:.4g}", f"{one.probability:.4f}")
        verdict = (f"{answer.qos_target:g}", _say_met(one.meets_target))
        table.add_row(f"{one.begins:%Y-%m-%d %H:%M}", str(one.vms), *numbers, *verdict, parts)
    console = open_console()
    console.print(table)
    for said in answer.diagnostics:
        console.print(f"note: {said.detail}", markup=False)
