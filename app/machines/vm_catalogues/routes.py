"""/v1/vm-catalogues: the sizes and prices of VMs that can be acquired."""

from fastapi import APIRouter, Response

from app.database.transactions import SessionDep
from app.database.versions import VersionQuery
from app.machines.vm_catalogues import service
from app.machines.vm_catalogues.schemas import VmCatalogueAnswer, VmCatalogueBody, VmCataloguePage
from app.web.documented_problems import BODY
from app.web.fields import TopologyName
from app.web.paging import PageDep
from app.web.routing import StrictJsonRoute, declare, tell_created
from app.web.security import may_read, may_store

router = APIRouter(prefix="/v1/vm-catalogues", tags=["placements"], route_class=StrictJsonRoute)


@router.post("", status_code=201, **declare(may_store, "Store a VM catalogue", *BODY, "invalid-catalogue"))
def store_vm_catalogue(body: VmCatalogueBody, response: Response, session: SessionDep) -> VmCatalogueAnswer:
    """Stores version 1 of a new name, or the next version of a known one."""
    stored = service.store_catalogue(session, body)
    tell_created(response, "vm-catalogues", stored.name)
    return stored


@router.get("", **declare(may_read, "List VM catalogues"))
def list_vm_catalogues(page: PageDep, session: SessionDep) -> VmCataloguePage:
    """Newest versions by name."""
    return service.list_catalogues(session, page)


@router.get("/{name}", **declare(may_read, "Read a VM catalogue", "unknown-vm-catalogue"))
def get_vm_catalogue(
    name: TopologyName, session: SessionDep, version: VersionQuery = None
) -> VmCatalogueAnswer:
    """The newest version, or the given version."""
    return service.find_catalogue(session, name, version)


@router.delete(
    "/{name}", status_code=204, **declare(may_store, "Delete a VM catalogue", "unknown-vm-catalogue")
)
def delete_vm_catalogue(name: TopologyName, session: SessionDep) -> None:
    """Deletes all versions; stored placements stay as they are."""
    service.delete_catalogue(session, name)
