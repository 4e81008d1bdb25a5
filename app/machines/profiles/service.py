"""Stores task profiles, as posted or built from trials, and deletes them."""

from dataclasses import replace
from typing import Any

from sqlalchemy.orm import Session

from app.database.tables import ProfileRow
from app.database.versions import add_version, answer_version, delete_versions
from app.machines.profiles.schemas import (
    ProfileAnswer,
    ProfileBody,
    TrialsBody,
    describe_built,
    to_profile,
)
from app.web.observability import time_planner
from app.web.stored_data_errors import UnknownProfile
from planner.placements.errors import InvalidProfile
from planner.placements.profile_builder import build_profile


def store_profile(session: Session, body: ProfileBody) -> ProfileAnswer:
    """Checks a profile and stores it as the next version."""
    try:
        to_profile(body.name, body.points)
    except InvalidProfile as error:
        raise replace(error, pointer="/points") from error
    return _store(session, body.name, body.model_dump(mode="json", include={"points", "measured_on"}))


def store_built_profile(session: Session, body: TrialsBody) -> ProfileAnswer:
    """Builds the profile that the trials support, and stores it with its evidence."""
    with time_planner("build_profile"):
        try:
            built = build_profile(body.name, [trial.to_values() for trial in body.trials], body.to_criteria())
        except InvalidProfile as error:
            raise replace(error, pointer="/trials") from error
    definition = describe_built(built).model_dump(mode="json")
    return _store(session, body.name, definition | {"measured_on": body.measured_on})


def delete_profile(session: Session, name: str) -> None:
    """Deletes all versions of a profile."""
    delete_versions(session, ProfileRow, UnknownProfile, name)


def _store(session: Session, name: str, definition: dict[str, Any]) -> ProfileAnswer:
    return answer_version(add_version(session, ProfileRow(name=name, definition=definition)), ProfileAnswer)
