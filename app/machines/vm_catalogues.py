"""/v1/vm-catalogues stores the sizes and prices of VMs that can be acquired, in versions."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field, JsonValue
from sqlalchemy.orm import Session

from app.database.connections.transactions import SessionDep
from app.database.tables import VmCatalogueRow
from app.database.versions import (
    VersionQuery,
    add_version,
    answer_version,
    delete_versions,
    find_version,
    list_newest,
    read_version,
)
from app.load.bodies.series import VmSizeBody
from app.web.callers.security import may_read, may_store
from app.web.fields import Answer, Body, NextPage, StoredBy, TopologyName, show_example
from app.web.paging import PageDep
from app.web.problems.documented_problems import BODY
from app.web.problems.stored_data_errors import UnknownVmCatalogue
from app.web.routing import StrictJsonRoute, declare, tell_created
from planner.placements.errors import InvalidCatalogue
from planner.placements.vm_acquisition import VmSize, check_catalogue

AZURE_D_SIZES: list[JsonValue] = [
    {"name": "D1", "slots": 1, "hourly_price": 0.1},
    {"name": "D2", "slots": 2, "hourly_price": 0.2},
    {"name": "D3", "slots": 4, "hourly_price": 0.4},
]
AZURE_D: dict[str, JsonValue] = {"name": "azure-d", "sizes": AZURE_D_SIZES}
"""The three D-series sizes of Shukla and Simmhan; as in their paper, prices are proportional to slots."""


class VmCatalogueBody(Body):
    """VM sizes and prices under a name; the same name again makes a new version."""

    model_config = show_example(AZURE_D)

    name: TopologyName
    sizes: Annotated[list[VmSizeBody], Field(min_length=1, max_length=100)]


class VmCatalogueAnswer(Answer):
    """One stored version of a catalogue."""

    name: str
    version: int
    sizes: list[VmSizeBody]
    created_at: datetime
    created_by: StoredBy = None


class VmCataloguePage(Answer):
    """The newest catalogues by name."""

    items: list[VmCatalogueAnswer]
    next: NextPage = None


def find_sizes(session: Session, name: str) -> tuple[VmSize, ...] | None:
    """Returns the VM sizes in the newest version of a catalogue; None if no catalogue has this name."""
    row = find_version(session, VmCatalogueRow, name)
    if row is None:
        return None
    return tuple(
        VmSize(size["name"], size["slots"], size["hourly_price"]) for size in row.definition["sizes"]
    )


router = APIRouter(prefix="/v1/vm-catalogues", tags=["placements"], route_class=StrictJsonRoute)


@router.post("", status_code=201, **declare(may_store, "Store a VM catalogue", *BODY, "invalid-catalogue"))
def store_vm_catalogue(body: VmCatalogueBody, response: Response, session: SessionDep) -> VmCatalogueAnswer:
    """Stores version 1 of a new catalogue, or the next version of a known one."""
    try:
        check_catalogue([size.to_values() for size in body.sizes])
    except InvalidCatalogue as error:
        raise replace(error, pointer="/sizes") from error
    document = body.model_dump(mode="json", include={"sizes"})
    row = add_version(session, VmCatalogueRow(name=body.name, definition=document))
    tell_created(response, "vm-catalogues", row.name)
    return answer_version(row, VmCatalogueAnswer)


@router.get("", **declare(may_read, "List VM catalogues"))
def list_vm_catalogues(page: PageDep, session: SessionDep) -> VmCataloguePage:
    """The newest version of each catalogue, by name."""
    rows, following = list_newest(session, VmCatalogueRow, page)
    return VmCataloguePage(items=[answer_version(row, VmCatalogueAnswer) for row in rows], next=following)


@router.get("/{name}", **declare(may_read, "Read a VM catalogue", "unknown-vm-catalogue"))
def get_vm_catalogue(
    name: TopologyName, session: SessionDep, version: VersionQuery = None
) -> VmCatalogueAnswer:
    """The newest version of a catalogue, or the given version."""
    row = read_version(session, VmCatalogueRow, UnknownVmCatalogue, name, version)
    return answer_version(row, VmCatalogueAnswer)


@router.delete(
    "/{name}", status_code=204, **declare(may_store, "Delete a VM catalogue", "unknown-vm-catalogue")
)
def delete_vm_catalogue(name: TopologyName, session: SessionDep) -> None:
    """Deletes all versions of a catalogue; stored placements stay."""
    delete_versions(session, VmCatalogueRow, UnknownVmCatalogue, name)
