"""The options that `headgate forecast` and `headgate backtest` share.

An option that is not given is left out of the body, whose defaults are those of the same call over HTTP.
"""

from pathlib import Path
from typing import Annotated

import typer

WorkloadFile = Annotated[
    Path, typer.Option("--workload", help="CSV or TSV with a header: time, rate; oldest first.")
]
MstFile = Annotated[Path, typer.Option("--mst", help="CSV or TSV with a header: app (optional), m, samples.")]
AppOption = Annotated[str | None, typer.Option("--app", help="Only this application of --mst.")]
MaxVms = Annotated[int | None, typer.Option("--max-vms", help="The most VMs there are; default 128.")]
StepSeconds = Annotated[
    float | None,
    typer.Option("--step-seconds", help="A step of the workload; default: the median distance of its times."),
]
IntervalSteps = Annotated[
    int | None, typer.Option("--interval-steps", help="For how many steps a decision holds; default 10.")
]
StartupSteps = Annotated[
    int | None, typer.Option("--startup-steps", help="How many steps a VM takes to start; default 2.")
]
