"""Signing out ends a ticket at every process that serves on the database, and only this ticket."""

from datetime import UTC, datetime, timedelta

import httpx
from sqlalchemy import func, select

from app.database.tables import SignedOutTicketRow
from tests.app.processes import StartService, open_session

KEYS = "ci=a-secret-of-ci-01,other=another-secret-1:read"


def read(url: str, cookie: str) -> int:
    """The status for a browser with this cookie, on a connection of its own."""
    return httpx.get(f"{url}/v1/topologies", headers={"Cookie": f"headgate={cookie}"}).status_code


def test_signing_out_counts_at_every_process(start_service: StartService, empty_database_url: str):
    """Workers of one service have no more in common than two services."""
    first, second = (start_service(database_url=empty_database_url, api_keys=KEYS) for _ in range(2))
    with httpx.Client(base_url=first.url) as browser, httpx.Client(base_url=second.url) as other:
        for client in (browser, other):
            assert client.post("/v1/session", json={"key": "a-secret-of-ci-01"}).status_code == 200
        cookie, others_cookie = browser.cookies["headgate"], other.cookies["headgate"]
        assert {read(url, cookie) for url in (first.url, second.url)} == {200}
        assert browser.delete("/v1/session").status_code == 204
        assert {read(url, cookie) for url in [first.url, second.url] * 2} == {401}
        assert {read(url, others_cookie) for url in (first.url, second.url)} == {200}
        assert (
            httpx.delete(f"{first.url}/v1/session", headers={"Cookie": f"headgate={cookie}"}).status_code
            == 204
        )
    with open_session(empty_database_url) as session:
        kept = session.scalars(select(SignedOutTicketRow.expires_at)).all()
        assert len(kept) == 1
        assert kept[0] - datetime.now(UTC) > timedelta(hours=11)
        session.add(SignedOutTicketRow(digest=b"old", expires_at=datetime.now(UTC) - timedelta(hours=1)))
        session.commit()
    httpx.delete(f"{first.url}/v1/session", headers={"Cookie": f"headgate={others_cookie}"})
    with open_session(empty_database_url) as session:
        assert session.scalar(select(func.count()).select_from(SignedOutTicketRow)) == 2, (
            "the old one is gone"
        )
