"""One call of the service as an exchange of requests, answers and waits, which both clients drive in their own way."""

import random
from collections.abc import Generator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Generic, TypeVar
from uuid import uuid4

import httpx

from app.client.problems import NoAnswer, read_problem

Answered = TypeVar("Answered")

TRY_AGAIN = {429, 502, 503, 504}


@dataclass(frozen=True)
class Call(Generic[Answered]):
    """A request of the service. `stores`: it has an Idempotency-Key, by which the service knows its repetition.

    `is_list`: the items of all pages are the answer. `is_text`: the answer is text, not JSON.
    """

    method: str
    path: str
    body: Any = None
    query: Mapping[str, Any] = field(default_factory=dict)
    stores: bool = False
    is_list: bool = False
    is_text: bool = False


@dataclass(frozen=True)
class Patience:
    """How long a call is tried: at most `tries` times, with doubling waits, none beyond `longest_wait_seconds`."""

    tries: int = 4
    first_wait_seconds: float = 0.5
    longest_wait_seconds: float = 60.0


Step = httpx.Request | float
"""A request to send, or the seconds to wait."""


def converse(
    http: httpx.Client | httpx.AsyncClient, call: Call[Answered], patience: Patience
) -> Generator[Step, httpx.Response | None, Answered]:
    """The exchange of a call: it yields requests and waits, takes the answers, and returns what the call answers.

    Every call may be repeated: those that store have a key, and all others change nothing or the same thing again.
    """
    headers = {"Idempotency-Key": str(uuid4())} if call.stores else {}
    query = {name: value for name, value in call.query.items() if value is not None}
    address: str | httpx.URL = call.path
    items: list[Any] = []
    while True:
        request = http.build_request(
            call.method, address, json=call.body, params=query or None, headers=headers
        )
        answer = yield from insist(request, patience)
        if not call.is_list:
            return read_answer(answer, call)
        page: Any = read_answer(answer, call)
        items += page["items"]
        if page["next"] is None:
            return items  # type: ignore[return-value]  # a list is what such a call answers
        address, query = page["next"], {}


def insist(
    request: httpx.Request, patience: Patience
) -> Generator[Step, httpx.Response | None, httpx.Response]:
    """Sends a request until it is answered for good; raises the problem, or NoAnswer."""
    for attempt in range(1, patience.tries + 1):
        wait = random.uniform(0.5, 1.0) * patience.first_wait_seconds * 2.0 ** (attempt - 1)  # noqa: S311  # no secret
        try:
            answer = yield request
        except httpx.TransportError as error:
            if attempt == patience.tries:
                raise NoAnswer(f"{request.url} does not answer: {error}") from error
        else:
            assert answer is not None, "a request is answered by a response"
            if answer.is_success:
                return answer
            asked = read_retry_after(answer)
            if answer.status_code not in TRY_AGAIN or attempt == patience.tries:
                raise read_problem(answer)
            wait = max(wait, asked) if asked else wait
            if wait > patience.longest_wait_seconds:
                raise read_problem(answer)
        yield wait
    raise AssertionError("the last attempt ends above")


def read_retry_after(answer: httpx.Response) -> float:
    """The seconds that an answer asks to wait, in either form of the header; 0 if it asks for none."""
    said = answer.headers.get("Retry-After", "")
    with suppress(ValueError):
        return max(float(said), 0.0)
    with suppress(ValueError):
        return max((parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds(), 0.0)
    return 0.0


def read_answer(answer: httpx.Response, call: Call[Answered]) -> Answered:
    """What a successful answer says."""
    if call.is_text:
        return answer.text  # type: ignore[return-value]  # a text is what such a call answers
    if not answer.content:
        return None  # type: ignore[return-value]  # a call that deletes answers nothing
    try:
        return answer.json()  # type: ignore[no-any-return]
    except ValueError as error:
        raise NoAnswer(f"{answer.url} does not answer with JSON: is it Headgate?") from error
