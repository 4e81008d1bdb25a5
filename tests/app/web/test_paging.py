"""Pages: following `next` gives every row once, in order, whatever the key's types and the size of a page."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID, uuid4

import httpx
import pytest
from fastapi import Request
from sqlalchemy import create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
from sqlalchemy.types import DateTime

from app.settings import Settings
from app.web.fields import Answer, NextPage
from app.web.paging import Page, _encode, lie_between, read_page
from app.web.problems.errors import InvalidRequest
from tests.app.processes import made_database
from tests.app.web.refusals import assert_refused


class ScratchBase(DeclarativeBase):
    """A table of this test alone."""


class ScratchRow(ScratchBase):
    """One column of every type that a key may have."""

    __tablename__ = "scratch"
    id: Mapped[UUID] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    text: Mapped[str]
    whole: Mapped[int]
    number: Mapped[float]


KEYS = (
    (ScratchRow.id,),
    (ScratchRow.at, ScratchRow.id),
    (ScratchRow.text, ScratchRow.whole, ScratchRow.id),
    (ScratchRow.whole, ScratchRow.number, ScratchRow.id),
)


@pytest.fixture(scope="module")
def session(postgres_url: str) -> Iterator[Session]:
    """Forty rows, many of which are equal in all columns but the last of a key."""
    chance = random.Random(1)
    begin = datetime(2026, 11, 18, tzinfo=UTC)
    with made_database(postgres_url) as url:
        engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
        ScratchBase.metadata.create_all(engine)
        with Session(engine) as session:
            for _ in range(40):
                at = begin + timedelta(microseconds=chance.randrange(4))
                text, whole, number = (
                    chance.choice("aäZ\x1e"),
                    chance.randrange(3),
                    chance.choice([0.1, 1e15]),
                )
                session.add(ScratchRow(id=uuid4(), at=at, text=text, whole=whole, number=number))
            session.flush()
            yield session
        engine.dispose()


def make_request(path: str = "/v1/things") -> Request:
    parts = urlsplit(path)
    scope = {"type": "http", "path": parts.path, "query_string": parts.query.encode(), "headers": []}
    return Request(scope | {"server": ("127.0.0.1", 80), "scheme": "http"})


def walk(session: Session, key: Any, limit: int, *, newest_first: bool) -> Iterator[list[ScratchRow]]:
    cursor = None
    for _ in range(41):  # a cursor that led to its own page would never end
        page = Page(make_request(), limit, cursor)
        rows, following = page.read_rows(session.scalars, select(ScratchRow), *key, newest_first=newest_first)
        yield list(rows)
        if following is None:
            return
        [cursor] = parse_qs(urlsplit(following).query)["cursor"]


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize("limit", [1, 7, 20, 40, 41])
@pytest.mark.parametrize("key", KEYS, ids=lambda key: "-".join(column.key for column in key))
def test_the_pages_hold_every_row_once_in_order(
    session: Session, key: Any, limit: int, *, newest_first: bool
):
    """A page that ends with the last row has no next one."""
    pages = list(walk(session, key, limit, newest_first=newest_first))
    order = [column.desc() for column in key] if newest_first else key
    assert [row for page in pages for row in page] == list(
        session.scalars(select(ScratchRow).order_by(*order))
    )
    assert [len(page) for page in pages[:-1]] == [limit] * (len(pages) - 1)
    assert len(pages) == -(-40 // limit)


class ScratchItem(Answer):
    """What a page tells of a row."""

    text: str


class ScratchPage(Answer):
    """A page of rows."""

    items: list[ScratchItem]
    next: NextPage = None


def test_a_range_of_time_has_its_beginning_and_not_its_end(session: Session):
    times = sorted(session.scalars(select(ScratchRow.at).distinct()))
    for since, until, kept in (
        (times[1], times[2], times[1:2]),
        (times[1], None, times[1:]),
        (None, None, times),
    ):
        query = select(ScratchRow).where(*lie_between(ScratchRow.at, since, until))
        page = Page(make_request(), 3, None).answer(ScratchPage, session.scalars, query, ScratchRow.id)
        found = session.scalars(query.order_by(ScratchRow.id)).all()
        assert sorted({row.at for row in found}) == kept
        assert [one.text for one in page.items] == [row.text for row in found[:3]]
        assert (page.next is None) == (len(found) <= 3)


def test_the_next_page_keeps_the_other_parameters_of_the_request(session: Session):
    page = Page(make_request("/v1/things?from=2026&limit=3"), 3, None)
    _, following = page.read_rows(session.scalars, select(ScratchRow), ScratchRow.id)
    assert following is not None
    asked = parse_qs(urlsplit(following).query)
    assert asked["from"] == ["2026"]
    assert asked["limit"] == ["3"]


@pytest.mark.parametrize(
    "texts",
    [
        ("2026-11-18T00:00:00+00:00",),
        ("2026-11-18T00:00:00", "7", "1.0"),
        ("2026-11-18T00:00:00+00:00", "-7", "1.0"),
        ("2026-11-18T00:00:00+00:00", "7" * 19, "1.0"),
        ("2026-11-18T00:00:00+00:00", "7", "nan"),
        ("2026-11-18T00:00:00+00:00", "7", "1.0", "x"),
        ("yesterday", "7", "1.0"),
    ],
)
def test_a_cursor_of_another_list_is_refused(session: Session, texts: tuple[str, ...]):

    page = Page(make_request(), 3, _encode(texts))
    with pytest.raises(InvalidRequest, match="leave it out"):
        page.read_rows(
            session.scalars, select(ScratchRow), ScratchRow.at, ScratchRow.whole, ScratchRow.number
        )


def test_a_page_is_at_most_as_long_as_the_setting_allows():
    request = make_request()
    request.scope["app"] = SimpleNamespace(
        state=SimpleNamespace(settings=Settings(default_page_size=5, max_page_size=9))
    )
    assert [read_page(request, limit).limit for limit in (None, 1, 9)] == [5, 1, 9]
    with pytest.raises(InvalidRequest, match="at most 9 items"):
        read_page(request, 10)


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("limit=0", "?limit"),
        ("limit=-1", "?limit"),
        ("limit=ten", "?limit"),
        ("limit=" + "9" * 5000, "?limit"),
        ("cursor=", "?cursor"),
        ("cursor=%00", "?cursor"),
        ("cursor=%ff%fe", "?cursor"),
        ("cursor=AAAA", "?cursor"),
        ("cursor=" + "A" * 2001, "?cursor"),
        ("cursor=w7_DvA", "?cursor"),
    ],
)
def test_cursors_and_limits_that_no_answer_gave_are_refused(
    client: httpx.Client, stored: str, query: str, pointer: str
):
    for path in (f"/v1/topologies/{stored}/snapshots", f"/v1/topologies/{stored}/plans"):
        assert_refused(client.get(f"{path}?{query}"), [pointer])


def test_a_huge_limit_is_refused(client: httpx.Client, stored: str):
    assert_refused(client.get(f"/v1/topologies/{stored}/snapshots?limit={2**63}"), ["?limit"])
