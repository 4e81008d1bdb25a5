"""/v1/vm-catalogues: the sizes and prices of VMs that can be acquired."""

from urllib.parse import quote

from fastapi import APIRouter, Depends, Response

from app.http.documented_problems import BODY, document_problems
from app.http.fields import TopologyName
from app.http.pages import PageDep
from app.http.security import may_read, may_store
from app.http.strict_json import StrictJsonRoute
from app.storage.sessions import SessionDep
from app.storage.versions import VersionQuery
from app.vm_catalogues import history, service
from app.vm_catalogues.schemas import VmCatalogueAnswer, VmCatalogueBody, VmCataloguePage

router = APIRouter(prefix="/v1/vm-catalogues", tags=["placements"], route_class=StrictJsonRoute)
reads = [Depends(may_read)]
stores = [Depends(may_store)]

UNKNOWN = document_problems("unknown-vm-catalogue")


@router.post(
    "",
    status_code=201,
    dependencies=stores,
    summary="Store a VM catalogue",
    responses=document_problems(*BODY, "invalid-catalogue"),
)
def store_vm_catalogue(body: VmCatalogueBody, response: Response, session: SessionDep) -> VmCatalogueAnswer:
    """Stores version 1 of a new name, or the next version of a known one."""
    stored = service.store_catalogue(session, body)
    response.headers["Location"] = f"/v1/vm-catalogues/{quote(stored.name, safe='')}"
    return stored


@router.get("", dependencies=reads, summary="List VM catalogues", responses=document_problems())
def list_vm_catalogues(page: PageDep, session: SessionDep) -> VmCataloguePage:
    """Newest versions, by name."""
    return history.list_catalogues(session, page)


@router.get("/{name}", dependencies=reads, summary="Read a VM catalogue", responses=UNKNOWN)
def get_vm_catalogue(
    name: TopologyName, session: SessionDep, version: VersionQuery = None
) -> VmCatalogueAnswer:
    """The newest version, or the one asked for."""
    return history.find_catalogue(session, name, version)


@router.delete(
    "/{name}", status_code=204, dependencies=stores, summary="Delete a VM catalogue", responses=UNKNOWN
)
def delete_vm_catalogue(name: TopologyName, session: SessionDep) -> None:
    """Deletes all versions; stored placements stay as they are."""
    service.delete_catalogue(session, name)
