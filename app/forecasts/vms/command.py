"""`headgate forecast` computes from files how many VMs the coming intervals need."""

from pathlib import Path
from typing import Annotated

import typer

from app.terminal import options
from app.terminal.commands import Output, keep_blas_to_one_thread, run_or_fail

RecordFile = Annotated[
    Path | None,
    typer.Option("--record", help="CSV of the newest steps, oldest first: vms,saturated (true or false)."),
]
Horizon = Annotated[int | None, typer.Option("--horizon", help="Intervals to decide on; default 1.")]


def forecast(
    *,
    workload: options.WorkloadFile,
    mst: options.MstFile,
    policy: Annotated[
        str | None, typer.Option("--policy", help="headgate, or a policy of Imai et al.; default headgate.")
    ] = None,
    qos_target: Annotated[
        float | None, typer.Option("--qos-target", help="In [0.5, 1); default 0.95, and 0.9875 for headgate.")
    ] = None,
    horizon: Horizon = None,
    max_vms: options.MaxVms = None,
    step_seconds: options.StepSeconds = None,
    interval_steps: options.IntervalSteps = None,
    startup_steps: options.StartupSteps = None,
    billing_seconds: options.BillingSeconds = None,
    vm_sizes: options.VmSizes = None,
    record: RecordFile = None,
    app: options.AppOption = None,
    output: Output = "table",
) -> None:
    """Compute how many VMs the coming intervals need.

    To try: headgate forecast --workload docs/examples/vms/workload.csv --mst docs/examples/vms/mst.csv
    """
    keep_blas_to_one_thread()
    from app.forecasts.vms.offline import print_forecast, run_forecast

    bought = {"max_vms": max_vms, "billing_seconds": billing_seconds, "vm_sizes": vm_sizes}
    choices = bought | {
        "policy": policy,
        "qos_target": qos_target,
        "horizon": horizon,
        "step_seconds": step_seconds,
        "interval_steps": interval_steps,
        "startup_steps": startup_steps,
        "record": record,
    }
    print_forecast(run_or_fail(run_forecast, workload, mst, app, **choices), output)
