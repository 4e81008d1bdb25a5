"""`headgate forecast` and `headgate backtest`: VMs ahead of time, and policies tried on the past."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from app.terminal import Output, fail, keep_blas_to_one_thread

WorkloadFile = Annotated[Path, typer.Option("--workload", help="CSV or TSV: time, rate; a header.")]
MstFile = Annotated[Path, typer.Option("--mst", help="CSV or TSV: app (optional), m, samples; a header.")]
AppOption = Annotated[str | None, typer.Option("--app", help="Only this application of --mst.")]
MaxVms = Annotated[int, typer.Option("--max-vms", min=1, help="The most VMs there are.")]


def backtest(
    *,
    workload: WorkloadFile,
    mst: MstFile,
    train_vms: Annotated[
        str, typer.Option("--train-vms", help="The m whose samples a policy may know.")
    ] = "3,4,6,8,24",
    scale_peak: Annotated[
        str, typer.Option("--scale-peak", help="Scale the workload to this maximum; none leaves it.")
    ] = "32",
    policies: Annotated[
        str, typer.Option("--policies", help="all, or 0 to 7, headgate, ground-truth, static-peak.")
    ] = "all",
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="How many runs of each.")] = 5,
    max_vms: MaxVms = 128,
    app: AppOption = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw the first seed into this .png, .svg or .pdf.")
    ] = None,
    output: Annotated[Literal["table", "csv", "json"], typer.Option("--output")] = "table",
) -> None:
    """Live through a workload again under each policy: how much was served, and what it cost."""
    keep_blas_to_one_thread()
    from app.forecasts.offline import Choices, backtest_files, print_rows
    from app.plans.offline import Refused

    choices = Choices(policies, seeds, train_vms, _read_peak(scale_peak), max_vms, app, plot)
    try:
        print_rows(backtest_files(workload, mst, choices), output, sys.stdout)
    except Refused as refused:
        raise fail(str(refused)) from refused


def _read_peak(text: str) -> float | None:
    if text.lower() == "none":
        return None
    try:
        return float(text)
    except ValueError as error:
        raise fail(f"--scale-peak {text}: write a number, or none") from error


def forecast(
    *,
    workload: WorkloadFile,
    mst: MstFile,
    policy: Annotated[str, typer.Option("--policy", help="headgate, or one of the paper's.")] = "headgate",
    qos_target: Annotated[float | None, typer.Option("--qos-target", help="In [0.5, 1).")] = None,
    horizon: Annotated[int, typer.Option("--horizon", min=1, help="Intervals to decide on.")] = 1,
    max_vms: MaxVms = 128,
    app: AppOption = None,
    output: Output = "table",
) -> None:
    """How many VMs the coming intervals need."""
    keep_blas_to_one_thread()
    from app.forecasts.offline import forecast_files, print_forecast
    from app.plans.offline import Refused

    choices = {"policy": policy, "qos_target": qos_target, "horizon": horizon, "max_vms": max_vms}
    try:
        print_forecast(forecast_files(workload, mst, app, **choices), output)
    except Refused as refused:
        raise fail(str(refused)) from refused
