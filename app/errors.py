"""What can go wrong in the service itself, in fields; problems.py gives each its answer.

ServiceError
├── UnknownTopology · UnknownRevision
├── Unlisted                UnknownPlan · UnknownPlacement · UnknownIngestRun · UnknownBacktest
├── UnlistedVersion         UnknownProfile · UnknownVmCatalogue
├── UnknownRun · RunNotFinished
├── TopologyExists
├── RevisionConflict
├── UnknownPolicy · UnknownDecision · NoPolicy
├── NoSnapshot · UnknownSnapshot · StaleSnapshots · StoredDataUnusable
├── InvalidRequest          a rule that the payload alone, or with what is stored, breaks
├── ThroughputNotConverged
├── PayloadTooLarge · UnsupportedMediaType · NotAcceptable
├── Unauthorized · Forbidden
└── NotReady
"""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar
from uuid import UUID


class ServiceError(Exception):
    """The root of all that the service raises on purpose; its text is written for the caller."""


@dataclass(eq=False)
class UnknownTopology(ServiceError):
    """No topology has this name."""

    name: str

    def __str__(self) -> str:
        return f"No topology is named {self.name!r}: POST it to /v1/topologies first, or check the spelling."


@dataclass(eq=False)
class UnknownRevision(ServiceError):
    """The topology has no such revision."""

    name: str
    revision: int
    newest: int

    def __str__(self) -> str:
        return f"Topology {self.name!r} has no revision {self.revision}: it has 1 to {self.newest}."


@dataclass(eq=False)
class Unlisted(ServiceError):
    """Nothing of this kind has this id, or it was deleted."""

    kind: ClassVar[str]
    listed_at: ClassVar[str]
    id: UUID | int

    def __str__(self) -> str:
        return f"No {self.kind} has the id {self.id}: GET {self.listed_at} lists those that are stored."


class UnknownPlan(Unlisted):
    kind, listed_at = "plan", "/v1/topologies/NAME/plans"


class UnknownPlacement(Unlisted):
    kind, listed_at = "placement", "/v1/topologies/NAME/placements"


class UnknownIngestRun(Unlisted):
    kind, listed_at = "ingest run", "/v1/ingest-runs"


class UnknownBacktest(Unlisted):
    kind, listed_at = "backtest", "/v1/backtests"


@dataclass(eq=False)
class UnlistedVersion(ServiceError):
    """Nothing of this kind has this name, or not in this version."""

    kind: ClassVar[str]
    listed_at: ClassVar[str]
    name: str
    version: int | None

    def __str__(self) -> str:
        which = "" if self.version is None else f" in version {self.version}"
        return (
            f"No {self.kind} is named {self.name!r}{which}: GET {self.listed_at} lists those that are stored."
        )


class UnknownProfile(UnlistedVersion):
    kind, listed_at = "profile", "/v1/profiles"


class UnknownVmCatalogue(UnlistedVersion):
    kind, listed_at = "VM catalogue", "/v1/vm-catalogues"


@dataclass(eq=False)
class UnknownRun(ServiceError):
    """The backtest does not hold this policy or this seed."""

    policy: str
    seed: int
    policies: tuple[str, ...]
    seeds: int

    def __str__(self) -> str:
        return (
            f"This backtest has no run of policy {self.policy!r} with seed {self.seed}: it has the policies "
            f"{', '.join(self.policies)} and the seeds 0 to {self.seeds - 1}."
        )


@dataclass(eq=False)
class RunNotFinished(ServiceError):
    """The run asked for is part of the backtest, but there is nothing of it yet, or never will be."""

    policy: str
    seed: int
    state: str

    def __str__(self) -> str:
        what = "ask again later" if self.state in {"queued", "running"} else "start the backtest anew"
        return f"Policy {self.policy} has not been run with seed {self.seed}; the backtest is {self.state}: {what}."


@dataclass(eq=False)
class TopologyExists(ServiceError):
    """The name is taken."""

    name: str

    def __str__(self) -> str:
        return f"A topology named {self.name!r} exists: PUT it to change it, or choose another name."


@dataclass(eq=False)
class RevisionConflict(ServiceError):
    """The caller changed a revision that is no longer the current one."""

    name: str
    sent: str
    current: str

    def __str__(self) -> str:
        return (
            f"Topology {self.name!r} is at {self.current}, not at {self.sent}: it changed since you read it. "
            "GET it again, apply your change to that, and send the new ETag."
        )


@dataclass(eq=False)
class NoSnapshot(ServiceError):
    """Nothing was measured yet."""

    name: str

    def __str__(self) -> str:
        return (
            f"Topology {self.name!r} has no snapshot to plan from: POST one to /v1/topologies/NAME/snapshots, or "
            "send the load with the topology to the stateless call."
        )


