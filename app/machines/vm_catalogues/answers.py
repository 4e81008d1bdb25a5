"""Stored VM catalogues as JSON."""

from app.database.tables import VmCatalogueRow
from app.machines.vm_catalogues.schemas import VmCatalogueAnswer


def to_answer(row: VmCatalogueRow) -> VmCatalogueAnswer:
    """One version of a catalogue."""
    fields = {"name": row.name, "version": row.version, "created_at": row.created_at}
    return VmCatalogueAnswer.model_validate(row.definition | fields)
