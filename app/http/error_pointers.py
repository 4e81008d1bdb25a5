"""Whose fault it is: the planner's errors begin at its own arguments, the caller's pointers at the body."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from app.storage.storage_errors import StoredDataUnusable, find_address
from planner.errors import InvalidAllocation, InvalidLoad, InvalidState, InvalidTopology, PlannerError
from planner.vms.errors import InvalidMstSamples, TooFewMstSamples
from planner.workloads.errors import ConstantWorkload, InvalidWorkload, WorkloadTooShort, WorkloadTooSparse

IN_BODY: Mapping[type[PlannerError], str] = {
    InvalidTopology: "/topology",
    InvalidLoad: "/load",
    InvalidAllocation: "/processors",
}
"""Where the body of an estimate, a plan or a gate has them."""
OF_REQUEST: Mapping[type[PlannerError], str] = {InvalidAllocation: "/processors", InvalidState: "/policy"}
"""What a call on stored data brings with it: unlike the load, these can be put right in the request."""
MORE_SNAPSHOTS = "POST the snapshots that are missing."
MORE_SAMPLES = "POST samples to /v1/topologies/NAME/mst-samples."
REMEDIES: Mapping[type[PlannerError], str] = {
    InvalidLoad: StoredDataUnusable.remedy,
    InvalidWorkload: MORE_SNAPSHOTS,
    ConstantWorkload: MORE_SNAPSHOTS,
    WorkloadTooShort: MORE_SNAPSHOTS,
    WorkloadTooSparse: MORE_SNAPSHOTS,
    InvalidMstSamples: MORE_SAMPLES,
    TooFewMstSamples: MORE_SAMPLES,
}
"""What is wrong with measurements, wherever they come from, and where better ones go."""


@contextmanager
def pointing_into_body(places: Mapping[type[PlannerError], str] = IN_BODY) -> Iterator[None]:
    """Pointers that begin at the topology, the load or the processors are led there from the body's root."""
    try:
        yield
    except (InvalidTopology, InvalidLoad, InvalidAllocation, InvalidState) as error:
        raise replace(error, pointer=places.get(type(error), "") + error.pointer) from error


@contextmanager
def blaming_what_is_stored(name: str) -> Iterator[None]:
    """Measurements that cannot be computed with are a conflict with what is stored, not a fault of this request."""
    try:
        with pointing_into_body(OF_REQUEST):
            yield
    except tuple(REMEDIES) as error:
        remedy = REMEDIES[type(error)].replace("/v1/topologies/NAME", find_address(name))
        raise StoredDataUnusable(name, str(error), remedy) from error
