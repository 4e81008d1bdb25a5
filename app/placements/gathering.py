"""What a placement stands on: a profile for each task, and where slots come from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from app.described.topology import Graph
from app.http.errors import InvalidRequest
from app.placements.schemas import PlacementChoices, UsedProfile
from app.profiles.schemas import Point, to_profile
from app.vm_catalogues.schemas import VmSizeBody
from planner.errors import escape_pointer
from planner.placements.errors import InvalidProfile
from planner.placements.market import Market
from planner.placements.profiles import Profile
from planner.placements.vm_acquisition import acquire_cheapest, acquire_largest_first
from planner.values import Diagnostic

MOST_SLOTS_THERE = 1_000_000
ACQUISITIONS = {"largest-first": acquire_largest_first, "cheapest": acquire_cheapest}


@dataclass(frozen=True)
class Library:
    """Where names of profiles and catalogues lead: to their newest versions, or to None."""

    find_profile: Callable[[str], tuple[list[Point], int] | None]
    find_sizes: Callable[[str], list[VmSizeBody] | None]


NO_LIBRARY = Library(lambda _: None, lambda _: None)


@dataclass(frozen=True)
class GatheredProfiles:
    """A profile by operator, and where each came from."""

    by_task: dict[str, Profile]
    used: list[UsedProfile]
    diagnostics: tuple[Diagnostic, ...]


def gather_profiles(graph: Graph, sent: Mapping[str, list[Point]], library: Library) -> GatheredProfiles:
    """For each operator: what was sent under its name, or under its profile's name, or the library's newest."""
    tables = {name: _check_sent(name, points) for name, points in sent.items()}
    stored: dict[str, tuple[Profile, int]] = {}
    by_task: dict[str, Profile] = {}
    used: list[UsedProfile] = []
    for operator in graph.operators:
        wanted = operator.profile
        key = operator.name if operator.name in tables else wanted
        if key is None:
            continue
        if key in tables:
            by_task[operator.name] = tables[key]
            used.append(UsedProfile(task=operator.name, profile=key, version=None))
            continue
        if key not in stored:
            stored[key] = _take_from_library(operator.name, key, library)
        by_task[operator.name], version = stored[key]
        used.append(UsedProfile(task=operator.name, profile=key, version=version))
    unused = tuple(sorted(tables.keys() - {one.profile for one in used}))
    return GatheredProfiles(by_task, used, _describe_unused(unused))


def _check_sent(name: str, points: list[Point]) -> Profile:
    try:
        return to_profile(name, points)
    except InvalidProfile as error:
        raise replace(error, pointer=f"/profiles/{escape_pointer(name)}") from error


def _take_from_library(operator: str, name: str, library: Library) -> tuple[Profile, int]:
    found = library.find_profile(name)
    if found is None:
        what = f"Operator {operator!r} names the profile {name!r}, which is neither here nor in /v1/profiles."
        raise InvalidRequest((("#/profiles", what),))
    points, version = found
    return to_profile(name, points), version


def _describe_unused(names: tuple[str, ...]) -> tuple[Diagnostic, ...]:
    if not names:
        return ()
    detail = f"No operator has the name, or names the profile, {', '.join(names[:10])}: these profiles count nowhere."
    return (Diagnostic("unused-profile", detail),)


def gather_market(body: PlacementChoices, library: Library) -> Market:
    """The VMs that are there, and the sizes of the request or of its catalogue."""
    _check_vms(body)
    sizes = body.vm_sizes
    if sizes is None and body.vm_catalogue is not None:
        sizes = library.find_sizes(body.vm_catalogue)
        if sizes is None:
            what = f"No VM catalogue is named {body.vm_catalogue!r}: POST it, or send vm_sizes."
            raise InvalidRequest((("#/vm_catalogue", what),))
    if not sizes and not body.vms:
        raise InvalidRequest(
            (("#/vm_sizes", "Nothing to place on: give vm_sizes or a vm_catalogue to acquire from, or vms."),)
        )
    return Market(
        tuple(vm.to_values() for vm in body.vms),
        tuple(size.to_values() for size in sizes or ()),
        ACQUISITIONS[body.acquisition],
    )


def _check_vms(body: PlacementChoices) -> None:
    seen: set[str] = set()
    for at, vm in enumerate(body.vms):
        if vm.name in seen:
            raise InvalidRequest(((f"#/vms/{at}/name", f"Two VMs are named {vm.name!r}: rename one."),))
        seen.add(vm.name)
    slots = sum(vm.slots for vm in body.vms)
    if slots > MOST_SLOTS_THERE:
        what = (
            f"{slots} slots are more than the {MOST_SLOTS_THERE} that a placement looks at: send fewer VMs."
        )
        raise InvalidRequest((("#/vms", what),))