@dataclass(eq=False)
class UnknownSnapshot(ServiceError):
    """No snapshot of the topology begins then."""

    name: str
    observed_at: datetime

    def __str__(self) -> str:
        return (
            f"No snapshot of topology {self.name!r} begins at {self.observed_at.isoformat()} (or none of this window): "
            "GET /v1/topologies/NAME/snapshots lists them."
        )


@dataclass(eq=False)
class UnknownDecision(ServiceError):
    """Nothing was decided about the topology yet, or no decision has this id."""

    wanted: str | UUID

    def __str__(self) -> str:
        if isinstance(self.wanted, UUID):
            return f"No decision has the id {self.wanted}: GET /v1/topologies/NAME/decisions lists them."
        return f"No decision about topology {self.wanted!r} is stored: POST to /v1/topologies/NAME/decisions makes one."


@dataclass(eq=False)
class UnknownPolicy(ServiceError):
    """The topology has no policy."""

    name: str

    def __str__(self) -> str:
        return f"Topology {self.name!r} has no policy: PUT one to /v1/topologies/NAME/policy."


@dataclass(eq=False)
class NoPolicy(ServiceError):
    """Nobody said what is wanted."""

    name: str

    def __str__(self) -> str:
        return (
            f"Topology {self.name!r} has no policy to decide by: PUT one to /v1/topologies/NAME/policy, or send "
            "one with the request."
        )


@dataclass(eq=False)
class StaleSnapshots(ServiceError):
    """The newest measurement is too old to act on."""

    name: str
    age_seconds: float
    limit_seconds: float

    def __str__(self) -> str:
        return (
            f"The newest snapshot of topology {self.name!r} ended {self.age_seconds:.0f} s ago, and its policy trusts "
            f"none older than {self.limit_seconds:.0f} s: nothing was decided. Post a newer one, or raise "
            "max_snapshot_age_seconds."
        )


@dataclass(eq=False)
class StoredDataUnusable(ServiceError):
    """What was measured so far is not enough to compute with."""

    name: str
    why: str

    def __str__(self) -> str:
        return (
            f"The stored load of topology {self.name!r} cannot be used: {self.why} "
            "POST a snapshot that has it, or smooth over more of them."
        )


@dataclass(eq=False)
class InvalidRequest(ServiceError):
    """The payload breaks a rule; `errors` holds a JSON pointer and what to change for each."""

    errors: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return (
            self.errors[0][1]
            if len(self.errors) == 1
            else f"{len(self.errors)} parts of the request are wrong."
        )


@dataclass(eq=False)
class ThroughputNotConverged(ServiceError):
    """The readings of a throughput have not settled: none of them is what the VMs sustain."""

    pointer: str
    readings: int
    k: int
    n: int
    tolerance: float

    def __str__(self) -> str:
        return (
            f"Among {self.readings} readings there are no {self.n} in a row of which {self.k} lie within "
            f"{100.0 * self.tolerance:.3g}% of the one before: measure on, and send all of them again."
        )


@dataclass(eq=False)
class PayloadTooLarge(ServiceError):
    """The body is larger than the service reads."""

    limit_bytes: int

    def __str__(self) -> str:
        return (
            f"The body is larger than {self.limit_bytes} bytes: send less at once, "
            "or raise HEADGATE_MAX_BODY_BYTES where the service runs."
        )


@dataclass(eq=False)
class UnsupportedMediaType(ServiceError):
    """The body does not call itself JSON."""

    sent: str

    def __str__(self) -> str:
        sent = f"is {self.sent!r}" if self.sent else "has no Content-Type"
        return f"The body {sent}: send JSON, with the header Content-Type: application/json."


@dataclass(eq=False)
class NotAcceptable(ServiceError):
    """The answer cannot be had in any of the forms that the caller takes."""

    accept: str
    offered: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"Accept: {self.accept!r} takes none of what there is here: ask for {' or '.join(self.offered)}."
        )


@dataclass(eq=False)
class Unauthorized(ServiceError):
    """No key, or one that is not known."""

    sent: bool

    def __str__(self) -> str:
        how = "The key is not one of this service's" if self.sent else "This service wants a key"
        return f"{how}: send `Authorization: Bearer KEY` with one of HEADGATE_API_KEYS."


@dataclass(eq=False)
class Forbidden(ServiceError):
    """The key is known but may not do this."""

    detail: str

    def __str__(self) -> str:
        return self.detail


@dataclass(eq=False)
class NotReady(ServiceError):
    """The service cannot work yet; load balancers should look elsewhere."""

    detail: str

    def __str__(self) -> str:
        return self.detail
