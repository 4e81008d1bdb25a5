"""Stores and finds task profiles, as posted or built from trials."""

from dataclasses import replace
from typing import Any

from sqlalchemy.orm import Session

from app.http.pages import Page
from app.profiles.schemas import BuiltFields, ProfileAnswer, ProfileBody, ProfilePage, TrialsBody, to_profile
from app.serving.observability import time_planner
from app.storage.similar_names import suggest_stored
from app.storage.storage_errors import UnknownProfile
from app.storage.versions import add_version, delete_versions, find_version, list_newest, tell_versions
from app.tables import ProfileRow
from planner.placements.errors import InvalidProfile
from planner.placements.profile_builder import BuiltProfile, build_profile


def add_profile(session: Session, body: ProfileBody) -> ProfileAnswer:
    """Checks the table and stores it as the next version."""
    try:
        to_profile(body.name, body.points)
    except InvalidProfile as error:
        raise replace(error, pointer="/points") from error
    return _store(session, body.name, body.model_dump(mode="json", include={"points", "measured_on"}))


def add_from_trials(session: Session, body: TrialsBody) -> ProfileAnswer:
    """Builds the profile that the trials support, and stores it with its evidence."""
    with time_planner("build_profile"):
        try:
            built = build_profile(body.name, [trial.to_values() for trial in body.trials], body.to_criteria())
        except InvalidProfile as error:
            raise replace(error, pointer="/trials") from error
    return _store(
        session, body.name, describe_built(built).model_dump(mode="json") | {"measured_on": body.measured_on}
    )


def describe_built(built: BuiltProfile) -> BuiltFields:
    """A built profile as JSON has it."""
    return BuiltFields.model_validate(
        {
            "points": [
                {"threads": p.threads, "peak_rate": p.peak_rate, "cpu": p.cpu, "memory": p.memory}
                for p in built.profile.points
            ],
            "evidence": built.evidence,
            "gaps": built.gaps,
            "plateau_threads": built.plateau_threads,
        }
    )


def find_profile(session: Session, name: str, version: int | None = None) -> ProfileAnswer:
    """The version asked for, or the newest."""
    row = find_version(session, ProfileRow, name, version)
    if row is None:
        raise UnknownProfile(name, version, tell_versions(session, ProfileRow, name))
    return to_answer(row)


def list_profiles(session: Session, page: Page) -> ProfilePage:
    """Newest versions, by name; the evidence of thousands of trials is for who asks for one profile."""
    rows, following = list_newest(session, ProfileRow, page)
    return ProfilePage(
        items=[to_answer(row).model_copy(update={"evidence": []}) for row in rows], next=following
    )


def delete_profile(session: Session, name: str) -> None:
    """With all its versions."""
    if not delete_versions(session, ProfileRow, name):
        raise UnknownProfile(name, None, suggest_stored(session, ProfileRow.name, name))


def to_answer(row: ProfileRow) -> ProfileAnswer:
    """What GET answers."""
    fields = {"name": row.name, "version": row.version, "created_at": row.created_at}
    return ProfileAnswer.model_validate(row.definition | fields)


def _store(session: Session, name: str, definition: dict[str, Any]) -> ProfileAnswer:
    return to_answer(add_version(session, ProfileRow(name=name, definition=definition)))
