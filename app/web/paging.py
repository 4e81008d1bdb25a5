"""Pages of lists: the parameters `limit` and `cursor` (an opaque text), and `next`, the path of the following page."""

import base64
import binascii
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, TypeVar
from urllib.parse import quote, urlencode
from uuid import UUID

from fastapi import Depends, Query, Request
from pydantic import BaseModel
from sqlalchemy import ColumnElement, Result, ScalarResult, Select, tuple_
from sqlalchemy.orm import InstrumentedAttribute
from sqlalchemy.sql.elements import KeyedColumnElement

from app.settings import Settings
from app.web.problems.errors import InvalidRequest

Column = InstrumentedAttribute[Any] | KeyedColumnElement[Any]
Run = Callable[..., Result[Any] | ScalarResult[Any]]
Answer = TypeVar("Answer", bound=BaseModel)


def ask_from(description: str) -> Any:
    """The query parameter `from`: the beginning of a range of time, which is part of it."""
    return Query(alias="from", description=description)


def ask_to(description: str) -> Any:
    """The query parameter `to`: the end of a range of time, which is not part of it."""
    return Query(alias="to", description=description)


def lie_between(
    column: InstrumentedAttribute[datetime], since: datetime | None, until: datetime | None
) -> list[ColumnElement[bool]]:
    """SQL conditions for times in [since, until); None: without that end."""
    bounds = [] if since is None else [column >= since]
    return bounds if until is None else [*bounds, column < until]


class Page:
    """The page of a list that a request asks for; made by `read_page`."""

    def __init__(self, request: Request, limit: int, cursor: str | None) -> None:
        self.limit = limit
        self._after = _decode(cursor)
        self._request = request

    def answer(
        self, kind: type[Answer], run: Run, query: Select[Any], *key: Column, newest_first: bool = False
    ) -> Answer:
        """The page's rows as an answer with `items` and `next`; the items are read from the rows' attributes."""
        rows, following = self.read_rows(run, query, *key, newest_first=newest_first)
        return kind.model_validate({"items": rows, "next": following})

    def read_rows(
        self, run: Run, query: Select[Any], *key: Column, newest_first: bool = False
    ) -> tuple[Sequence[Any], str | None]:
        """The page's rows in the order of the key columns, and the address of the next page (None on the last).

        `run` is `session.execute`, or `session.scalars` for a query of one entity.
        """
        order = [column.desc() for column in key] if newest_first else key
        query = query.where(*self._find_bounds(key, newest_first=newest_first)).order_by(*order)
        rows = run(query.limit(self.limit + 1)).all()
        if len(rows) <= self.limit:
            return rows, None
        rows = rows[: self.limit]
        return rows, self._write_next([getattr(rows[-1], column.key) for column in key])

    def _find_bounds(self, key: Sequence[Column], *, newest_first: bool) -> list[ColumnElement[bool]]:
        """SQL conditions for the rows that follow the previous page; an empty list for the first page.

        A row comparison alone is correct, but Postgres chooses the partitions to read by a bound on the first column.
        """
        if self._after is None:
            return []
        last = _read_key(self._after, key)
        if newest_first:
            return [key[0] <= last[0], tuple_(*key) < tuple_(*last)]
        return [key[0] >= last[0], tuple_(*key) > tuple_(*last)]

    def _write_next(self, key: Sequence[object]) -> str:
        """The address of the next page: the path and parameters of this request, with the cursor of the next page."""
        asked = dict(self._request.query_params) | {"cursor": _encode(key), "limit": str(self.limit)}
        return f"{quote(self._request.scope['path'])}?{urlencode(asked)}"


def read_page(
    request: Request,
    limit: Annotated[
        int | None,
        Query(
            ge=1, le=10**9, description="Items of a page; a number above HEADGATE_MAX_PAGE_SIZE is refused."
        ),
    ] = None,
    cursor: Annotated[
        str | None, Query(max_length=2000, description="The `cursor` in `next` of the previous page.")
    ] = None,
) -> Page:
    """The page that a request asks for; refuses a `limit` above the maximum in the settings."""
    settings: Settings = request.app.state.settings
    most = settings.max_page_size
    if limit is not None and limit > most:
        raise InvalidRequest(
            (("?limit", f"A page has at most {most} items: ask for fewer, and follow `next`."),)
        )
    return Page(request, limit or min(settings.default_page_size, most), cursor)


PageDep = Annotated[Page, Depends(read_page)]


def _encode(key: Sequence[object]) -> str:
    texts = [value.isoformat() if isinstance(value, datetime) else str(value) for value in key]
    return base64.urlsafe_b64encode("\x1f".join(texts).encode()).decode().rstrip("=")


def _decode(cursor: str | None) -> list[str] | None:
    if cursor is None:
        return None
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        key = base64.b64decode(padded, altchars=b"-_", validate=True).decode().split("\x1f")
    except (binascii.Error, UnicodeError) as error:
        raise _bad_cursor() from error
    if "\x00" in "".join(key):
        raise _bad_cursor()
    return key


def _read_key(texts: Sequence[str], key: Sequence[Column]) -> list[Any]:
    try:
        return [READERS[column.type.python_type](text) for text, column in zip(texts, key, strict=True)]
    except ValueError as error:
        raise _bad_cursor() from error


def _read_time(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(f"{text} has no time zone")
    return at


def _read_whole(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 18:
        raise ValueError(f"{text} is not a number of at most 18 digits")
    return int(text)


def _read_number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not finite")
    return number


READERS: Mapping[type, Callable[[str], Any]] = {
    datetime: _read_time,
    UUID: UUID,
    int: _read_whole,
    float: _read_number,
    str: str,
}


def _bad_cursor() -> InvalidRequest:
    return InvalidRequest(
        (
            (
                "?cursor",
                "This cursor is not from a `next` of this list: leave it out to get the first page.",
            ),
        )
    )
