"""`headgate status`, `topologies`, `decide`, `replay`, `report` and `push` ask a running service from a terminal."""

import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from app.terminal.commands import Output, run_or_fail
from app.terminal.files import open_document, open_documents
from app.terminal.outputs import write_document
from app.terminal.service_calls import ServiceAddress, ask, find_path, list_items, read_answer
from app.terminal.tables import Column, Columns, open_console, print_lines, print_table
from planner.wording import (
    UNKNOWN,
    write_age,
    write_change,
    write_counted,
    write_number,
    write_percent,
    write_seconds,
)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="A topology stored in the service.")]
UrlOption = Annotated[
    str, typer.Option("--url", envvar="HEADGATE_URL", help="The address of `headgate serve`.")
]
KeyOption = Annotated[
    str | None,
    typer.Option("--api-key", envvar="HEADGATE_API_KEY", help="The key that the service asks for."),
]
WATCH_SECONDS = 5.0
LOCAL = "http://127.0.0.1:8000"

STATUS: Columns = [
    "topology",
    Column("status", is_text=True),
    "processors",
    "newest E[T]",
    "target",
    "measured",
]
REPLAYED: Columns = ["replayed", "over the target", "processor-hours", "changes", "minutes"]
TOPOLOGIES: Columns = ["topology", "revision", "operators", Column("source", is_text=True)]


def status(
    *,
    watch: Annotated[bool, typer.Option("--watch", help="Print it again every 5 s, until Ctrl-C.")] = False,
    url: UrlOption = LOCAL,
    api_key: KeyOption = None,
    output: Output = "table",
) -> None:
    """Print every topology in a line, the most urgent first."""
    service = ServiceAddress(url, api_key)
    _print_status(service, output)
    while watch:
        time.sleep(WATCH_SECONDS)
        if output == "table" and sys.stdout.isatty():
            open_console().clear()
        _print_status(service, output)


def _print_status(service: ServiceAddress, output: str) -> None:
    rows = _list_all(service, find_path("overview"))
    if output != "table":
        write_document(rows, output)
    elif rows:
        print_table(STATUS, [_write_status(row) for row in rows])
        print_lines(f"{row['name']}: {row['detail']}" for row in rows)
    else:
        print_lines(["The service has no topologies."])
    sys.stdout.flush()


def _write_status(row: dict[str, Any]) -> list[str]:
    until = row["measured_until"]
    age = None if until is None else (datetime.now(UTC) - datetime.fromisoformat(until)).total_seconds()
    return [
        row["name"],
        row["status"],
        write_change(row["processors_running"], row["processors_recommended"]),
        write_seconds(row["measured_sojourn_seconds"]),
        write_seconds(row["target_seconds"]),
        "never" if age is None else write_age(age),
    ]


def topologies(*, url: UrlOption = LOCAL, api_key: KeyOption = None, output: Output = "table") -> None:
    """List the topologies that the service has, by name."""
    rows = _list_all(ServiceAddress(url, api_key), find_path("topologies"))
    if output != "table":
        write_document(rows, output)
    else:
        listed = [[row["name"], str(row["revision"]), str(row["operators"]), row["source"]] for row in rows]
        print_table(TOPOLOGIES, listed)


def decide(
    name: NameArgument,
    *,
    trial: Annotated[
        bool, typer.Option("--trial", help="Store nothing: the decision begins nothing.")
    ] = False,
    url: UrlOption = LOCAL,
    api_key: KeyOption = None,
    output: Output = "table",
) -> None:
    """Decide what should change in a topology now, and why; the decision is stored unless it is a trial."""
    place = find_path("topologies", name, "decisions")
    found = run_or_fail(read_answer, ServiceAddress(url, api_key), place, {"store": not trial})
    _print_decision(found, output)


