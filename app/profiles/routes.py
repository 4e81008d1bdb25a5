"""/v1/profiles: the rate that threads of a task sustain on one slot."""

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
from app.profiles import history, service
from app.profiles.schemas import FROM_TRIALS, ProfileAnswer, ProfileBody, ProfilePage, TrialsBody
from app.storage.sessions import SessionDep


class ProfileNameConvertor(StringConvertor):
    """Any name except `from-trials`, which is the address of a call."""

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
def store_profile(body: ProfileBody, response: Response, session: SessionDep) -> ProfileAnswer:
    """Stores version 1 of a new name, or the next version of a known one."""
    stored = service.store_profile(session, body)
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
def build_profile(body: TrialsBody, response: Response, session: SessionDep) -> ProfileAnswer:
    """For each number of threads the largest stable rate, with its evidence and the gaps in the grid of trials."""
    stored = service.store_built_profile(session, body)
    response.headers["Location"] = f"/v1/profiles/{quote(stored.name, safe='')}"
    return stored


@router.get("", dependencies=reads, summary="List profiles", responses=document_problems())
def list_profiles(page: PageDep, session: SessionDep) -> ProfilePage:
    """Newest versions, by name."""
    return history.list_profiles(session, page)


@router.get(
    "/{name:profile_name}",
    dependencies=reads,
    summary="Read a profile",
    responses=document_problems("unknown-profile"),
)
def get_profile(
    name: TopologyName,
    session: SessionDep,
    version: Annotated[int | None, Query(ge=1, le=2**31 - 1, description="An older version.")] = None,
) -> ProfileAnswer:
    """The newest version, or the one asked for."""
    return history.find_profile(session, name, version)


@router.delete(
    "/{name:profile_name}",
    status_code=204,
    dependencies=stores,
    summary="Delete a profile",
    responses=document_problems("unknown-profile"),
)
def delete_profile(name: TopologyName, session: SessionDep) -> None:
    """Deletes all versions; stored placements stay as they are."""
    service.delete_profile(session, name)
