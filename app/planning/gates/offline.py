"""Verdicts for the command line: on files, computed here or by a running service, or on a stored topology."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

from pydantic import ValidationError
from rich.text import Text

from app.load.bodies.topology import Graph
from app.planning.gate_reports import list_findings, say_verdict, summarise, write_values
from app.planning.gates.answers import judge_described
from app.planning.gates.schemas import GateAnswer, GateRequest
from app.terminal.commands import Refused, compute_answer
from app.terminal.files import check_body, locate, open_documents, write_body
from app.terminal.tables import Column, open_console, print_table
from planner.values import Topology

TIMEOUT_SECONDS = 120
GRAPH = ("queueing", "operators", "edges", "entries")
"""The fields of a stored topology that describe it."""


class JudgedGate(NamedTuple):
    """A verdict, with a function that finds its topology, or None if the service does not give it."""

    answer: GateAnswer
    find_topology: Callable[[], Topology | None]


def judge_files(topology: Path, load: Path, terms: dict[str, Any]) -> JudgedGate:
    """The verdict on the files, computed here without server or database."""
    documents = open_documents({"topology": topology, "load": load, **terms})
    body = check_body(GateRequest, documents)
    return JudgedGate(compute_answer(lambda: judge_described(body), documents), body.topology.to_values)


def judge_files_at(
    url: str, api_key: str | None, topology: Path, load: Path, terms: dict[str, Any]
) -> JudgedGate:
    """The verdict on the files, computed by the service at `url`."""
    documents = open_documents({"topology": topology, "load": load, **terms})
    answer = _post(url, "/v1/gate", api_key, documents)
    return JudgedGate(answer, lambda: Graph.model_validate(documents["topology"].value).to_values())


def judge_stored_at(url: str, api_key: str | None, name: str, terms: dict[str, Any]) -> JudgedGate:
    """The verdict on a topology stored in the service at `url`."""
    place = f"/v1/topologies/{quote(name, safe='')}"
    answer = _post(url, f"{place}/gate", api_key, terms)
    revision = "" if answer.basis is None else f"?revision={answer.basis.revision}"
    return JudgedGate(answer, lambda: _fetch_topology(url, place + revision, api_key))


def _fetch_topology(url: str, path: str, api_key: str | None) -> Topology | None:
    """The judged topology, None if it cannot be read: a report is written without it."""
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    try:
        with urlopen(Request(url.rstrip("/") + path, headers=headers), timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310 -- as in _post
            found = json.loads(answer.read())
        return Graph.model_validate({name: found[name] for name in GRAPH if name in found}).to_values()
    except (OSError, ValueError, KeyError):
        return None


def _post(url: str, path: str, api_key: str | None, inputs: dict[str, Any]) -> GateAnswer:
    """The service's answer to these documents and options."""
    if urlsplit(url).scheme not in {"http", "https"}:
        raise Refused(
            f"{url} is not the address of a service: write one that begins with http:// or https://"
        )
    headers = {"Content-Type": "application/json"}
    if api_key:
        headers["Authorization"] = f"Bearer {api_key}"
    request = Request(url.rstrip("/") + path, json.dumps(write_body(inputs)).encode(), headers)  # noqa: S310 -- checked above
    try:
        with urlopen(request, timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310 -- checked above
            return GateAnswer.model_validate_json(answer.read())
    except HTTPError as error:
        raise Refused(_read_problem(error, inputs)) from error
    except (URLError, TimeoutError, OSError) as error:
        raise Refused(f"{url} does not answer: {getattr(error, 'reason', error)}") from error
    except (ValidationError, ValueError) as error:
        raise Refused(
            f"{url} is not a Headgate service, because its answer cannot be read: {error}"
        ) from error


def _read_problem(error: HTTPError, inputs: dict[str, Any]) -> str:
    """The text of the problem with the places of its errors, or else the beginning of the server's answer."""
    said = error.read().decode(errors="replace")
    try:
        problem = json.loads(said)
        wrong = [locate(inputs, one["pointer"], one["detail"]) for one in problem.get("errors", [])]
        lines = [f"{problem['type']}: {one}" for one in wrong or [problem["detail"]]]
        if problem["type"] == "stale-snapshots":
            lines.append("older measurements are accepted with --max-age, such as --max-age 1d")
    except (ValueError, KeyError, TypeError):
        return f"{error.url} answered {error.code}: {said[:500]}"
    return "\n".join(lines)


CHECKS = [
    Column("check"),
    Column("verdict", is_text=True),
    Column("value"),
    Column("limit"),
    Column("detail", wraps=True),
]


def print_verdict(answer: GateAnswer) -> None:
    """The checks as a table; under it the headroom, the binding operator, the suggestion and the notes."""
    console = open_console()
    console.print(Text(summarise(answer)))
    print_table(
        CHECKS, [[one.name, say_verdict(one), *write_values(one), one.detail] for one in answer.checks]
    )
    for line in list_findings(answer):
        console.print(Text(line))
    for said in answer.diagnostics:
        console.print(Text(f"note: {said.detail}"))
