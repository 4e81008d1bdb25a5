"""Backtests and VM schedules from files: no server, no database."""

import csv
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from app.forecasts.files import UnreadableFile, read_samples, read_workload
from app.forecasts.schemas import MstSample, VmForecastAnswer, VmForecastRequest, WorkloadPoint
from app.forecasts.service import forecast_described
from app.plans.offline import Refused
from app.problems import describe_problem
from planner.backtest import Backtest, BacktestRow, BacktestSetup, run_backtest
from planner.errors import PlannerError
from planner.forecast_errors import InvalidMstSamples
from planner.policies import ALL_POLICIES, BASELINES, BY_NAME
from planner.workload import Workload

FORMATS = (".png", ".svg", ".pdf")
COLUMNS = [field.name for field in fields(BacktestRow)]


def read_policies(text: str) -> tuple[str, ...]:
    """`all`, or names with commas between; the paper's by number, whichever way they were named."""
    if text.strip() == "all":
        return ALL_POLICIES
    names = [name.strip() for name in text.split(",") if name.strip()]
    return tuple(BY_NAME[name].number if name in BY_NAME else name for name in names)


def read_counts(text: str) -> tuple[int, ...]:
    """`3,4,6,8,24`."""
    try:
        return tuple(int(count) for count in text.split(","))
    except ValueError as error:
        raise Refused(
            f"--train-vms {text}: write whole numbers with commas between, e.g. 3,4,6,8,24"
        ) from error


@dataclass(frozen=True)
class Choices:
    """What the command line chose."""

    policies: str
    seeds: int
    train_vms: str
    scale_peak: float | None
    max_vms: int
    app: str | None
    plot: Path | None = None


def backtest_files(workload: Path, mst: Path, choices: Choices) -> Iterator[BacktestRow]:
    """One row per application, policy and seed, as each is done."""
    try:
        policies = read_policies(choices.policies)
        for setup in read_setups(workload, mst, choices):
            yield from _watch(setup, policies, choices.seeds)
            if choices.plot is not None:
                from app.forecasts.plots import plot_backtest  # noqa: PLC0415  (slow to import, and rarely asked for)

                plot_backtest(Backtest(setup), policies, 0, choices.plot)
    except (PlannerError, UnreadableFile, OSError) as error:
        raise refuse(error) from error


def read_setups(workload: Path, mst: Path, choices: Choices) -> Iterator[BacktestSetup]:
    """One for each application of the samples, or for the one chosen."""
    series, samples = read_workload(workload), read_samples(mst)
    _say(series)
    if choices.app is not None and choices.app not in samples:
        raise InvalidMstSamples(f"{mst} has no application {choices.app}; it has {', '.join(samples)}.")
    names = [choices.app] if choices.app is not None else list(samples)
    if choices.plot is not None and (len(names) > 1 or choices.plot.suffix not in FORMATS):
        raise UnreadableFile(f"--plot draws one application (choose with --app) into {', '.join(FORMATS)}.")
    for name in names:
        yield BacktestSetup(
            workload=workload.stem,
            app=name,
            rates=series.rates,
            samples=samples[name],
            train_vms=read_counts(choices.train_vms),
            scale_peak=choices.scale_peak,
            max_vms=choices.max_vms,
        )


def _watch(setup: BacktestSetup, policies: tuple[str, ...], seeds: int) -> Iterator[BacktestRow]:
    """A bar where errors are read, if that is a terminal."""
    intervals = -(-len(setup.rates) // setup.timing.interval_steps)
    replayed = [policy for policy in policies if policy not in BASELINES]
    with Progress(console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True) as progress:
        task = progress.add_task(f"{setup.app} on {setup.workload}", total=intervals * len(replayed) * seeds)
        yield from run_backtest(setup, policies, seeds, lambda _: progress.advance(task))


def forecast_files(workload: Path, mst: Path, app: str | None, **choices: object) -> VmForecastAnswer:
    """The answer that POST /v1/forecasts/vms gives for what the files hold."""
    try:
        series, samples = read_workload(workload), read_samples(mst)
        known = samples.get(app) if app is not None else next(iter(samples.values()))
        if known is None or (app is None and len(samples) > 1):
            raise InvalidMstSamples(f"Choose one application with --app: {mst} has {', '.join(samples)}.")
        body = VmForecastRequest.model_validate(
            {
                "workload": [
                    WorkloadPoint(at=datetime.fromtimestamp(series.start_seconds + i * 60.0, UTC), rate=rate)
                    for i, rate in enumerate(series.rates)
                ],
                "mst_samples": [MstSample(vms=one.vms, throughput=one.throughput) for one in known],
                **{name: choice for name, choice in choices.items() if choice is not None},
            }
        )
        _say(series)
        return forecast_described(body)
    except (PlannerError, ValueError) as error:
        raise refuse(error) from error


def refuse(error: Exception) -> Refused:
    """The refusal with its problem type, as over HTTP."""
    problem = describe_problem(error)
    return Refused(f"{problem['type']}: {error}" if problem else str(error))


def _say(series: Workload) -> None:
    for one in series.diagnostics:
        print(f"headgate: {one.detail}", file=sys.stderr)  # noqa: T201  (notes belong where errors are read)


def print_rows(rows: Iterator[BacktestRow], output: str, out: TextIO) -> None:
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
        _tabulate(list(rows))


def _tabulate(rows: list[BacktestRow]) -> None:
    table = Table(*("app", "policy"), box=SIMPLE_HEAD)
    for column in ("QoS %", "± ", "cost to truth", "±", "cost to static", "max backlog"):
        table.add_column(column, justify="right")
    for app, policy in dict.fromkeys((row.app, row.policy) for row in rows):
        group = [row for row in rows if (row.app, row.policy) == (app, policy)]
        qos, cost = [row.qos_percent for row in group], [row.cost_to_truth for row in group]
        table.add_row(
            app,
            policy,
            f"{_mean(qos):.2f}",
            f"{_deviation(qos):.2f}",
            f"{_mean(cost):.3f}",
            f"{_deviation(cost):.3f}",
            f"{_mean([row.cost_to_static for row in group]):.3f}",
            f"{max(row.max_backlog for row in group):.4g}",
        )
    Console(width=None if sys.stdout.isatty() else 120, highlight=False).print(table)


def print_forecast(answer: VmForecastAnswer, output: str) -> None:
    """A table for people, or the JSON that the service answers."""
    if output == "json":
        sys.stdout.write(answer.model_dump_json(indent=2, by_alias=True) + "\n")
        return
    table = Table("from", box=SIMPLE_HEAD)
    for column in ("VMs", "expected", "covered", "probability", "meets target", "mean + model + forecast"):
        table.add_column(column, justify="right")
    for one in answer.intervals:
        parts = f"{one.vms_for_mean} + {one.vms_for_model} + {one.vms_for_forecast}"
        numbers = (f"{one.expected_rate:.4g}", f"{one.covered_rate:.4g}", f"{one.probability:.4f}")
        table.add_row(
            f"{one.begins:%Y-%m-%d %H:%M}", str(one.vms), *numbers, "yes" if one.meets_target else "no", parts
        )
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    console.print(table)
    for said in answer.diagnostics:
        console.print(f"note: {said.detail}", markup=False)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _deviation(values: list[float]) -> float:
    """Over the seeds, with n − 1; of one seed alone 0."""
    mean = _mean(values)
    return float((sum((value - mean) ** 2 for value in values) / max(len(values) - 1, 1)) ** 0.5)
