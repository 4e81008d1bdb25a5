"""Pages of lists: `limit`, an opaque `cursor`, and `next`, the address of the following page."""

import base64
import binascii
from typing import Annotated

from fastapi import Depends, Query, Request

from app.http.errors import InvalidRequest
from app.settings import Settings


class Page:
    """What a list route was asked for; made by `read_page`."""

    def __init__(self, request: Request, limit: int, cursor: str | None) -> None:
        self.limit = limit
        self.after = _decode(cursor)
        self._request = request

    def next_url(self, *key: object) -> str:
        """The address of the page that begins behind the row with this key; other parameters stay."""
        return str(self._request.url.include_query_params(cursor=_encode(*key), limit=self.limit))

    def after_key(self, length: int) -> tuple[str, ...] | None:
        """The key of the last row of the page before; None on the first page."""
        if self.after is not None and len(self.after) != length:
            raise bad_cursor()
        return self.after


def bad_cursor() -> InvalidRequest:
    """A cursor that no answer of ours has given."""
    return InvalidRequest((("?cursor", "This cursor is not from a `next` of this list: begin without one."),))


def read_page(
    request: Request,
    limit: Annotated[int | None, Query(ge=1, description="Most items of a page.")] = None,
    cursor: Annotated[
        str | None, Query(max_length=2000, description="From `next` of the page before.")
    ] = None,
) -> Page:
    """A page of the default size, or of the one asked for up to the setting's."""
    settings: Settings = request.app.state.settings
    return Page(request, min(limit or settings.default_page_size, settings.max_page_size), cursor)


PageDep = Annotated[Page, Depends(read_page)]


def _encode(*key: object) -> str:
    return base64.urlsafe_b64encode("\x1f".join(map(str, key)).encode()).decode().rstrip("=")


def _decode(cursor: str | None) -> tuple[str, ...] | None:
    if cursor is None:
        return None
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        key = tuple(base64.b64decode(padded, altchars=b"-_", validate=True).decode().split("\x1f"))
    except (binascii.Error, UnicodeError) as error:
        raise bad_cursor() from error
    if "\x00" in "".join(key):
        raise bad_cursor()
    return key
