"""Stores and finds VM catalogues."""

from dataclasses import replace

from sqlalchemy.orm import Session

from app.http.pages import Page
from app.storage.similar_names import suggest_stored
from app.storage.storage_errors import UnknownVmCatalogue
from app.storage.versions import add_version, delete_versions, find_version, list_newest, tell_versions
from app.tables import VmCatalogueRow
from app.vm_catalogues.schemas import VmCatalogueAnswer, VmCatalogueBody, VmCataloguePage
from planner.placements.errors import InvalidCatalogue
from planner.placements.vm_acquisition import check_catalogue


def add_catalogue(session: Session, body: VmCatalogueBody) -> VmCatalogueAnswer:
    """Checks sizes and prices, and stores them as the next version."""
    try:
        check_catalogue([size.to_values() for size in body.sizes])
    except InvalidCatalogue as error:
        raise replace(error, pointer="/sizes") from error
    document = body.model_dump(mode="json", include={"sizes"})
    return to_answer(add_version(session, VmCatalogueRow(name=body.name, definition=document)))


def find_catalogue(session: Session, name: str, version: int | None = None) -> VmCatalogueAnswer:
    """The version asked for, or the newest."""
    row = find_version(session, VmCatalogueRow, name, version)
    if row is None:
        raise UnknownVmCatalogue(name, version, tell_versions(session, VmCatalogueRow, name))
    return to_answer(row)


def list_catalogues(session: Session, page: Page) -> VmCataloguePage:
    """Newest versions, by name."""
    rows, following = list_newest(session, VmCatalogueRow, page)
    return VmCataloguePage(items=[to_answer(row) for row in rows], next=following)


def delete_catalogue(session: Session, name: str) -> None:
    """With all its versions."""
    if not delete_versions(session, VmCatalogueRow, name):
        raise UnknownVmCatalogue(name, None, suggest_stored(session, VmCatalogueRow.name, name))


def to_answer(row: VmCatalogueRow) -> VmCatalogueAnswer:
    """What GET answers."""
    fields = {"name": row.name, "version": row.version, "created_at": row.created_at}
    return VmCatalogueAnswer.model_validate(row.definition | fields)
