"""`headgate place` places the threads of a topology that files describe."""

from pathlib import Path
from typing import Annotated

import typer

from app.terminal.commands import Output, TopologyFile, run_or_fail

ProfilesFile = Annotated[
    Path,
    typer.Option("--profiles", help="For each task a list of threads, peak_rate, cpu, memory; JSON or YAML."),
]


def place(
    *,
    topology: TopologyFile,
    rate: Annotated[float, typer.Option("--rate", help="External tuples per second.")],
    profiles: ProfilesFile,
    vm_sizes: Annotated[
        Path | None, typer.Option("--vm-sizes", help="A list of name, slots, hourly_price.")
    ] = None,
    vms: Annotated[
        Path | None, typer.Option("--vms", help="Existing VMs: a list of name, slots, rack.")
    ] = None,
    allocation: Annotated[str, typer.Option(help="lsa or mba.")] = "mba",
    mapping: Annotated[str, typer.Option(help="dsm, rsm, sam or collocate.")] = "sam",
    routing: Annotated[str, typer.Option(help="shuffle or slot-aware.")] = "shuffle",
    acquisition: Annotated[str, typer.Option(help="largest-first or cheapest.")] = "largest-first",
    compare: Annotated[bool, typer.Option("--compare", help="Every allocation with every mapping.")] = False,
    output: Output = "table",
) -> None:
    """Place threads on slots of VMs, and show the sustained rate and the price."""
    from app.machines.placements.offline import print_placement, run_placement

    choices = {
        "allocation": allocation,
        "mapping": mapping,
        "routing": routing,
        "acquisition": acquisition,
        "compare": compare,
    }
    files = {"topology": topology, "profiles": profiles, "vm_sizes": vm_sizes, "vms": vms}
    print_placement(run_or_fail(run_placement, files, choices | {"external_rate": rate}), output)
