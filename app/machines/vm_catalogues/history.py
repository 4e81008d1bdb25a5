"""Reads stored VM catalogues."""

from sqlalchemy.orm import Session

from app.database.storage_errors import UnknownVmCatalogue
from app.database.tables import VmCatalogueRow
from app.database.versions import list_newest, read_version
from app.machines.vm_catalogues.answers import to_answer
from app.machines.vm_catalogues.schemas import VmCatalogueAnswer, VmCataloguePage
from app.web.pages import Page


def find_catalogue(session: Session, name: str, version: int | None) -> VmCatalogueAnswer:
    """The version asked for, or the newest."""
    return to_answer(read_version(session, VmCatalogueRow, UnknownVmCatalogue, name, version))


def list_catalogues(session: Session, page: Page) -> VmCataloguePage:
    """Newest versions, by name."""
    rows, following = list_newest(session, VmCatalogueRow, page)
    return VmCataloguePage(items=[to_answer(row) for row in rows], next=following)
