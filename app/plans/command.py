"""`headgate plan` and `headgate estimate`: from files, without server or database."""

from pathlib import Path
from typing import Annotated, Any

import typer

from app.terminal.commands import Output, TopologyFile, fail, run_or_fail

plan_cli = typer.Typer(help="Plan from files, without server or database.", no_args_is_help=True)

LoadFile = Annotated[Path, typer.Option("--load", help="JSON or YAML.")]
ModelOption = Annotated[str, typer.Option("--model", help="mmk, ggk or ggk-whitt.")]


@plan_cli.command("min-latency")
def plan_min_latency(
    topology: TopologyFile,
    load: LoadFile,
    k_max: Annotated[int, typer.Option("--k-max", help="Processors to divide.")],
    model: ModelOption = "ggk-whitt",
    output: Output = "table",
) -> None:
    """The best split of --k-max processors: least E[T]."""
    from app.plans.offline import run_min_latency

    _print(run_min_latency, output, topology=topology, load=load, k_max=k_max, model=model)


@plan_cli.command("min-processors")
def plan_min_processors(
    topology: TopologyFile,
    load: LoadFile,
    t_max_seconds: Annotated[
        float, typer.Option("--t-max", "--t-max-seconds", help="E[T] to stay at or below, seconds.")
    ],
    model: ModelOption = "ggk-whitt",
    output: Output = "table",
) -> None:
    """The fewest processors that keep E[T] at or below --t-max."""
    from app.plans.offline import run_min_processors

    _print(run_min_processors, output, topology=topology, load=load, t_max_seconds=t_max_seconds, model=model)


@plan_cli.command("tradeoff")
def plan_tradeoff(
    topology: TopologyFile,
    load: LoadFile,
    beta: Annotated[
        float, typer.Option("--beta", help="Weight of a processor, between 0 and 1; the rest is a tuple's.")
    ],
    model: ModelOption = "mmk",
    output: Output = "table",
) -> None:
    """Processors weighed against waiting tuples, operator by operator (Es-Stream)."""
    from app.plans.offline import run_tradeoff

    _print(run_tradeoff, output, topology=topology, load=load, beta=beta, model=model)


@plan_cli.command("proportional")
def plan_proportional(
    topology: TopologyFile,
    load: LoadFile,
    tolerance: Annotated[
        float, typer.Option("--tolerance", help="Stop where one more saves no larger part of E[T].")
    ] = 0.01,
    model: ModelOption = "ggk-whitt",
    output: Output = "table",
) -> None:
    """Processors in proportion to the work of each operator (Mc-Stream)."""
    from app.plans.offline import run_proportional

    _print(run_proportional, output, topology=topology, load=load, tolerance=tolerance, model=model)


def estimate(
    topology: TopologyFile,
    load: LoadFile,
    processors: Annotated[
        list[str] | None, typer.Option(help="operator=count, again for each; without, as the load says.")
    ] = None,
    model: ModelOption = "ggk-whitt",
    output: Output = "table",
) -> None:
    """E[T] of a topology under a load."""
    from app.plans.offline import run_estimate

    _print(
        run_estimate, output, topology=topology, load=load, processors=_read_counts(processors), model=model
    )


def _read_counts(given: list[str] | None) -> dict[str, int] | None:
    counts = {}
    for one in given or []:
        name, _, count = one.rpartition("=")
        if not name or not count.isdecimal():
            raise fail(f"--processors {one}: write operator=count, e.g. detector=13")
        counts[name] = int(count)
    return counts or None


def _print(run: Any, output: str, **inputs: Any) -> None:
    from app.plans.offline import print_answer

    print_answer(run_or_fail(run, **inputs), output)
