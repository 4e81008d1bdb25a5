"""HTTP to an engine and to the service: credentials, TLS, timeouts, and failures as one sentence."""

import json
import re
import ssl
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import httpx
from pydantic import JsonValue

from app.engines.answers import find_error
from app.terminal.commands import Refused

Who = Literal["engine", "service"]
TIMEOUT = httpx.Timeout(10.0, connect=5.0)
MOST_SHOWN = 300
TRY_AGAIN = {408, 429, 502, 504}


class Unanswered(Exception):
    """The error that the engine or the service gave no answer, or refused; the same request may succeed later."""

    def __init__(self, who: Who, why: str) -> None:
        super().__init__(f"the {who} {why}")
        self.who: Who = who


class BearerToken(httpx.Auth):
    """Authorises requests by a token; a token in a file is read for each request, because mounted secrets may
    be replaced.
    """

    def __init__(self, token: str | Path) -> None:
        self.token = token

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Adds the token to a request as the header Authorization."""
        try:
            token = self.token if isinstance(self.token, str) else read_secret(self.token)
        except Refused as refused:  # a file that is being renewed: as if nobody answered, and tried again
            raise httpx.LocalProtocolError(str(refused)) from refused
        request.headers["Authorization"] = f"Bearer {token}"
        yield request


def read_secret(path: Path) -> str:
    """The secret in a file, without the end of the line."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeError) as error:
        raise Refused(f"{path}: cannot be read: {error}") from error


def open_client(url: str, auth: httpx.Auth | None, ca_file: Path | None) -> httpx.Client:
    """A client for one address, which always checks certificates and follows no redirects."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise Refused(f"{hide_password(url)} is not an address: write it as http://host:port or https://host")
    try:
        context = ssl.create_default_context(cafile=str(ca_file) if ca_file else None)
    except (OSError, ssl.SSLError) as error:
        raise Refused(f"--ca-file {ca_file}: the file holds no readable certificates: {error}") from error
    return httpx.Client(base_url=url, auth=auth, verify=context, timeout=TIMEOUT)


def hide_password(url: str) -> str:
    """The address without a user's name and password."""
    scheme, mark, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}"


def ask(who: Who, send: Callable[[], httpx.Response]) -> httpx.Response:
    """The answer to the request that `send` sends; raises Unanswered if none comes, or if its status asks to
    try again later.
    """
    try:
        answer = send()
    except (httpx.TransportError, httpx.DecodingError, httpx.TooManyRedirects) as error:
        raise Unanswered(who, f"does not answer: {describe(error)}") from error
    if answer.status_code in {401, 403} | TRY_AGAIN:
        raise Unanswered(who, describe_status(answer))
    return answer


def describe_status(answer: httpx.Response) -> str:
    """The end of a sentence about a failed answer: its status and path, what to do, and the error that it holds."""
    status, path = answer.status_code, answer.request.url.path
    if answer.is_redirect:
        target = hide_password(answer.headers.get("Location", "another address"))
        return f"redirects {path} to {target} ({status}): give the address that answers itself"
    if status in {401, 403}:
        what = f"refuses the request ({status} at {path}): check the credentials."
    elif status in TRY_AGAIN:
        what = f"does not answer now ({status} at {path})."
    else:
        what = f"answers {status} at {path}."
    return f"{what} {quote_text(answer)}".strip()


def read_json(who: Who, answer: httpx.Response) -> JsonValue:
    """The JSON of an answer, in which NaN and Infinity are null; Unanswered if the answer is not JSON."""
    try:
        found: JsonValue = json.loads(answer.content, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        address = hide_password(str(answer.url))
        raise Unanswered(who, f"does not answer with JSON at {address}: check the address") from error
    return found


def describe(error: Exception) -> str:
    """The text of an error without the operating system's number; the name of the error's type if it has no text."""
    return re.sub(r"^\[Errno -?\d+\] ", "", str(error)) or type(error).__name__


def quote_text(answer: httpx.Response) -> str:
    """The error in an answer, or the first line of its text."""
    with suppress(ValueError, RecursionError):
        if (error := find_error(answer.json())) is not None:
            return error[:MOST_SHOWN]
    lines = answer.text.strip().splitlines()
    return lines[0][:MOST_SHOWN] if lines else ""
