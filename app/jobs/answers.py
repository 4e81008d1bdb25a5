"""The state of a job as JSON."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from app.web.fields import Answer

State = Literal["queued", "running", "succeeded", "failed", "cancelled"]


class JobErrorAnswer(Answer):
    """Why a job failed: a type of problem, or `internal-error`, or `interrupted`."""

    type: str
    detail: str


class JobAnswer(Answer):
    """The state of a job: `progress` from 0 to 1, `activity` as a sentence."""

    id: UUID
    state: State
    progress: float
    activity: str
    error: JobErrorAnswer | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
