"""Reads stored profiles."""

from sqlalchemy.orm import Session

from app.database.storage_errors import UnknownProfile
from app.database.tables import ProfileRow
from app.database.versions import list_newest, read_version
from app.machines.profiles.answers import to_answer
from app.machines.profiles.schemas import ProfileAnswer, ProfilePage
from app.web.pages import Page


def find_profile(session: Session, name: str, version: int | None) -> ProfileAnswer:
    """The version asked for, or the newest."""
    return to_answer(read_version(session, ProfileRow, UnknownProfile, name, version))


def list_profiles(session: Session, page: Page) -> ProfilePage:
    """Newest versions, by name, without their evidence, which may be thousands of trials."""
    rows, following = list_newest(session, ProfileRow, page)
    return ProfilePage(
        items=[to_answer(row).model_copy(update={"evidence": []}) for row in rows], next=following
    )
