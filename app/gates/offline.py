"""Gets a verdict for the command line: from the files alone, or from a running service."""

import json
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

from pydantic import ValidationError

from app.gates.schemas import GateAnswer, GateRequest
from app.gates.service import judge_described
from app.terminal.files import read_body, read_document
from app.terminal.refusals import Refused, compute_answer

TIMEOUT_SECONDS = 120


def judge_files(topology: Path, load: Path, terms: dict[str, Any]) -> GateAnswer:
    """No server, no database: the same checks and answers."""
    body = read_body(GateRequest, {"topology": topology, "load": load, **terms})
    return compute_answer(lambda: judge_described(body))


def ask_about_files(
    url: str, api_key: str | None, topology: Path, load: Path, terms: dict[str, Any]
) -> GateAnswer:
    """What the service at `url` says of the files."""
    body = {"topology": read_document(topology), "load": read_document(load), **terms}
    return _post(url, "/v1/gate", api_key, body)


def ask_about_stored(url: str, api_key: str | None, name: str, terms: dict[str, Any]) -> GateAnswer:
    """What the service at `url` says of a topology that it has."""
    return _post(url, f"/v1/topologies/{quote(name, safe='')}/gate", api_key, terms)


def _post(url: str, path: str, api_key: str | None, body: dict[str, Any]) -> GateAnswer:
    if urlsplit(url).scheme not in {"http", "https"}:
        raise Refused(f"{url} is no address of a service: it begins with http:// or https://")
    headers = {"Content-Type": "application/json"}
    if api_key:
        headers["Authorization"] = f"Bearer {api_key}"
    request = Request(url.rstrip("/") + path, json.dumps(body).encode(), headers)  # noqa: S310 -- checked above
    try:
        with urlopen(request, timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310 -- checked above
            return GateAnswer.model_validate_json(answer.read())
    except HTTPError as error:
        raise Refused(_read_problem(error)) from error
    except (URLError, TimeoutError, OSError) as error:
        raise Refused(f"{url} does not answer: {getattr(error, 'reason', error)}") from error
    except (ValidationError, ValueError) as error:
        raise Refused(f"{url} answers, but not as Headgate does: {error}") from error


def _read_problem(error: HTTPError) -> str:
    """The problem's own words, or what else the server had to say."""
    said = error.read().decode(errors="replace")
    try:
        problem = json.loads(said)
        lines = [f"{problem['type']}: {problem['detail']}"]
        if problem["type"] == "stale-snapshots":
            lines.append("--max-age SECONDS judges by older ones, too")
        lines += [f"{one['pointer']}: {one['detail']}" for one in problem.get("errors", [])[1:]]
    except (ValueError, KeyError, TypeError):
        return f"{error.url} answered {error.code}: {said[:500]}"
    return "\n".join(lines)
