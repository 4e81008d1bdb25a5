"""Tells the webhooks of policies when the action of a topology's standing decision changes, or measurements stop.

Each topology has one event to be sent at most: a newer one takes its place. An event is stored before it is sent, and
keeps its id however often it is sent: a receiver that knows the id has been told already.
"""

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, null, select, update
from sqlalchemy.orm import Session

from app.database.lone_thread import LoneThread
from app.database.tables import WebhookRow
from app.deciding.advised import read_waited_for
from app.load.measurements.snapshots import CLOCK_LEAD
from app.pages.overview.gathering import DRAWN, find_lines
from app.pages.overview.schemas import OverviewFilter, OverviewRow
from app.pages.overview.service import to_row
from app.web.outgoing import NotSent, send_signed

log = logging.getLogger(__name__)

FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=10), timedelta(hours=1)
MOST_ATTEMPTS = 12
MOST_SENT = 100
"""The most events of one pass, so that a pass ends although receivers do not answer."""
STALE = "stale"
WORDS = {
    "hold": "nothing needs to change any more",
    "scale_up": "more processors are recommended",
    "scale_down": "fewer processors are recommended",
    "rebalance": "another split of the processors is recommended",
    STALE: "measurements have stopped",
}


class WebhookSender(LoneThread):
    """Looks for changes and sends what is due, from time to time."""

    title = "webhooks"
    lock = 0x74656C6C  # "tell"
    first_seconds, pass_seconds = 15.0, 15.0
    trouble = "webhooks cannot be told now"

    @property
    def is_wanted(self) -> bool:
        """Whether the operator allows any webhook."""
        return bool(
            self.settings.webhook_signing_key.get_secret_value() and self.settings.webhook_hosts.strip()
        )

    def make_pass(self, now: datetime) -> int:
        """Stores new events and sends what is due at `now`; returns the number of events that arrived."""
        with self.hold_lock() as connection:
            if connection is None:
                return 0
            self.note_changes(connection, now)
            return self.send_due(connection, now)

    def note_changes(self, connection: Connection, now: datetime) -> None:
        """Stores an event for each topology that is in another state than was told last."""
        with Session(connection, info={CLOCK_LEAD: self.settings.clock_lead_seconds}) as session:
            lines = find_lines(session, now, OverviewFilter())
            known = WebhookRow.topology_id == lines.c.topology_id
            drawn = (null().label(one) for one in DRAWN)
            rows = session.execute(select(lines, *drawn, WebhookRow.told).join(WebhookRow, known)).all()
        for row in rows:
            found = to_row(row, now)
            # A decision that waits for a change which was told tells nothing new.
            waits = found.action == "hold" and read_waited_for(row) is not None
            state = STALE if found.status == STALE else None if waits else found.action
            if state is not None and state != row.told:
                changed = {
                    "told": state,
                    "event": write_event(found, row.told, now),
                    "attempts": 0,
                    "next_at": now,
                }
                connection.execute(
                    update(WebhookRow).where(WebhookRow.topology_id == row.topology_id).values(changed)
                )

    def send_due(self, connection: Connection, now: datetime) -> int:
        """Sends the events that are due, each once; returns how many arrived."""
        due = (
            select(WebhookRow).where(WebhookRow.next_at <= now).order_by(WebhookRow.next_at).limit(MOST_SENT)
        )
        arrived = 0
        for row in connection.execute(due).all():
            if self.stopped.is_set():
                break
            after = self.send(row.url, row.form, row.event, row.attempts, now)
            arrived += not after["attempts"]
            is_same = WebhookRow.event["id"].astext == row.event["id"]
            connection.execute(
                update(WebhookRow).where(WebhookRow.topology_id == row.topology_id, is_same).values(after)
            )
        return arrived

    def send(
        self, url: str, form: str, event: Mapping[str, Any], attempts: int, now: datetime
    ) -> dict[str, Any]:
        """Sends an event once, and returns what its row says then."""
        body = event if form == "json" else {"text": event["text"]}
        try:
            send_signed(self.settings, url, body, event["id"], int(now.timestamp()))
        except NotSent as error:
            failed = attempts + 1
            log.warning("the webhook of %s was not told (try %d): %s", event["topology"], failed, error)
            if failed == MOST_ATTEMPTS:
                return {"attempts": failed, "next_at": None}
            return {"attempts": failed, "next_at": now + min(FIRST_WAIT * 2**attempts, LONGEST_WAIT)}
        return {"event": null(), "attempts": 0, "next_at": None}


def write_event(row: OverviewRow, before: str, now: datetime) -> dict[str, Any]:
    """The event that a topology is in another state, as plain JSON; `text` has it in words."""
    is_stale = row.status == STALE
    return {
        "id": str(uuid4()),
        "kind": STALE if is_stale else "action",
        "topology": row.name,
        "action": None if is_stale else row.action,
        "before": before,
        "processors_running": row.processors_running,
        "processors_recommended": row.processors_recommended,
        "decision_id": None if row.decision_id is None else str(row.decision_id),
        "at": now.isoformat(),
        "text": f"{row.name}: {WORDS[STALE if is_stale else str(row.action)]}. {row.detail}",
    }
