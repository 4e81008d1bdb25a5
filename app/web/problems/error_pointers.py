"""JSON pointers into the body of a call for the errors of the planner.

A planner error names one of the planner's arguments (`load`, `capacities`, `k_max`) and the part of it to change.
A body with topology and load has a field of the same name. Every other call has a table from argument to field
(`Places`).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from app.web.problems.errors import ServiceError
from app.web.problems.stored_data_errors import StoredDataUnusable, find_address
from planner import errors as planning
from planner.errors import PlannerError
from planner.placements import errors as placing
from planner.vms import timing as scheduling
from planner.workloads import series as forecasting

Places = Mapping[str, str | None]
"""The pointer into the body for each argument of the planner; None: the argument is stored, not sent.

An argument that is not listed is a field of the same name.
"""
DESCRIBED: dict[str, str | None] = {}
TOPOLOGY_ALONE: dict[str, str | None] = {"topology": ""}
STORED: dict[str, str | None] = dict.fromkeys(["topology", "load", "instances", "workload", "mst_samples"])

ARGUMENTS: Mapping[type[PlannerError], str] = {
    planning.NoSteadyState: "/topology/edges",
    planning.BoundTooSmall: "/topology/operators",
    planning.BudgetTooSmall: "/k_max",
    planning.TargetUnreachable: "/t_max_seconds",
    planning.QuantileUnreachable: "/target/seconds",
    planning.SimulationTooLarge: "/roots",
    planning.SimulationStuck: "/capacities",
    placing.InvalidProfile: "/profiles",
    placing.MissingProfile: "/profiles",
    placing.NoStablePoint: "/trials",
    placing.IdleTask: "/topology/edges",
    placing.ThreadTooLarge: "/vm_sizes",
    placing.InvalidCatalogue: "/vm_sizes",
    placing.PlacementTooLarge: "/external_rate",
    placing.NotEnoughSlots: "/vms",
    placing.InvalidMapping: "/vms",
    scheduling.InvalidMstSamples: "/mst_samples",
    scheduling.TooFewMstSamples: "/mst_samples",
    scheduling.InvalidQosTarget: "/qos_target",
    scheduling.UnknownVmPolicy: "/policy",
    forecasting.InvalidWorkload: "/workload",
    forecasting.WorkloadTooShort: "/workload",
    forecasting.WorkloadTooSparse: "/workload",
    forecasting.ConstantWorkload: "/workload",
}
"""The argument to change, for errors without a field for it."""

REMEDIES: Mapping[str, str] = {
    "load": "POST a snapshot with this value, or smooth over more snapshots.",
    "instances": "POST a snapshot with this value, or smooth over more snapshots.",
    "workload": "POST the snapshots that are missing.",
    "mst_samples": "POST samples to {address}/mst-samples.",
    "states": "PUT a policy whose states fit to {address}/policy, or send one with the request.",
}
"""The remedy if a stored argument cannot be used."""


class RefusedByPlanner(ServiceError):
    """A planner error, with the JSON pointer to the part of the request's body that the caller should change."""

    error: PlannerError
    pointer: str
    text = "{self.error}"


def find_place(error: PlannerError) -> str:
    """The JSON pointer to the part that a planner error blames; it begins with the name of the planner's argument."""
    if isinstance(error, planning.InvalidArgument):
        return error.place
    own: str = getattr(error, "pointer", "")
    return own or next((ARGUMENTS[base] for base in type(error).__mro__ if base in ARGUMENTS), "")


def lead_into_body(place: str, places: Places) -> str:
    """The place of a planner's argument in the body of a call; "", the whole body, if the argument is stored data."""
    argument, slash, rest = place.removeprefix("/").partition("/")
    field = places.get(argument, f"/{argument}" if argument else "")
    return "" if field is None else field + slash + rest


@contextmanager
def pointing_into_body(places: Places = DESCRIBED) -> Iterator[None]:
    """Raises planner errors again as RefusedByPlanner, with their pointer into the body of this call."""
    try:
        yield
    except PlannerError as error:
        raise RefusedByPlanner(error, lead_into_body(find_place(error), places)) from error


@contextmanager
def blaming_what_is_stored(name: str, places: Places = STORED) -> Iterator[None]:
    """Raises planner errors again for a call on stored data: with a place in the body, or as
    StoredDataUnusable (409).
    """
    try:
        with pointing_into_body(places):
            yield
    except RefusedByPlanner as refused:
        argument, _, _ = find_place(refused.error).removeprefix("/").partition("/")
        is_stored = argument in places and places[argument] is None
        if not is_stored or argument not in REMEDIES:
            raise
        remedy = REMEDIES[argument].format(address=find_address(name))
        raise StoredDataUnusable(name, str(refused), remedy) from refused.error
