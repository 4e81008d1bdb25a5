"""Rows replace stored rows with the same key, and only the named columns of them."""

from sqlalchemy.orm import Session

from app.database.tables import WebhookRow
from app.database.upserts import upsert
from app.load.measurements.stored_topologies import find_topology


def test_a_row_with_the_key_of_a_stored_row_replaces_the_named_columns(session: Session, stored: str):
    key = {"topology_id": find_topology(session, stored).id}
    first = {"url": "https://one.example", "form": "slack"}
    second = {"url": "https://two.example", "form": "json"}
    for row, replaced, is_new in ((first, ["url", "form"], True), (second, ["url"], False)):
        (kept,) = upsert(session, WebhookRow, [key | row], ["topology_id"], replaced, WebhookRow.url)
        assert (kept.is_new, kept.url) == (is_new, row["url"])
    session.expire_all()
    found = session.get(WebhookRow, key["topology_id"])
    assert found is not None
    assert (found.url, found.form) == (second["url"], first["form"]), "the form was not to be replaced"
