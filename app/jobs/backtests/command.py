"""`headgate backtest` tries policies on a past workload from files."""

from pathlib import Path
from typing import Annotated

import typer

from app.terminal import options
from app.terminal.commands import Output, keep_blas_to_one_thread, run_or_fail

TrainVms = Annotated[
    str | None,
    typer.Option(
        "--train-vms",
        help="Numbers of VMs whose samples a policy may know, or all; default 3,4,6,8,24 if measured, else all.",
    ),
]
ScalePeak = Annotated[
    str | None,
    typer.Option("--scale-peak", help="Scale the workload to this maximum, or none; default 32."),
]
Policies = Annotated[
    str | None,
    typer.Option(
        "--policies", help="0 to 7, headgate, ground-truth, static-peak; default all: the first nine."
    ),
]
QosTarget = Annotated[
    float | None,
    typer.Option(
        "--qos-target", help="The target of the policies of Imai et al., in [0.5, 1); default 0.95."
    ),
]
HeadgateQosTarget = Annotated[
    float | None,
    typer.Option("--headgate-qos-target", help="The target of headgate, in [0.5, 1); default 0.9875."),
]
WorkloadName = Annotated[
    str | None,
    typer.Option("--workload-name", help="The workload's name in the rows; default: the name of the file."),
]
PlotFile = Annotated[
    Path | None, typer.Option("--plot", help="Draw the first seed into this .png, .svg or .pdf.")
]
Seeds = Annotated[int | None, typer.Option("--seeds", help="How many runs of each policy; default 5.")]


def backtest(
    *,
    workload: options.WorkloadFile,
    mst: options.MstFile,
    train_vms: TrainVms = None,
    scale_peak: ScalePeak = None,
    policies: Policies = None,
    seeds: Seeds = None,
    max_vms: options.MaxVms = None,
    step_seconds: options.StepSeconds = None,
    interval_steps: options.IntervalSteps = None,
    startup_steps: options.StartupSteps = None,
    billing_seconds: options.BillingSeconds = None,
    vm_sizes: options.VmSizes = None,
    qos_target: QosTarget = None,
    headgate_qos_target: HeadgateQosTarget = None,
    workload_name: WorkloadName = None,
    app: options.AppOption = None,
    plot: PlotFile = None,
    output: Output = "table",
) -> None:
    """Replay a workload under each policy, and print how much was served and at what cost.

    To try: headgate backtest --workload docs/examples/vms/workload.csv --mst docs/examples/vms/mst.csv
    """
    keep_blas_to_one_thread()
    from app.jobs.backtests.offline import run_backtests

    steps = {"step_seconds": step_seconds, "interval_steps": interval_steps, "startup_steps": startup_steps}
    bought = {"max_vms": max_vms, "billing_seconds": billing_seconds, "vm_sizes": vm_sizes}
    trained = {"train_vms": train_vms, "scale_peak": scale_peak, "policies": policies, "seeds": seeds}
    targets = {"qos_target": qos_target, "headgate_qos_target": headgate_qos_target}
    given = {**steps, **bought, **trained, **targets, "workload_name": workload_name}
    run_or_fail(run_backtests, (workload, mst), given, app, plot, output)
