"""Forecasts of VMs from files, without a server or a database; checks and answers equal those over HTTP."""

import csv
from datetime import UTC, datetime
from pathlib import Path

from app.forecasts.vms.schemas import VmForecastAnswer, VmForecastRequest
from app.forecasts.vms.service import forecast_described
from app.terminal.commands import refuse, say
from app.terminal.files import check_body, open_documents
from app.terminal.outputs import write_model
from app.terminal.series_files import (
    UnreadableFile,
    describe_timing,
    read_samples,
    read_workload,
)
from app.terminal.tables import list_sizes, print_lines, print_table
from planner.errors import PlannerError
from planner.vms.misses import REASONS, write_debt
from planner.vms.timing import InvalidMstSamples
from planner.wording import write_number
from planner.workloads.series import Measurement, regularise_workload


def run_forecast(workload: Path, mst: Path, app: str | None, **choices: object) -> VmForecastAnswer:
    """Returns what POST /v1/forecasts/vms answers for the contents of the files."""
    try:
        measured = read_workload(workload)
        body = read_request(measured, mst, app, choices)
        say("; ".join(describe_timing(regularise_workload(measured, body.step_seconds), body)))
        return forecast_described(body)
    except (PlannerError, UnreadableFile) as error:
        raise refuse(error) from error


def read_request(
    measured: list[Measurement], mst: Path, app: str | None, choices: dict[str, object]
) -> VmForecastRequest:
    """Makes the request from the files and the options; an option that is None is left out."""
    samples = read_samples(mst)
    known = samples.get(app) if app is not None else next(iter(samples.values()))
    if known is None or (app is None and len(samples) > 1):
        raise InvalidMstSamples(f"Choose one application with --app: {mst} has {', '.join(samples)}.")
    return check_body(
        VmForecastRequest,
        {
            "workload": [_to_point(one) for one in measured],
            "mst_samples": [{"vms": one.vms, "throughput": one.throughput} for one in known],
            **open_documents(choices | {"record": None}),
            "record": _read_record(choices.get("record")),
        },
    )


READ_AS: dict[str, object] = {"true": True, "false": False}


def _read_record(path: object) -> list[dict[str, object]]:
    """Reads the steps of a record from a file with the columns vms and saturated; no file has none."""
    if not isinstance(path, Path):
        return []
    try:
        rows = list(csv.DictReader(path.read_text().splitlines(), restval=""))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UnreadableFile(f"{path} cannot be read: {error}.") from error
    return [{str(name): _read_cell(str(text).strip()) for name, text in row.items()} for row in rows]


def _read_cell(text: str) -> object:
    return int(text) if text.isdecimal() else READ_AS.get(text.lower(), text)


def _to_point(measured: Measurement) -> dict[str, object]:
    return {"at": datetime.fromtimestamp(measured.at_seconds, UTC), "rate": measured.rate}


def print_forecast(answer: VmForecastAnswer, output: str) -> None:
    """Prints a forecast of VMs as a table, or as the JSON that the service answers."""
    if output != "table":
        write_model(answer, output, "intervals", by_alias=True)
        return
    columns = ("from (UTC)", "VMs", "expected", "covered", "probability", "mean + model + forecast")
    rows = []
    for one in answer.intervals:
        parts = f"{one.vms_for_mean} + {one.vms_for_model} + {one.vms_for_forecast}"
        numbers = (
            write_number(one.expected_rate),
            write_number(one.covered_rate, down=True),
            f"{write_number(100.0 * one.probability, digits=4, down=True)}%",
        )
        bought = () if one.mix is None else (list_sizes(one.mix.vms), write_number(one.mix.hourly_price))
        rows.append([f"{one.begins:%Y-%m-%d %H:%M}", str(one.vms), *numbers, parts, *bought])
    sized = any(one.mix is not None for one in answer.intervals)
    print_table([*columns, *(("to buy", "price /h") if sized else ())], rows)
    print_lines([answer.verdict, *describe_promise(answer)])
    print_lines(f"note: {said.detail}" for said in answer.diagnostics)


def describe_promise(answer: VmForecastAnswer) -> list[str]:
    """Says how the recorded steps kept the target, and at which price; what keeps the schedule from serving more."""
    said = [] if answer.kept_so_far is None else _describe_kept(answer)
    if answer.price is not None:
        price, cap = write_number(answer.price), write_number(answer.price_cap)
        said.append(f"A missed step counts as much as {price} VMs for a step; the most allowed is {cap}.")
        if answer.kept_so_far is None:
            said.append(
                "Without a record of the VMs that ran, the target chose the VMs above, and not this price."
            )
    if answer.binding is not None:
        said.append(f"What keeps the schedule from serving more: {REASONS[answer.binding]}.")
    return said


def _describe_kept(answer: VmForecastAnswer) -> list[str]:
    kept, least, most = (
        f"{write_number(100.0 * (share or 0.0), digits=4)}%"
        for share in (answer.kept_so_far, answer.least_kept, answer.most_kept)
    )
    said = [f"Kept so far: {kept} ({least} to {most} by chance), {write_debt(answer.debt_steps or 0.0)}."]
    if not answer.judgeable:
        said.append("The record is too short: chance decides whether it keeps the target.")
    return said
