"""Stores task profiles that were posted or built from trials, deletes them, and finds the profile of each operator."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy.orm import Session

from app.database.tables import ProfileRow
from app.database.versions import (
    add_version,
    answer_version,
    delete_versions,
    find_newest_versions,
    list_newest,
    read_version,
)
from app.load.bodies.topology import Graph, OperatorBody
from app.machines.profiles.schemas import (
    Point,
    ProfileAnswer,
    ProfileBody,
    ProfilePage,
    TrialsBody,
    describe_built,
    to_profile,
)
from app.web.observability import time_planner
from app.web.paging import Page
from app.web.problems.errors import InvalidRequest
from app.web.problems.stored_data_errors import UnknownProfile
from planner.errors import escape_pointer
from planner.placements.errors import InvalidProfile
from planner.placements.profile_builder import build_profile
from planner.placements.profiles import Profile, ProfilePoint
from planner.values import Diagnostic
from planner.wording import join_names


def find_profile(session: Session, name: str, version: int | None) -> ProfileAnswer:
    """Returns the given version of a profile, or the newest one if `version` is None."""
    return answer_version(read_version(session, ProfileRow, UnknownProfile, name, version), ProfileAnswer)


def list_profiles(session: Session, page: Page) -> ProfilePage:
    """Returns a page of the newest profiles by name, without evidence, which may be thousands of trials."""
    rows, following = list_newest(session, ProfileRow, page)
    found = [answer_version(row, ProfileAnswer) for row in rows]
    return ProfilePage(items=[one.model_copy(update={"evidence": []}) for one in found], next=following)


@dataclass(frozen=True)
class StoredProfile:
    """The newest stored version of a profile."""

    profile: Profile
    version: int


@dataclass(frozen=True)
class UsedProfile:
    """Which profile an operator has: its name and its version, or no version if the request held the profile."""

    task: str
    profile: str
    version: int | None


@dataclass(frozen=True)
class TaskProfiles:
    """The profile of each operator that has one, and where each profile came from."""

    by_task: dict[str, Profile]
    used: tuple[UsedProfile, ...]
    diagnostics: tuple[Diagnostic, ...]


def gather_profiles(session: Session, graph: Graph, sent: Mapping[str, list[Point]]) -> TaskProfiles:
    """Returns each operator's profile: from the request, or the newest stored one with the name in the operator."""
    wanted = {key for operator in graph.operators if (key := choose_key(operator, sent))} - sent.keys()
    return assign_profiles(graph, sent, find_profiles(session, wanted))


def find_profiles(session: Session, names: set[str]) -> dict[str, StoredProfile]:
    """Returns the newest stored profiles with these names; names without a profile are left out."""
    rows = find_newest_versions(session, ProfileRow, names) if names else []
    return {row.name: StoredProfile(read_profile(row), row.version) for row in rows}


def read_profile(row: ProfileRow) -> Profile:
    """Returns a stored profile as a value of the planner."""
    fields = ("threads", "peak_rate", "cpu", "memory")
    points = tuple(ProfilePoint(*(point[field] for field in fields)) for point in row.definition["points"])
    return Profile(row.name, points)


def choose_key(operator: OperatorBody, sent: Mapping[str, list[Point]]) -> str | None:
    """Returns the name of an operator's profile: the operator's own if the request holds that, else the field
    `profile`.
    """
    return operator.name if operator.name in sent else operator.profile


def assign_profiles(
    graph: Graph, sent: Mapping[str, list[Point]], stored: Mapping[str, StoredProfile]
) -> TaskProfiles:
    """Returns each operator's profile from the sent profiles, or else from the stored ones."""
    tables = {name: _check_sent(name, points) for name, points in sent.items()}
    by_task: dict[str, Profile] = {}
    used: list[UsedProfile] = []
    for operator in graph.operators:
        key = choose_key(operator, sent)
        if key is None:
            continue
        if key in tables:
            found, version = tables[key], None
        elif key in stored:
            found, version = stored[key].profile, stored[key].version
        else:
            raise _refuse_unknown(operator.name, key)
        by_task[operator.name] = found
        used.append(UsedProfile(operator.name, key, version))
    unused = tuple(sorted(tables.keys() - {one.profile for one in used}))
    return TaskProfiles(by_task, tuple(used), _describe_unused(unused))


def _check_sent(name: str, points: list[Point]) -> Profile:
    try:
        return to_profile(name, points)
    except InvalidProfile as error:
        raise replace(error, pointer=f"/profiles/{escape_pointer(name)}") from error


def _refuse_unknown(operator: str, name: str) -> InvalidRequest:
    what = f"Operator {operator!r} names the profile {name!r}, which is neither in the request nor in /v1/profiles."
    return InvalidRequest((("#/profiles", what),))


def _describe_unused(names: tuple[str, ...]) -> tuple[Diagnostic, ...]:
    if not names:
        return ()
    detail = f"No operator has the name or the profile {join_names(names, 10)}: these profiles are not used."
    return (Diagnostic("unused-profile", detail),)


def store_profile(session: Session, body: ProfileBody) -> ProfileAnswer:
    """Checks a profile, stores it as the next version of its name, and returns it."""
    try:
        to_profile(body.name, body.points)
    except InvalidProfile as error:
        raise replace(error, pointer="/points") from error
    return _store(session, body.name, body.model_dump(mode="json", include={"points", "measured_on"}))


def store_built_profile(session: Session, body: TrialsBody) -> ProfileAnswer:
    """Builds the profile that the trials support, stores it with its evidence, and returns it."""
    with time_planner("build_profile"):
        try:
            built = build_profile(body.name, [trial.to_values() for trial in body.trials], body.to_criteria())
        except InvalidProfile as error:
            raise replace(error, pointer="/trials") from error
    definition = describe_built(built).model_dump(mode="json")
    return _store(session, body.name, definition | {"measured_on": body.measured_on})


def delete_profile(session: Session, name: str) -> None:
    """Deletes all versions of the profile with this name."""
    delete_versions(session, ProfileRow, UnknownProfile, name)


def _store(session: Session, name: str, definition: dict[str, Any]) -> ProfileAnswer:
    return answer_version(add_version(session, ProfileRow(name=name, definition=definition)), ProfileAnswer)
