"""Verdicts of gates for the command line: on files, judged here or by a service, or on a stored topology."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from app.load.bodies.topology import Graph
from app.planning.gate_reports import list_findings, say_verdict, summarise, write_values
from app.planning.gates.answers import judge_described
from app.planning.gates.schemas import GateAnswer, GateRequest
from app.terminal.commands import Refused, compute_answer
from app.terminal.files import check_body, open_documents
from app.terminal.service_calls import ServiceAddress, ask, find_path, read_answer
from app.terminal.tables import Column, Columns, print_lines, print_table
from planner.values import Topology

GRAPH = ("queueing", "operators", "edges", "entries")
"""The fields of a stored topology that describe it."""

HINTS = {"stale-snapshots": "older measurements are accepted with --max-age, such as --max-age 1d"}


class JudgedGate(NamedTuple):
    """A verdict, with a function that returns the judged topology, or None if the service does not give it."""

    answer: GateAnswer
    find_topology: Callable[[], Topology | None]


def judge_files(topology: Path, load: Path, terms: dict[str, Any]) -> JudgedGate:
    """Judges the topology and the load in these files in this process, without a server or a database."""
    documents = open_documents({"topology": topology, "load": load, **terms})
    body = check_body(GateRequest, documents)
    return JudgedGate(compute_answer(lambda: judge_described(body), documents), body.topology.to_values)


def judge_files_at(
    url: str, api_key: str | None, topology: Path, load: Path, terms: dict[str, Any]
) -> JudgedGate:
    """Lets the service at `url` judge the topology and the load in these files."""
    documents = open_documents({"topology": topology, "load": load, **terms})
    answer = _post(ServiceAddress(url, api_key), "/v1/gate", documents)
    return JudgedGate(answer, lambda: Graph.model_validate(documents["topology"].value).to_values())


def judge_stored_at(url: str, api_key: str | None, name: str, terms: dict[str, Any]) -> JudgedGate:
    """Lets the service at `url` judge a topology that it has stored under this name."""
    service, place = ServiceAddress(url, api_key), find_path("topologies", name)
    answer = _post(service, f"{place}/gate", terms)
    revision = "" if answer.basis is None else f"?revision={answer.basis.revision}"
    return JudgedGate(answer, lambda: _fetch_topology(service, place + revision))


def _fetch_topology(service: ServiceAddress, path: str) -> Topology | None:
    """Returns the judged topology from the service; None if it cannot be read, so that the report has no graph."""
    try:
        found = read_answer(service, path)
        return Graph.model_validate({name: found[name] for name in GRAPH if name in found}).to_values()
    except (Refused, ValueError, KeyError):
        return None


def _post(service: ServiceAddress, path: str, inputs: dict[str, Any]) -> GateAnswer:
    """Sends documents and options to the service, and returns its verdict."""
    try:
        return GateAnswer.model_validate_json(ask(service, path, inputs, HINTS))
    except ValidationError as error:
        raise Refused(
            f"{service.url} is not a Headgate service, because its answer cannot be read: {error}"
        ) from error


CHECKS: Columns = ["check", Column("verdict", is_text=True), "value", "limit", Column("detail", wraps=True)]


def print_verdict(answer: GateAnswer) -> None:
    """Prints the checks as a table, then the headroom, the binding operator, the suggestion and the notes."""
    print_lines([summarise(answer)])
    print_table(
        CHECKS, [[one.name, say_verdict(one), *write_values(one), one.detail] for one in answer.checks]
    )
    print_lines([*list_findings(answer), *(f"note: {said.detail}" for said in answer.diagnostics)])
