"""The VM sizes of a stored catalogue."""

from sqlalchemy.orm import Session

from app.database.tables import VmCatalogueRow
from app.database.versions import find_version
from planner.placements.vm_acquisition import VmSize


def find_sizes(session: Session, name: str) -> tuple[VmSize, ...] | None:
    """The sizes of the newest version; None where no catalogue has the name."""
    row = find_version(session, VmCatalogueRow, name)
    if row is None:
        return None
    return tuple(
        VmSize(size["name"], size["slots"], size["hourly_price"]) for size in row.definition["sizes"]
    )
