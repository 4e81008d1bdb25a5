"""Stores, reads and deletes VM catalogues."""

from dataclasses import replace

from sqlalchemy.orm import Session

from app.database.tables import VmCatalogueRow
from app.database.versions import (
    add_version,
    answer_version,
    delete_versions,
    find_version,
    list_newest,
    read_version,
)
from app.machines.vm_catalogues.schemas import VmCatalogueAnswer, VmCatalogueBody, VmCataloguePage
from app.web.paging import Page
from app.web.stored_data_errors import UnknownVmCatalogue
from planner.placements.errors import InvalidCatalogue
from planner.placements.vm_acquisition import VmSize, check_catalogue


def find_sizes(session: Session, name: str) -> tuple[VmSize, ...] | None:
    """The sizes of the newest version; None if no catalogue has this name."""
    row = find_version(session, VmCatalogueRow, name)
    if row is None:
        return None
    return tuple(
        VmSize(size["name"], size["slots"], size["hourly_price"]) for size in row.definition["sizes"]
    )


def find_catalogue(session: Session, name: str, version: int | None) -> VmCatalogueAnswer:
    """The given version of a catalogue, or the newest."""
    row = read_version(session, VmCatalogueRow, UnknownVmCatalogue, name, version)
    return answer_version(row, VmCatalogueAnswer)


def list_catalogues(session: Session, page: Page) -> VmCataloguePage:
    """Newest versions by name."""
    rows, following = list_newest(session, VmCatalogueRow, page)
    return VmCataloguePage(items=[answer_version(row, VmCatalogueAnswer) for row in rows], next=following)


def store_catalogue(session: Session, body: VmCatalogueBody) -> VmCatalogueAnswer:
    """Checks a catalogue and stores it as the next version."""
    try:
        check_catalogue([size.to_values() for size in body.sizes])
    except InvalidCatalogue as error:
        raise replace(error, pointer="/sizes") from error
    document = body.model_dump(mode="json", include={"sizes"})
    row = add_version(session, VmCatalogueRow(name=body.name, definition=document))
    return answer_version(row, VmCatalogueAnswer)


def delete_catalogue(session: Session, name: str) -> None:
    """Deletes all versions of a catalogue."""
    delete_versions(session, VmCatalogueRow, UnknownVmCatalogue, name)
