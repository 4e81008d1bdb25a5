"""/v1/profiles: what one slot sustains of a task, by threads."""

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Response
from starlette.convertors import StringConvertor, register_url_convertor

from app.http.admission import computes
from app.http.documented_problems import BODY, document_problems
from app.http.fields import TopologyName
from app.http.pages import PageDep
from app.http.security import may_read, may_store
from app.http.strict_json import StrictJsonRoute
from app.profiles import service
from app.profiles.schemas import FROM_TRIALS, ProfileAnswer, ProfileBody, ProfilePage, TrialsBody
from app.storage.sessions import SessionDep


class ProfileNameConvertor(StringConvertor):
    """Any name but the one that is a call of its own, so that each address has one meaning."""

    regex = f"(?!{FROM_TRIALS}$)[^/]+"


register_url_convertor("profile_name", ProfileNameConvertor())

router = APIRouter(prefix="/v1/profiles", tags=["placements"], route_class=StrictJsonRoute)
reads = [Depends(may_read)]
stores = [Depends(may_store)]


@router.post(
    "",
    status_code=201,
    dependencies=stores,
    summary="Store a profile",
    responses=document_problems(*BODY, "invalid-profile"),
)
def add_profile(body: ProfileBody, response: Response, session: SessionDep) -> ProfileAnswer:
    """As version 1 of a new name, or the next version of a known one."""
    stored = service.add_profile(session, body)
    response.headers["Location"] = f"/v1/profiles/{quote(stored.name, safe='')}"
    return stored


@router.post(
    f"/{FROM_TRIALS}",
    status_code=201,
    dependencies=stores,
    summary="Build and store a profile from trials",
    responses=document_problems(*BODY, "invalid-profile", "no-stable-point"),
)
@computes
def add_from_trials(body: TrialsBody, response: Response, session: SessionDep) -> ProfileAnswer:
    """Per number of threads the largest stable rate, with the evidence for each and the gaps in the grid."""
    stored = service.add_from_trials(session, body)
    response.headers["Location"] = f"/v1/profiles/{quote(stored.name, safe='')}"
    return stored


@router.get("", dependencies=reads, summary="List profiles", responses=document_problems())
def list_profiles(page: PageDep, session: SessionDep) -> ProfilePage:
    """Newest versions, by name."""
    return service.list_profiles(session, page)


@router.get(
    "/{name:profile_name}",
    dependencies=reads,
    summary="Read a profile",
    responses=document_problems("unknown-profile"),
)
def read_profile(
    name: TopologyName,
    session: SessionDep,
    version: Annotated[int | None, Query(ge=1, le=2**31 - 1, description="An older one.")] = None,
) -> ProfileAnswer:
    """The newest version, or the one asked for."""
    return service.find_profile(session, name, version)


@router.delete(
    "/{name:profile_name}",
    status_code=204,
    dependencies=stores,
    summary="Delete a profile",
    responses=document_problems("unknown-profile"),
)
def delete_profile(name: TopologyName, session: SessionDep) -> None:
    """With all its versions; stored placements keep what they were answered."""
    service.delete_profile(session, name)
