"""Stores VM catalogues and deletes them."""

from dataclasses import replace

from sqlalchemy.orm import Session

from app.database.storage_errors import UnknownVmCatalogue
from app.database.tables import VmCatalogueRow
from app.database.versions import add_version, delete_versions
from app.machines.vm_catalogues.answers import to_answer
from app.machines.vm_catalogues.schemas import VmCatalogueAnswer, VmCatalogueBody
from planner.placements.errors import InvalidCatalogue
from planner.placements.vm_acquisition import check_catalogue


def store_catalogue(session: Session, body: VmCatalogueBody) -> VmCatalogueAnswer:
    """Checks sizes and prices, and stores them as the next version."""
    try:
        check_catalogue([size.to_values() for size in body.sizes])
    except InvalidCatalogue as error:
        raise replace(error, pointer="/sizes") from error
    document = body.model_dump(mode="json", include={"sizes"})
    return to_answer(add_version(session, VmCatalogueRow(name=body.name, definition=document)))


def delete_catalogue(session: Session, name: str) -> None:
    """Deletes all versions."""
    delete_versions(session, VmCatalogueRow, UnknownVmCatalogue, name)
