"""The audit has a row in the transaction of each change, counts what machines repeat, and forgets what is old."""

from datetime import UTC, datetime, timedelta

import httpx
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.database.audit import prune_audit
from app.database.tables import AuditRow
from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD


def read_rows(session: Session, name: str) -> list[tuple[str, str, int, int]]:
    """Method, address, status and count of the changes of a topology, oldest first."""
    query = select(AuditRow).where(AuditRow.name == name).order_by(AuditRow.id)
    session.rollback()
    return [(row.method, row.address, row.status, row.count) for row in session.scalars(query)]


def test_every_change_has_a_row_and_nothing_else_has(client: httpx.Client, session: Session, name: str):
    address = f"/v1/topologies/{name}"
    goal = {"goal": {"k_max": 22}}
    client.post("/v1/topologies", json=FPD | {"name": name})
    client.post("/v1/topologies", json=FPD | {"name": name})
    client.put(f"{address}/policy", json=goal)
    for minute in range(3):
        at = {"observed_at": f"2026-11-18T00:0{minute}:00Z"}
        client.post(f"{address}/snapshots", json=FPD_LOAD | at)
    asked = goal | {}
    for store in (True, False):
        decided = client.post(
            f"{address}/decisions", json={"policy": asked, "at": "2026-11-18T00:03:00Z", "store": store}
        )
        assert decided.is_success, decided.text
    plan = client.post(f"{address}/plans/min-latency", json={"k_max": 22}).headers["Location"]
    client.post(f"{address}/estimate", json={})
    client.delete(address)
    client.delete(address)
    found = read_rows(session, name)
    assert sorted(found) == sorted(
        [
            ("POST", address, 201, 1),
            ("PUT", f"{address}/policy", 201, 1),
            ("POST", f"{address}/snapshots", 201, 3),
            ("POST", f"{address}/decisions", 201, 1),
            ("POST", plan, 201, 1),
            ("DELETE", address, 204, 1),
        ]
    )


def test_old_rows_are_deleted(session: Session, name: str):
    now = datetime.now(UTC)
    for days in (1, 399, 401):
        session.add(
            AuditRow(at=now - timedelta(days=days), method="PUT", address="/v1/x", name=name, status=200)
        )
    session.flush()
    prune_audit(session, timedelta(days=400))
    assert session.scalar(select(func.count()).select_from(AuditRow).where(AuditRow.name == name)) == 2
