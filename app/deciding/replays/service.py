"""Replays a policy over stored intervals; nothing is stored."""

from typing import Any

from sqlalchemy.orm import Session

from app.deciding.replays.gathering import gather_replay
from app.deciding.replays.schemas import ReplayAnswer, ReplayRequest
from app.settings import Settings
from app.web.observability import time_planner
from app.web.problems.error_pointers import STORED, blaming_what_is_stored
from planner.economics.history import MINUTE
from planner.replays.course import Course
from planner.replays.replay import replay


def answer_replay(session: Session, name: str, body: ReplayRequest, settings: Settings) -> ReplayAnswer:
    """What the policy would have done over the stored intervals, beside what ran."""
    gathered = gather_replay(session, name, body, settings)
    places = STORED | {"states": "/policy/states" if body.policy else None}
    with time_planner("replay"), blaming_what_is_stored(name, places):
        found = replay(gathered.recording, gathered.policy)
    has_target = gathered.policy.has_target
    ran = sum_up(found.ran, has_target=has_target) | {"measured_late_share": found.measured_late_share}
    planned = sum_up(found.planned, has_target=has_target)
    return ReplayAnswer.model_validate(
        planned
        | {"ran": ran, "change_pause_seconds": found.pause.pause_seconds, "undecided": found.undecided}
    )


def sum_up(course: Course, *, has_target: bool) -> dict[str, Any]:
    """The sums of a course as JSON."""
    seconds = course.total_seconds
    return {
        "minutes": seconds / MINUTE,
        "late_share": course.late_seconds / seconds if has_target and seconds else None,
        "processor_hours": course.processor_hours,
        "changes": course.changes,
    }
