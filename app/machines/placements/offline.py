"""Placements from files: no server, no database, the same checks and answers as over HTTP."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from app.machines.placements.answers import to_placement_answer
from app.machines.placements.gathering import gather_offline
from app.machines.placements.schemas import (
    ComparedPairAnswer,
    PlacedSlotAnswer,
    PlacementAnswer,
    PlacementRequest,
)
from app.machines.placements.service import compute_placement
from app.terminal.commands import Refused, compute_answer, open_console
from app.terminal.files import check_body, read_document
from app.web.errors import InvalidRequest

SLOTS_SHOWN = 8


def run_placement(files: Mapping[str, Path | None], choices: Mapping[str, Any]) -> PlacementAnswer:
    """The placement that the same request over HTTP would have; a file of None is left out of it."""
    if files.get("vm_sizes") is None and files.get("vms") is None:
        raise Refused("Nothing to place on: give --vm-sizes to acquire from, or --vms that are there.")
    read = {name: read_document(path) for name, path in files.items() if path is not None}
    request = check_body(
        PlacementRequest, dict(choices) | read | {"profiles": _list_points(read["profiles"])}
    )
    try:
        return compute_answer(lambda: place_request(request))
    except InvalidRequest as error:
        raise Refused("\n".join(f"{pointer}: {detail}" for pointer, detail in error.errors)) from error


def place_request(request: PlacementRequest) -> PlacementAnswer:
    """The placement by the profiles and sizes in the request alone."""
    gathered = gather_offline(request.topology, request)
    return to_placement_answer(compute_placement(gathered, request, request.external_rate), gathered, request)


def _list_points(document: Any) -> Any:
    """The points by task, from lists of points or from what `headgate profile --output json` wrote."""
    if not isinstance(document, dict):
        return document
    return {
        task: found["points"] if isinstance(found, dict) and "points" in found else found
        for task, found in document.items()
    }


def print_placement(answer: PlacementAnswer, output: str) -> None:
    """Tables for people, or the JSON that the service answers."""
    if output == "json":
        sys.stdout.write(answer.model_dump_json(indent=2) + "\n")
        return
    console = open_console()
    console.print(_summarise(answer))
    console.print(_tabulate_tasks(answer))
    console.print(_tabulate_vms(answer))
    if answer.comparison:
        console.print(_tabulate_comparison(answer.comparison, answer.external_rate))
    for said in answer.diagnostics:
        console.print(Text(f"note: {said.detail}"))


def _summarise(answer: PlacementAnswer) -> Text:
    prediction, mapping = answer.prediction, answer.mapping
    sustained = "nothing is placed: no operator has a profile"
    if prediction.rate is not None:
        meets = "as asked" if prediction.meets_rate else f"of {answer.external_rate:.6g} asked"
        routed = f"with {prediction.routing} routing, bound by {prediction.binding_task}"
        sustained = f"sustains {prediction.rate:.6g} tuples/s {meets} {routed}"
    bought, cheapest = answer.hourly_price, answer.acquisition.cheapest
    return Text(
        f"{answer.allocation.detail}\n"
        f"{answer.allocation.slots} slots allocated, {mapping.slots_used} used of {mapping.slots_available} on "
        f"{_count_vms(len(mapping.vms))} for {bought:.6g} an hour (cheapest mix of VMs to acquire: "
        f"{_count(cheapest.vms)} for {cheapest.hourly_price:.6g})\n"
        f"{sustained}"
    )


def _count_vms(count: int) -> str:
    return "1 VM" if count == 1 else f"{count} VMs"


def _count(vms: dict[str, int]) -> str:
    return " + ".join(f"{count} {size}" for size, count in vms.items()) or "none"


def _tabulate_tasks(answer: PlacementAnswer) -> Table:
    table = Table(box=SIMPLE_HEAD)
    table.add_column("task")
    for column in ("rate /s", "threads", "cpu", "memory", "sustains /s"):
        table.add_column(column, justify="right")
    table.add_column("how")
    reach = {task.name: task.capacity for task in answer.prediction.tasks}
    for task in answer.allocation.tasks:
        taken = (f"{task.cpu:.4g}", f"{task.memory:.4g}", f"{reach[task.name]:.6g}")
        table.add_row(*map(Text, (task.name, f"{task.rate:.6g}", str(task.threads), *taken, task.detail)))
    return table


def _tabulate_vms(answer: PlacementAnswer) -> Table:
    table = Table(box=SIMPLE_HEAD)
    table.add_column("VM")
    table.add_column("size")
    table.add_column("threads, slot by slot")
    table.add_column("cpu", justify="right")
    table.add_column("memory", justify="right")
    for vm, expected in zip(answer.mapping.vms, answer.prediction.vms, strict=True):
        slots = [_describe_slot(slot) for slot in vm.slots[:SLOTS_SHOWN]]
        if len(vm.slots) > SLOTS_SHOWN:
            slots.append(f"… and {len(vm.slots) - SLOTS_SHOWN} slots more")
        row = [vm.name, vm.size or "", " | ".join(slots), f"{expected.cpu:.4g}", f"{expected.memory:.4g}"]
        table.add_row(*map(Text, row))
    return table


def _describe_slot(slot: PlacedSlotAnswer) -> str:
    return ", ".join(f"{task} × {threads}" for task, threads in slot.threads.items()) or "empty"


def _tabulate_comparison(pairs: list[ComparedPairAnswer], external_rate: float) -> Table:
    table = Table(
        box=SIMPLE_HEAD, title=f"every allocation with every mapping, at {external_rate:.6g} tuples/s"
    )
    table.add_column("pair")
    for column in ("slots", "used", "VMs", "retries", "price /h", "shuffle /s", "slot-aware /s"):
        table.add_column(column, justify="right")
    for pair in pairs:
        name = f"{pair.allocation} + {pair.mapping}"
        if pair.reason is not None:
            table.add_row(Text(name), Text(pair.reason))
            continue
        counts = (pair.slots, pair.slots_used, pair.vms, pair.retries)
        rates = (pair.hourly_price, pair.rate_shuffle, pair.rate_slot_aware)
        table.add_row(
            name, *map(str, counts), *("unknown" if rate is None else f"{rate:.4g}" for rate in rates)
        )
    return table