def _print_decision(found: dict[str, Any], output: str) -> None:
    counts = found["processors"]
    # What is withheld is no longer recommended: the table has what ran.
    is_old = found.get("withheld") is not None
    wanted = {} if is_old else found.get("wanted") or counts["recommended"]
    if output in {"csv", "markdown"}:
        running = counts["current"].items()
        write_document(
            [{"operator": one, "current": had, "recommended": wanted.get(one)} for one, had in running],
            output,
        )
        return
    if output != "table":
        write_document(found, output)
        return
    print_lines([found["verdict"]])
    if is_old:
        print_lines([f"{found['withheld']['detail']} {found['withheld']['remedy']}"])
    rows = [[one, write_change(before, wanted.get(one))] for one, before in counts["current"].items()]
    print_table(["operator", "processors"], rows)
    print_lines(reason["detail"] for reason in [*found["reasons"], *found["constraints"]])
    print_lines(f"note: {said['detail']}" for said in found["diagnostics"])


def replay(
    name: NameArgument,
    *,
    policy: Annotated[
        Path | None, typer.Option("--policy", help="JSON or YAML; left out: the stored policy.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--from", help="Such as 2026-11-18T00:00:00Z; left out: a day before --to.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--to", help="Left out: the end of the newest snapshot.")
    ] = None,
    url: UrlOption = LOCAL,
    api_key: KeyOption = None,
    output: Output = "table",
) -> None:
    """Print what a policy would have done over stored snapshots, beside what ran; nothing is stored."""
    body = run_or_fail(open_documents, {"policy": policy, "from": since, "to": until})
    place = find_path("topologies", name, "policy", "replay")
    found = run_or_fail(read_answer, ServiceAddress(url, api_key), place, body)
    if output in {"csv", "markdown"}:
        of_policy = {name: value for name, value in found.items() if name in found["ran"]}
        write_document([{"replayed": "policy"} | of_policy, {"replayed": "ran"} | found["ran"]], output)
        return
    if output != "table":
        write_document(found, output)
        return
    print_table(REPLAYED, [_write_course("the policy", found), _write_course("what ran", found["ran"])])
    pause, measured = write_seconds(found["change_pause_seconds"]), found["ran"]["measured_late_share"]
    said = f"By the model, in which a change stops the job for {pause}."
    if measured is not None:
        said += f" What ran was measured above the target {write_percent(measured)} of the time."
    print_lines([said])


def _write_course(title: str, row: dict[str, Any]) -> list[str]:
    late = row["late_share"]
    return [
        title,
        UNKNOWN if late is None else write_percent(late),
        write_number(row["processor_hours"]),
        str(row["changes"]),
        write_number(row["minutes"]),
    ]


def report(
    name: NameArgument,
    *,
    output: Annotated[
        Literal["markdown", "html", "table", "json", "yaml", "csv"],
        typer.Option("--output", help="A whole report, or the newest decision in another form."),
    ] = "markdown",
    url: UrlOption = LOCAL,
    api_key: KeyOption = None,
) -> None:
    """Print the report on the newest decision of a topology: verdict, numbers, operators and evidence."""
    service = ServiceAddress(url, api_key)
    if output in {"markdown", "html"}:
        place = find_path("topologies", name, "report") + f"?format={output}"
        sys.stdout.write(run_or_fail(ask, service, place).decode())
    else:
        newest = find_path("topologies", name, "decisions", "latest")
        _print_decision(run_or_fail(read_answer, service, newest), output)


def push(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="One snapshot or a list of them; - reads standard input."),
    ],
    *,
    topology: Annotated[str, typer.Option("--topology", help="The topology that was measured.")],
    url: UrlOption = LOCAL,
    api_key: KeyOption = None,
    output: Output = "table",
) -> None:
    """Send measured snapshots of a topology to the service."""
    document = run_or_fail(open_document, file)
    place = find_path("topologies", topology, "snapshots")
    found = run_or_fail(read_answer, ServiceAddress(url, api_key), place, document)
    if output != "table":
        write_document(found, output)
    else:
        new, known = (write_counted(found[one], "snapshot") for one in ("stored", "replaced"))
        typer.echo(f"{topology}: stored {new}, replaced {known}")


def _list_all(service: ServiceAddress, path: str) -> list[dict[str, Any]]:
    return run_or_fail(lambda: list(list_items(service, path)))  # type: ignore[no-any-return]
