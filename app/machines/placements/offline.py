"""Placements from files, without a server or a database; checks and answers equal those over HTTP."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.machines.placements.answers import to_placement_answer
from app.machines.placements.gathering import gather_offline
from app.machines.placements.schemas import (
    ComparedPairAnswer,
    PlacedSlotAnswer,
    PlacementAnswer,
    PlacementRequest,
)
from app.machines.placements.service import compute_placement
from app.terminal.commands import Refused, compute_answer
from app.terminal.files import check_body, locate, open_documents
from app.terminal.outputs import write_model
from app.terminal.tables import Column, Columns, list_sizes, print_lines, print_table
from app.web.problems.errors import InvalidRequest
from planner.wording import write_count, write_counted, write_number, write_rate

SLOTS_SHOWN = 8


def run_placement(files: Mapping[str, Path | None], choices: Mapping[str, Any]) -> PlacementAnswer:
    """Returns the placement for the contents of files, equal to that over HTTP; files that are None are left out."""
    if files.get("vm_sizes") is None and files.get("vms") is None:
        raise Refused("There are no VMs to place threads on: give --vm-sizes to acquire from, or --vms.")
    inputs = open_documents({**choices, **files})
    inputs["profiles"] = inputs["profiles"]._replace(value=_list_points(inputs["profiles"].value))
    request = check_body(PlacementRequest, inputs)
    try:
        return compute_answer(lambda: place_request(request), inputs)
    except InvalidRequest as error:
        raise Refused("\n".join(locate(inputs, *one) for one in error.errors)) from error


def place_request(request: PlacementRequest) -> PlacementAnswer:
    """Returns the placement by the profiles and the VM sizes that the request itself holds."""
    gathered = gather_offline(request.topology, request)
    return to_placement_answer(compute_placement(gathered, request, request.external_rate), gathered, request)


def _list_points(document: Any) -> Any:
    """Returns each task's points, from lists of points or from the output of `headgate profile --output json`."""
    if not isinstance(document, dict):
        return document
    return {
        task: found["points"] if isinstance(found, dict) and "points" in found else found
        for task, found in document.items()
    }


def print_placement(answer: PlacementAnswer, output: str) -> None:
    """Prints a placement as tables, or as the service answers, in the form that --output names."""
    if output != "table":
        write_model(answer, output)
        return
    print_lines([_summarise(answer)])
    _print_tasks(answer)
    _print_vms(answer)
    if answer.comparison:
        _print_comparison(answer.comparison, answer.external_rate)
    print_lines(f"note: {note.detail}" for note in answer.diagnostics)


def _summarise(answer: PlacementAnswer) -> str:
    prediction, mapping = answer.prediction, answer.mapping
    sustained = "nothing is placed: no operator has a profile"
    if prediction.rate is not None:
        wanted = "" if prediction.meets_rate else f" of {write_number(answer.external_rate, digits=6)}"
        routed = f"with {prediction.routing} routing, limited by {prediction.binding_task}"
        sustained = f"sustains {write_number(prediction.rate, digits=6)}{wanted} tuples/s {routed}"
    cheapest = answer.acquisition.cheapest
    return (
        f"{answer.allocation.detail}\n"
        f"{answer.allocation.slots} slots allocated, {mapping.slots_used} used of {mapping.slots_available} on "
        f"{write_counted(len(mapping.vms), 'VM')} for {write_number(answer.hourly_price)} an hour (cheapest mix of VMs "
        f"to acquire: {list_sizes(cheapest.vms)} for {write_number(cheapest.hourly_price)})\n"
        f"{sustained}"
    )


TASKS = ("task", "rate /s", "threads", "cpu", "memory", "sustains /s")
VMS: Columns = [
    "VM",
    Column("size", is_text=True),
    Column("threads, slot by slot", wraps=True),
    "cpu",
    "memory",
]
PAIRS = ("pair", "slots", "used", "VMs", "retries", "price /h", "shuffle /s", "slot-aware /s")


def _print_tasks(answer: PlacementAnswer) -> None:
    rows = []
    reach = {task.name: task.capacity for task in answer.prediction.tasks}
    for task in answer.allocation.tasks:
        rate, cpu, memory, sustained = map(write_number, (task.rate, task.cpu, task.memory, reach[task.name]))
        rows.append([task.name, rate, write_count(task.threads), cpu, memory, sustained, task.detail])
    print_table([*TASKS, Column("arithmetic", wraps=True)], rows)


def _print_vms(answer: PlacementAnswer) -> None:
    rows = []
    for vm, expected in zip(answer.mapping.vms, answer.prediction.vms, strict=True):
        slots = [_describe_slot(slot) for slot in vm.slots[:SLOTS_SHOWN]]
        if len(vm.slots) > SLOTS_SHOWN:
            slots.append(f"{write_count(len(vm.slots) - SLOTS_SHOWN)} more slots")
        used = map(write_number, (expected.cpu, expected.memory))
        rows.append([vm.name, vm.size or "", " | ".join(slots), *used])
    print_table(VMS, rows)


def _describe_slot(slot: PlacedSlotAnswer) -> str:
    return ", ".join(f"{task} × {threads}" for task, threads in slot.threads.items()) or "empty"


def _print_comparison(pairs: list[ComparedPairAnswer], external_rate: float) -> None:
    """Prints a row for each pair of allocation and mapping, or a line that says why the pair cannot be placed."""
    rows, reasons = [], []
    for pair in pairs:
        name = f"{pair.allocation} + {pair.mapping}"
        if pair.reason is not None:
            reasons.append(f"{name}: {pair.reason}")
            continue
        counts = (pair.slots, pair.slots_used, pair.vms, pair.retries)
        rates = (pair.hourly_price, pair.rate_shuffle, pair.rate_slot_aware)
        rows.append([name, *map(write_count, counts), *map(write_number, rates)])
    title = f"every allocation with every mapping, at {write_rate(external_rate)}"
    print_table(PAIRS, rows, title=title)
    print_lines(reasons)
