"""`headgate forecast` and `headgate backtest`: VMs ahead of time, and policies tried on the past."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from app.terminal.commands import Output, fail, keep_blas_to_one_thread

WorkloadFile = Annotated[
    Path, typer.Option("--workload", help="CSV or TSV with a header: time, rate; oldest first.")
]
MstFile = Annotated[Path, typer.Option("--mst", help="CSV or TSV with a header: app (optional), m, samples.")]
AppOption = Annotated[str | None, typer.Option("--app", help="Only this application of --mst.")]
# What is left out is left to the body of the same call over HTTP: its defaults are written here, and kept there.
MaxVms = Annotated[int | None, typer.Option("--max-vms", help="The most VMs there are; default 128.")]
StepSeconds = Annotated[
    float | None,
    typer.Option("--step-seconds", help="Of the workload; default: the median distance of its times."),
]
IntervalSteps = Annotated[
    int | None, typer.Option("--interval-steps", help="For how many steps a decision holds; default 10.")
]
StartupSteps = Annotated[
    int | None, typer.Option("--startup-steps", help="How many steps a VM takes to start; default 2.")
]


def backtest(
    *,
    workload: WorkloadFile,
    mst: MstFile,
    train_vms: Annotated[
        str | None,
        typer.Option(
            "--train-vms",
            help="The m whose samples a policy may know, or all; default 3,4,6,8,24 where measured, else all.",
        ),
    ] = None,
    scale_peak: Annotated[
        str | None,
        typer.Option("--scale-peak", help="Scale the workload to this maximum, or none; default 32."),
    ] = None,
    policies: Annotated[
        str | None,
        typer.Option(
            "--policies", help="0 to 7, headgate, ground-truth, static-peak; default all: the first nine."
        ),
    ] = None,
    seeds: Annotated[int | None, typer.Option("--seeds", help="How many runs of each; default 5.")] = None,
    max_vms: MaxVms = None,
    step_seconds: StepSeconds = None,
    interval_steps: IntervalSteps = None,
    startup_steps: StartupSteps = None,
    qos_target: Annotated[
        float | None, typer.Option("--qos-target", help="Of the paper's policies, in [0.5, 1); default 0.95.")
    ] = None,
    headgate_qos_target: Annotated[
        float | None, typer.Option("--headgate-qos-target", help="Of headgate, in [0.5, 1); default 0.9875.")
    ] = None,
    workload_name: Annotated[
        str | None, typer.Option("--workload-name", help="For the rows; default: the name of the file.")
    ] = None,
    app: AppOption = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw the first seed into this .png, .svg or .pdf.")
    ] = None,
    output: Annotated[Literal["table", "csv", "json"], typer.Option("--output")] = "table",
) -> None:
    """Live through a workload again under each policy: how much was served, and what it cost."""
    keep_blas_to_one_thread()
    from app.forecasts.offline import backtest_files, print_rows, read_choices
    from app.terminal.refusals import Refused

    given = {
        "train_vms": train_vms,
        "scale_peak": scale_peak,
        "policies": policies,
        "seeds": seeds,
        "max_vms": max_vms,
        "step_seconds": step_seconds,
        "interval_steps": interval_steps,
        "startup_steps": startup_steps,
        "qos_target": qos_target,
        "headgate_qos_target": headgate_qos_target,
        "workload_name": workload_name,
    }
    try:
        choices = read_choices(given, app, plot)
        print_rows(backtest_files(workload, mst, choices), output, sys.stdout, choices.body)
    except Refused as refused:
        raise fail(str(refused)) from refused


def forecast(
    *,
    workload: WorkloadFile,
    mst: MstFile,
    policy: Annotated[
        str | None, typer.Option("--policy", help="headgate, or one of the paper's; default headgate.")
    ] = None,
    qos_target: Annotated[
        float | None, typer.Option("--qos-target", help="In [0.5, 1); default 0.95, and 0.9875 for headgate.")
    ] = None,
    horizon: Annotated[
        int | None, typer.Option("--horizon", help="Intervals to decide on; default 1.")
    ] = None,
    max_vms: MaxVms = None,
    step_seconds: StepSeconds = None,
    interval_steps: IntervalSteps = None,
    startup_steps: StartupSteps = None,
    app: AppOption = None,
    output: Output = "table",
) -> None:
    """How many VMs the coming intervals need."""
    keep_blas_to_one_thread()
    from app.forecasts.offline import forecast_files, print_forecast
    from app.terminal.refusals import Refused

    choices = {
        "policy": policy,
        "qos_target": qos_target,
        "horizon": horizon,
        "max_vms": max_vms,
        "step_seconds": step_seconds,
        "interval_steps": interval_steps,
        "startup_steps": startup_steps,
    }
    try:
        print_forecast(forecast_files(workload, mst, app, **choices), output)
    except Refused as refused:
        raise fail(str(refused)) from refused
