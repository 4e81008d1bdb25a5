"""`headgate simulate` simulates a topology in files, without a server or a database."""

from pathlib import Path
from typing import Annotated

import typer

from app.terminal.commands import (
    ModelOption,
    Output,
    TopologyFile,
    keep_blas_to_one_thread,
    load_settings,
    run_or_fail,
)
from planner.values import DEFAULT_MODEL

LoadFile = Annotated[Path, typer.Option("--load", help="JSON or YAML.")]
Counts = list[str] | None
Processors = Annotated[
    Counts,
    typer.Option(
        "--processors", help="operator=count,operator=count or a file; default: the processors in the load."
    ),
]
Roots = Annotated[int, typer.Option("--roots", help="External tuples to simulate, warm-up included.")]
Seed = Annotated[int, typer.Option("--seed", help="The same seed gives the same answer.")]
Arrivals = Annotated[
    str | None,
    typer.Option(
        "--arrivals",
        help="poisson (the default), deterministic, or a file with the object `arrivals` of the call.",
    ),
]
Services = Annotated[
    Path | None, typer.Option("--services", help="A file with the object `services` of the call.")
]
Capacities = Annotated[
    Counts,
    typer.Option(
        "--capacities", help="operator=places in each of its queues, or a file; default: unlimited queues."
    ),
]
Quantiles = Annotated[str, typer.Option("--quantiles", help="Levels separated by commas.")]
WarmUp = Annotated[
    float, typer.Option("--warm-up-share", help="The share of roots at the beginning that are not measured.")
]


def simulate(
    *,
    topology: TopologyFile,
    load: LoadFile,
    processors: Processors = None,
    roots: Roots = 200_000,
    seed: Seed = 1,
    arrivals: Arrivals = None,
    services: Services = None,
    capacities: Capacities = None,
    quantiles: Quantiles = "0.5,0.95,0.99",
    warm_up_share: WarmUp = 0.1,
    model: ModelOption = DEFAULT_MODEL,
    output: Output = "table",
) -> None:
    """Simulate a topology tuple by tuple, and compare the model with the simulation."""
    keep_blas_to_one_thread()
    from app.jobs.simulations.offline import SimulationFiles, print_answer, run_files

    files = SimulationFiles(topology, load, arrivals, services)
    given = {
        "processors": processors,
        "capacities": capacities,
        "quantiles": quantiles,
        "roots": roots,
        "seed": seed,
        "warm_up_share": warm_up_share,
        "model": model,
    }
    print_answer(run_or_fail(run_files, files, given, load_settings().max_simulation_events), output)
