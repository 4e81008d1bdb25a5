"""The state of a job is written as it is stored."""

from datetime import UTC, datetime
from uuid import UUID

from app.jobs.states import JobAnswer, JobErrorAnswer


def test_a_failed_job_says_why():
    at = datetime(2026, 11, 19, tzinfo=UTC)
    error = JobErrorAnswer(type="interrupted", detail="Its process ended.")
    job = JobAnswer(
        id=UUID(int=1),
        state="failed",
        progress=0.5,
        activity="Failed.",
        error=error,
        created_at=at,
        started_at=at,
        finished_at=None,
    )
    assert job.model_dump(mode="json") == {
        "id": str(UUID(int=1)),
        "state": "failed",
        "progress": 0.5,
        "activity": "Failed.",
        "error": {"type": "interrupted", "detail": "Its process ended."},
        "created_at": "2026-11-19T00:00:00Z",
        "started_at": "2026-11-19T00:00:00Z",
        "finished_at": None,
        "created_by": None,
    }
