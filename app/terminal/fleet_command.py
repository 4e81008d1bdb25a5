"""`headgate fleet` and `headgate gate --fleet`: who shares one budget, and is there room for a new job?"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

import typer
from rich.text import Text

from app.terminal.commands import Output, Refused, run_or_fail
from app.terminal.files import read_document
from app.terminal.options import LabelOption
from app.terminal.outputs import write_document
from app.terminal.service_calls import ServiceAddress, find_path, read_answer
from app.terminal.service_commands import LOCAL, KeyOption, UrlOption
from app.terminal.tables import Column, Columns, open_console, print_table
from planner.wording import write_change, write_count, write_seconds, write_signed_seconds

FLEET: Columns = ["topology", "processors", "needs", "E[T]", "target", "one more"]
COSTS: Columns = ["waits longer", "processors", "E[T] before", "after", "target"]
TURNS: Columns = ["topology", "turn", "processors", "E[T]", "target", Column("after", wraps=True)]
VMS = [Column("VM"), Column("free slots"), Column("threads", is_text=True, wraps=True)]
WIDTH = 80
"""Sentences are no wider than the tables above them."""
PASSED, SHORT = 0, 1
BUDGET = "budget-too-small"

BudgetOption = Annotated[int, typer.Option("--k-max", min=1, help="The processors that all share.")]


class JobSource(Protocol):
    """The files of a job that does not run yet, and the service that is asked; planning.gates has the class."""

    @property
    def files(self) -> Sequence[Path | None]:
        """The topology's file: one of them is given."""

    @property
    def load(self) -> Path | None:
        """The load's file."""

    @property
    def url(self) -> str | None:
        """The address of the service."""

    @property
    def api_key(self) -> str | None:
        """The key for the service."""


def fleet(
    what: Annotated[
        Literal["plan", "decide"],
        typer.Argument(help="plan: what would each get? decide: by the fleet's policy, stored."),
    ] = "plan",
    *,
    k_max: BudgetOption | None = None,
    slots: Annotated[int | None, typer.Option("--slots", min=1, help="The budget in slots instead.")] = None,
    vms: Annotated[
        Path | None, typer.Option("--vms", help="A file with VMs as the budget: names and slots.")
    ] = None,
    lost_vm: Annotated[list[str] | None, typer.Option("--lost-vm", help="What if this VM were lost?")] = None,
    label: LabelOption = None,
    load_factor: Annotated[
        float, typer.Option("--load-factor", min=0, help="What if all rates were so many times as high?")
    ] = 1.0,
    lost: Annotated[
        int, typer.Option("--lost", min=0, help="What if so many processors were lost, as with a node?")
    ] = 0,
    price: Annotated[
        float, typer.Option("--price", min=0, help="Weighted seconds that a spare processor must save.")
    ] = 0.0,
    url: UrlOption = LOCAL,
    api_key: KeyOption = None,
    output: Output = "table",
) -> None:
    """Print what each topology gets of one budget of processors, those that miss their target first."""
    service = ServiceAddress(url, api_key)
    if what == "decide":
        found = run_or_fail(decide_at, service, k_max, label)
    else:
        terms = {"load_factor": load_factor, "lost_processors": lost, "price": price}
        budget = {"k_max": k_max, "slots": slots, "vms": vms and read_document(vms), "lost_vms": lost_vm}
        found = run_or_fail(plan_at, service, label, **{k: v for k, v in budget.items() if v}, **terms)
    if output != "table":
        write_document(found, output, "topologies")
    else:
        print_fleet(found, has_turns=what == "decide")


def print_fleet(found: dict[str, Any], *, has_turns: bool) -> None:
    """Prints the topologies of a plan or of a decision as a table, with the sentences on those that lost something."""
    say(found["detail"])
    rows = sorted(found["topologies"], key=find_urgency)
    if rows and has_turns:
        print_table(TURNS, [write_turn(row) for row in sorted(rows, key=lambda row: row["turn"] or 3)])
    elif rows:
        print_table(FLEET, [write_row(row) for row in rows])
    for row in rows:
        for said in (row["lost"], row["detail"] if row["state"] == "held" else None):
            if said:
                say(f"{row['name']}: {said}")
    if placement := found.get("placement"):
        print_table(VMS, [write_vm(vm) for vm in placement["vms"]])
        say(placement["detail"])
    if not found["optimal"]:
        say("note: a better share may exist; its search was cut short.")


def say(sentence: str) -> None:
    """Prints a sentence in lines that are no wider than a table."""
    console = open_console()
    console.print(Text(sentence), width=min(console.width, WIDTH))


