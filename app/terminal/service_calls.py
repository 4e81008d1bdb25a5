"""Calls a running service: documents and options become bodies, and problems become refusals."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

from app.terminal.commands import Refused
from app.terminal.files import Inputs, locate, write_body

TIMEOUT_SECONDS = 120
NO_HINTS: Mapping[str, str] = {}


class ServiceAddress(NamedTuple):
    """The address of a service, and the API key for its calls."""

    url: str
    api_key: str | None = None


def find_path(*names: str) -> str:
    """Joins names into a path of the service, such as `/v1/topologies/clicks/decisions`."""
    return "/v1/" + "/".join(quote(name, safe="") for name in names)


def ask(
    service: ServiceAddress, path: str, inputs: Inputs | None = None, hints: Mapping[str, str] = NO_HINTS
) -> bytes:
    """Returns the bytes that the service answers: to POST if there are inputs, else to GET.

    `hints` says for types of problems what an option of the command can do about them.
    """
    url = service.url
    if urlsplit(url).scheme not in {"http", "https"}:
        raise Refused(
            f"{url} is not the address of a service: write one that begins with http:// or https://"
        )
    headers = {"Content-Type": "application/json"}
    if service.api_key:
        headers["Authorization"] = f"Bearer {service.api_key}"
    data = None if inputs is None else json.dumps(write_body(inputs)).encode()
    try:
        with urlopen(Request(url.rstrip("/") + path, data, headers), timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310 -- checked above
            found: bytes = answer.read()
            return found
    except HTTPError as error:
        raise Refused(_read_problem(error, inputs or {}, hints)) from error
    except (URLError, TimeoutError, OSError) as error:
        raise Refused(
            f"{url} does not answer: {getattr(error, 'reason', error)}. HEADGATE_URL or an option names the service."
        ) from error


def read_answer(service: ServiceAddress, path: str, inputs: Inputs | None = None) -> Any:
    """Returns the JSON that the service answers: to POST if there are inputs, else to GET."""
    try:
        return json.loads(ask(service, path, inputs))
    except ValueError as error:
        raise Refused(
            f"{service.url} is not a Headgate service, because its answer cannot be read: {error}"
        ) from error


def list_items(service: ServiceAddress, path: str) -> Iterator[dict[str, Any]]:
    """Yields the items of a list of the service, from all its pages."""
    following: str | None = path
    while following:
        page = read_answer(service, following)
        yield from page["items"]
        following = page["next"]


def _read_problem(error: HTTPError, inputs: Inputs, hints: Mapping[str, str]) -> str:
    """Returns the text of a problem with the places of its errors, or else the beginning of the server's answer."""
    said = error.read().decode(errors="replace")
    try:
        problem = json.loads(said)
        wrong = [locate(inputs, one["pointer"], one["detail"]) for one in problem.get("errors", [])]
        lines = [f"{problem['type']}: {one}" for one in wrong or [problem["detail"]]]
        lines += [hints[problem["type"]]] if problem["type"] in hints else []
    except (ValueError, KeyError, TypeError):
        return f"{error.url} answered {error.code}: {said[:500]}"
    return "\n".join(lines)
