"""`headgate profile` builds task profiles from trials."""

from pathlib import Path
from typing import Annotated

import typer

from app.terminal.commands import Output, run_or_fail
from app.terminal.options import take_time


def profile(
    trials: Annotated[
        Path, typer.Option("--trials", help="CSV: task,threads,rate,at_seconds,latency_seconds,cpu,memory.")
    ],
    warm_up_seconds: Annotated[
        float,
        take_time("--warm-up-seconds", help_text="Samples before this time, such as 30s, are not used."),
    ] = 0.0,
    max_slope: Annotated[
        float, typer.Option(help="Growth of latency, in s/s, up to which a trial is stable.")
    ] = 1e-3,
    output: Output = "table",
) -> None:
    """Build task profiles from trials; `place --profiles` reads the output of --output json."""
    from app.machines.profiles.offline import print_profiles, run_profiles

    print_profiles(run_or_fail(run_profiles, trials, warm_up_seconds, max_slope), output)
