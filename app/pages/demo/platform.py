"""The platform of the demo: it applies most changes at once, and some late, in part, or not at all."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from app.deciding.decisions.schemas import DecisionAnswer
from app.deciding.outcomes.schemas import OutcomeBody
from app.deciding.outcomes.service import store_outcome
from app.settings import Settings

SETTLED_AFTER = 10
"""Minutes after a change that a report leaves out."""
LATE, IN_PART, IGNORED, REFUSED, UNREPORTED = {4}, {6}, {2}, {8}, {10}
"""Changes, counted from 1, with which something else happens than that they are applied at once and reported."""
LATE_MINUTES = 4
REFUSAL = "The cluster has no processors left for this job."


@dataclass
class Platform:
    """What runs, the change that comes into force later, and the change whose outcome is still to be reported."""

    counts: dict[str, int]
    changes: int = 0
    due: tuple[datetime, dict[str, int]] | None = None
    unreported: DecisionAnswer | None = None
    applied_at: datetime | None = None
    seen: list[float] = field(default_factory=list)

    def begin_minute(self, begin: datetime) -> Mapping[str, int]:
        """What runs in the minute that begins now."""
        if self.due is not None and begin >= self.due[0]:
            self.applied_at, self.counts = self.due
            self.due, self.seen = None, []
        return self.counts

    def take(self, session: Session, settings: Settings, decision: DecisionAnswer, at: datetime) -> None:
        """What the platform makes of a decision."""
        if decision.action == "hold":
            return
        self.changes += 1
        wanted = dict(decision.processors.recommended)
        if self.changes in REFUSED:
            body = OutcomeBody(state="refused", detail=REFUSAL)
            store_outcome(session, UUID(str(decision.id)), body, settings)
        if self.changes in REFUSED | IGNORED:
            return
        if self.changes in IN_PART:
            self.due = (at, keep_one_change(self.counts, wanted))
            return
        late = timedelta(minutes=LATE_MINUTES if self.changes in LATE else 0)
        self.due = (at + late, wanted)
        self.unreported = None if self.changes in UNREPORTED else decision

    def report(self, session: Session, settings: Settings) -> None:
        """Stores the outcome of the last change, where enough was measured after it."""
        settled = self.seen[SETTLED_AFTER:]
        if self.unreported is None or self.due is not None or not settled:
            return
        measured = sum(settled) / len(settled)
        body = OutcomeBody(state="applied", applied_at=self.applied_at, measured_seconds=measured)
        store_outcome(session, UUID(str(self.unreported.id)), body, settings)
        self.unreported = None


def keep_one_change(running: Mapping[str, int], wanted: Mapping[str, int]) -> dict[str, int]:
    """What runs, with the new processors of the first operator that changes."""
    changed = next((name for name, count in wanted.items() if running[name] != count), None)
    return {name: wanted[name] if name == changed else count for name, count in running.items()}
