"""Reads stored VM catalogues."""

from sqlalchemy.orm import Session

from app.http.pages import Page
from app.storage.storage_errors import UnknownVmCatalogue
from app.storage.versions import find_version, list_newest, tell_versions
from app.tables import VmCatalogueRow
from app.vm_catalogues.answers import to_answer
from app.vm_catalogues.schemas import VmCatalogueAnswer, VmCataloguePage


def find_catalogue(session: Session, name: str, version: int | None) -> VmCatalogueAnswer:
    """The version asked for, or the newest."""
    row = find_version(session, VmCatalogueRow, name, version)
    if row is None:
        raise UnknownVmCatalogue(name, version, tell_versions(session, VmCatalogueRow, name))
    return to_answer(row)


def list_catalogues(session: Session, page: Page) -> VmCataloguePage:
    """Newest versions, by name."""
    rows, following = list_newest(session, VmCatalogueRow, page)
    return VmCataloguePage(items=[to_answer(row) for row in rows], next=following)
