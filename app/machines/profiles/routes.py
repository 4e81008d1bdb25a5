"""/v1/profiles stores and builds task profiles: the rates that threads of a task sustain on one slot."""

from fastapi import APIRouter, Response
from starlette.convertors import StringConvertor, register_url_convertor

from app.database.connections.transactions import SessionDep
from app.database.versions import VersionQuery
from app.machines.profiles import service
from app.machines.profiles.schemas import FROM_TRIALS, ProfileAnswer, ProfileBody, ProfilePage, TrialsBody
from app.web.callers.security import may_read, may_store
from app.web.fields import TopologyName
from app.web.overload.admission import computes
from app.web.paging import PageDep
from app.web.problems.documented_problems import BODY
from app.web.routing import StrictJsonRoute, declare, tell_created


class ProfileNameConvertor(StringConvertor):
    """Lets a path hold any name of a profile except `from-trials`, which is the address of a call."""

    regex = f"(?!{FROM_TRIALS}$)[^/]+"


register_url_convertor("profile_name", ProfileNameConvertor())

router = APIRouter(prefix="/v1/profiles", tags=["placements"], route_class=StrictJsonRoute)

NAMED = "/{name:profile_name}"


@router.post("", status_code=201, **declare(may_store, "Store a profile", *BODY, "invalid-profile"))
def store_profile(body: ProfileBody, response: Response, session: SessionDep) -> ProfileAnswer:
    """Stores version 1 of a new profile, or the next version of a known one."""
    return _locate(response, service.store_profile(session, body))


@router.post(
    f"/{FROM_TRIALS}",
    status_code=201,
    **declare(
        may_store, "Build and store a profile from trials", *BODY, "invalid-profile", "no-stable-point"
    ),
)
@computes
def build_profile(body: TrialsBody, response: Response, session: SessionDep) -> ProfileAnswer:
    """Builds a profile: the largest stable rate for each number of threads, with evidence and gaps."""
    return _locate(response, service.store_built_profile(session, body))


def _locate(response: Response, stored: ProfileAnswer) -> ProfileAnswer:
    tell_created(response, "profiles", stored.name)
    return stored


@router.get("", **declare(may_read, "List profiles"))
def list_profiles(page: PageDep, session: SessionDep) -> ProfilePage:
    """The newest version of each profile, by name."""
    return service.list_profiles(session, page)


@router.get(NAMED, **declare(may_read, "Read a profile", "unknown-profile"))
def get_profile(name: TopologyName, session: SessionDep, version: VersionQuery = None) -> ProfileAnswer:
    """The newest version of a profile, or the given version."""
    return service.find_profile(session, name, version)


@router.delete(NAMED, status_code=204, **declare(may_store, "Delete a profile", "unknown-profile"))
def delete_profile(name: TopologyName, session: SessionDep) -> None:
    """Deletes all versions of a profile; stored placements stay."""
    service.delete_profile(session, name)
