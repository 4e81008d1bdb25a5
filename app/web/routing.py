"""The rules that all routes share: keys, strict JSON, known parameters, declarations, settings, header Location.

The body must be UTF-8, and no name may occur twice in an object; FastAPI's parser is less strict.
"""

import json
import re
from collections.abc import Callable, Coroutine, Sequence
from typing import Annotated, Any

from fastapi import Depends, Request, Response, params
from fastapi.dependencies.utils import get_flat_params
from fastapi.routing import APIRoute
from pydantic_core import from_json

from app.settings import Settings
from app.web.callers.security import find_caller, may_store
from app.web.fields import write_address
from app.web.negotiation import document_pictures, tag_answer
from app.web.overload.admission import admitting
from app.web.problems.documented_problems import document_problems
from app.web.problems.errors import InvalidRequest, UnsupportedEncoding, UnsupportedMediaType
from app.web.repeats import keeping_answer, note_repeat
from planner.errors import suggest_name

MOST_SHOWN = 100
"""Characters of an unknown parameter's name."""


class StrictJsonRequest(Request):
    """A request whose `json()` reads strictly and raises errors that say what to change."""

    async def json(self) -> Any:
        return read_json(await self.body())


class StrictJsonRoute(APIRoute):
    """A route that refuses unknown parameters, reads its body strictly, and waits for a compute slot if it needs one.

    Answers to GET have an ETag. A POST that stores takes an Idempotency-Key.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **given: Any) -> None:
        permissions = given.get("dependencies") or []
        if "POST" in (given.get("methods") or ()) and any(one.dependency is may_store for one in permissions):
            given["dependencies"] = [*permissions, Depends(note_repeat)]
        super().__init__(path, endpoint, **given)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = admitting(self.endpoint, keeping_answer(super().get_route_handler()))
        known = list_parameters(self)

        async def handle_strictly(request: Request) -> Response:
            strict = StrictJsonRequest(request.scope, request.receive)
            if self.dependencies:
                await find_caller(strict)  # a caller without a key gets only 401, before the body is read
            refuse_unknown_parameters(strict, known)
            refuse_other_types(strict)
            return tag_answer(strict, await handle(strict))

        return handle_strictly


def list_parameters(route: APIRoute) -> list[str]:
    """The names of the query parameters that a route and its dependencies take."""
    found = get_flat_params(route.dependant)
    return sorted(field.alias for field in found if isinstance(field.field_info, params.Query))


def refuse_unknown_parameters(request: Request, known: Sequence[str]) -> None:
    """Refuses a query parameter that the call does not take, as an unknown field of a body is refused."""
    unknown = [name for name in request.query_params if name not in known]
    if not unknown:
        return
    listed = f"Known here: {', '.join(known)}." if known else "This call takes none."
    details = {
        f"?{name[:MOST_SHOWN]}": f"The parameter {name[:MOST_SHOWN]!r} is not known here: remove it, or correct its "
        f"spelling.{suggest_name(name[:MOST_SHOWN], known)} {listed}"
        for name in unknown
    }
    raise InvalidRequest(tuple(details.items()))


def refuse_other_types(request: Request) -> None:
    """Refuses a body that is compressed or not declared as JSON.

    Pages of other sites can send forms and text, but not JSON.
    """
    if request.headers.get("content-length", "0") == "0" and "transfer-encoding" not in request.headers:
        return
    encoding = request.headers.get("content-encoding", "identity")
    if encoding.strip().lower() != "identity":
        raise UnsupportedEncoding(encoding)
    sent = request.headers.get("content-type", "")
    kind = sent.partition(";")[0].strip().lower()
    if kind != "application/json" and not re.fullmatch(r"application/\S+\+json", kind):
        raise UnsupportedMediaType(sent)


def read_json(body: bytes) -> Any:
    """The value of a JSON body; malformed JSON raises `JSONDecodeError`, which has the position in the text."""
    try:
        document = from_json(body)
        # Every name has a colon: if the body has as many colons as the result has names, no name occurred twice.
        if body.count(b":") == count_names(document):
            return document
    except ValueError:
        pass  # the slower parser explains the error
    return read_json_slowly(body)


def count_names(value: Any) -> int:
    """The number of names in all objects of a JSON value, those of inner objects too."""
    count = 0
    if type(value) is dict:
        count, value = len(value), value.values()
    elif type(value) is not list:
        return 0
    for part in value:
        if type(part) is dict or type(part) is list:
            count += count_names(part)
    return count


def read_json_slowly(body: bytes) -> Any:
    """The value of a JSON body that may be malformed or contain a name twice; slower than `read_json`."""
    try:
        return json.loads(body.decode(), object_pairs_hook=_without_doubles)
    except UnicodeDecodeError as error:
        raise _invalid(f"The body is not UTF-8 (at byte {error.start}): encode it as UTF-8.") from error
    except RecursionError as error:
        raise _invalid("The body is nested too deeply: no call needs more than a few levels.") from error
    except json.JSONDecodeError:
        raise
    except ValueError as error:  # an integer with thousands of digits
        raise _invalid("The body has a number with too many digits: shorten it.") from error


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object made of names and values; refuses a name that occurs twice, since RFC 8259 §4 does not say
    which counts.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in found if names.count(name) > 1)
        raise _invalid(f"The name {twice!r} occurs twice in one object: keep one of them.")
    return found


def _invalid(detail: str) -> InvalidRequest:
    return InvalidRequest((("#", detail),))


def declare(
    permission: Callable[..., Any],
    summary: str,
    *problems: str,
    pictures: bool = False,
    also: dict[int | str, Any] | None = None,
) -> dict[str, Any]:
    """Arguments of a route: `permission` is `may_read` or `may_store`; `also` are further answers that are no problems.

    With `pictures` the answer can be asked for as PNG or SVG.
    """
    drawn, refused = (document_pictures(), ["not-acceptable"]) if pictures else ({}, [])
    return {
        "dependencies": [Depends(permission)],
        "summary": summary,
        "responses": drawn | (also or {}) | document_problems(*problems, *refused),
    }


def find_settings(request: Request) -> Settings:
    """The settings of the service, read from the app: a FastAPI dependency would take a third of the time of a
    body's check.
    """
    settings: Settings = request.app.state.settings
    return settings


async def read_settings(request: Request) -> Settings:
    """The service's settings as a dependency; `async`, because FastAPI would start a thread for a plain function."""
    return find_settings(request)


SettingsDep = Annotated[Settings, Depends(read_settings)]


NOT_STORED: dict[int | str, Any] = {200: {"description": "The same with `store: false`: nothing is stored."}}
"""The further answer of a route that stores only what is no trial."""


def tell_created(response: Response, *parts: object, is_answered: bool = False) -> None:
    """Sets the header Location to the address of a new resource; `is_answered`: GET at this address has the same
    answer.

    If the id among the parts is None, nothing was stored: the status is 200, without Location.
    """
    if None in parts:
        response.status_code = 200
        return
    response.headers["Location"] = write_address(*parts)
    if is_answered:
        response.headers["Content-Location"] = response.headers["Location"]
