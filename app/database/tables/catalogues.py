"""Tables of versioned inputs: profiles of tasks and catalogues of VMs."""

from sqlalchemy import Integer
from sqlalchemy.orm import Mapped, mapped_column

from app.database.tables.base import Base, Document, StoredTime


class VersionedColumns:
    """A name with versions; a version is added, and never changed."""

    name: Mapped[str] = mapped_column(primary_key=True)
    version: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    definition: Mapped[Document]
    created_at: Mapped[StoredTime]


class ProfileRow(VersionedColumns, Base):
    """One version of a task's profile."""

    __tablename__ = "profiles"


class VmCatalogueRow(VersionedColumns, Base):
    """One version of a catalogue of VM sizes and prices."""

    __tablename__ = "vm_catalogues"