def decide_at(service: ServiceAddress, k_max: int | None, label: str | None) -> Any:
    """The decision of the fleet of a service, which is stored."""
    if k_max is not None or label is not None:
        raise Refused("decide takes budget and label from the fleet's policy: PUT them to /v1/fleet/policy")
    return read_answer(service, find_path("fleet", "decisions"), {})


def plan_at(service: ServiceAddress, label: str | None, **terms: Any) -> Any:
    """The plan of the fleet of a service."""
    if not terms.keys() & {"k_max", "slots", "vms"}:
        raise Refused("a plan needs --k-max, the processors that all share, --slots or --vms")
    chosen = {} if label is None else {"topologies": {"label": label}}
    return read_answer(service, find_path("plans", "fleet"), {**chosen, **terms})


def find_urgency(row: dict[str, Any]) -> tuple[Any, ...]:
    """The order of rows: missed targets, then what one processor more would bring, then what is not planned."""
    return row["meets"] is not False, row["state"] == "held", row["one_more_seconds"] or 0.0, row["name"]


def write_row(row: dict[str, Any]) -> list[str]:
    """A topology as texts."""
    more = row["one_more_seconds"]
    return [
        row["name"],
        write_change(row["running"], row["processors_total"]),
        write_count(row["needed"]),
        write_seconds(row["expected_sojourn_seconds"]),
        write_seconds(row["target_seconds"]),
        "" if more is None else write_signed_seconds(more),
    ]


def write_vm(vm: dict[str, Any]) -> list[str]:
    """A VM with its threads, as texts."""
    threads = [
        f"{topology} {operator} {write_count(count)}"
        for topology, operators in vm["threads"].items()
        for operator, count in operators.items()
    ]
    return [vm["name"], f"{vm['free_slots']} of {vm['slots']}", ", ".join(threads)]


def write_turn(row: dict[str, Any]) -> list[str]:
    """The change of a topology as texts."""
    return [
        row["name"],
        write_count(row["turn"]),
        write_change(row["running"], row["processors_total"]),
        write_seconds(row["expected_sojourn_seconds"]),
        write_seconds(row["target_seconds"]),
        ", ".join(row["after"]),
    ]


def judge_new_job(source: JobSource, terms: Mapping[str, Any], label: str | None) -> Any:
    """The plan of a service's fleet with the job in the files."""
    given = [path for path in source.files if path is not None]
    if source.url is None or len(given) != 1 or source.load is None or "k_max" not in terms:
        raise Refused("--fleet needs --url, --k-max, one topology file and --load FILE")
    topology, load = read_document(given[0]), read_document(source.load)
    if not isinstance(topology, dict) or not isinstance(load, dict):
        raise Refused(f"{given[0]} and {source.load} must each be an object with fields")
    rate = terms.get("external_rate", terms.get("rate_factor", 1.0) * (load.get("external_rate") or 0.0))
    new = {
        "name": topology.get("name") or given[0].stem,
        "topology": topology,
        "load": {**load, "external_rate": rate},
        "t_max_seconds": terms.get("t_max_seconds"),
    }
    return plan_at(ServiceAddress(source.url, source.api_key), label, k_max=terms["k_max"], new=[new])


def gate_new_job(source: JobSource, terms: Mapping[str, Any], label: str | None, output: str) -> int:
    """Prints whether there is room for a new job and at whose cost; returns the exit code of a gate.

    A budget below what the topologies that run must have is no room.
    """
    try:
        found = judge_new_job(source, terms, label)
    except Refused as refused:
        if not str(refused).startswith(BUDGET):
            raise
        typer.echo(f"headgate: {refused}", err=True)
        return SHORT
    admission = found["admission"]
    if output == "json":
        sys.stdout.write(json.dumps(found, indent=2) + "\n")
    elif output == "github":
        sys.stdout.write(f"::{'notice' if admission['admitted'] else 'error'}::{admission['detail']}\n")
    else:
        open_console().print(Text(f"{'pass' if admission['admitted'] else 'FAIL'}: {admission['detail']}"))
        if admission["costs"]:
            print_table(COSTS, [write_cost(cost) for cost in admission["costs"]])
    return PASSED if admission["admitted"] else SHORT


def write_cost(cost: dict[str, Any]) -> list[str]:
    """A topology that waits longer, as texts."""
    met = {True: "met", False: "missed", None: "none"}[cost["meets"]]
    times = write_seconds(cost["before_seconds"]), write_seconds(cost["after_seconds"])
    return [cost["name"], f"{cost['processors']:+d}" if cost["processors"] else "0", *times, met]
