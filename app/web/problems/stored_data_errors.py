"""Errors about stored data, with their values in fields; app/web/problems/problem_kinds.py has the answer for each."""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from app.web.fields import write_address, write_time
from app.web.problems.errors import ServiceError
from planner.wording import write_age, write_seconds


def find_address(name: str) -> str:
    """The address of a topology in the service, by its name."""
    return write_address("topologies", name)


AHEAD_OF_CLOCK = "ahead-of-clock"
"""The code of diagnostics and the status of topologies with a snapshot ahead of the service's clock."""


def describe_ahead(ended_at: datetime) -> str:
    """A sentence that a snapshot ends ahead of the service's clock."""
    return (
        f"The snapshot that ends at {write_time(ended_at)} is ahead of the service's clock, and no answer uses it "
        "until its time comes: correct the clock of its sender, and DELETE the snapshot if its time is wrong."
    )


class TopologyError(ServiceError):
    """The base class of errors about the topology called `name`."""

    name: str

    @property
    def address(self) -> str:
        """The address of the topology in the service."""
        return find_address(self.name)


class UnknownTopology(TopologyError):
    """The error that no topology has this name; `similar` is a sentence about a similar name, or empty."""

    similar: str = ""

    text = (
        "No topology is named {self.name!r}: POST it to /v1/topologies first, or check the spelling."
        "{self.similar}"
    )


class UnknownRevision(TopologyError):
    """The error that a topology has no revision with this number."""

    revision: int
    newest: int

    text = "Topology {self.name!r} has no revision {self.revision}: it has the revisions 1 to {self.newest}."


class Unlisted(ServiceError):
    """The error that no plan, placement, run or job has this id, or that it was deleted; `kind` names which."""

    kind: ClassVar[str]
    listed_at: ClassVar[str]
    id: UUID | int

    text = "No {self.kind} has the id {self.id}: GET {self.listed_at} lists those that are stored."


class UnknownPlan(Unlisted):
    kind, listed_at = "plan", "/v1/topologies/NAME/plans"


class UnknownPlacement(Unlisted):
    kind, listed_at = "placement", "/v1/topologies/NAME/placements"


class UnknownIngestRun(Unlisted):
    kind, listed_at = "ingest run", "/v1/ingest-runs"


class UnknownBacktest(Unlisted):
    kind, listed_at = "backtest", "/v1/backtests"


class UnknownSimulation(Unlisted):
    kind, listed_at = "queued simulation", "/v1/simulations"


class UnlistedVersion(ServiceError):
    """The error that no profile or VM catalogue has this name and version; `similar` is a sentence with the remedy."""

    kind: ClassVar[str]
    listed_at: ClassVar[str]
    name: str
    version: int | None
    similar: str = ""

    def __str__(self) -> str:
        which = "" if self.version is None else f" in version {self.version}"
        return (
            f"No {self.kind} is named {self.name!r}{which}: GET {self.listed_at} lists those that are stored."
            f"{self.similar}"
        )


class UnknownProfile(UnlistedVersion):
    kind, listed_at = "profile", "/v1/profiles"


class UnknownVmCatalogue(UnlistedVersion):
    kind, listed_at = "VM catalogue", "/v1/vm-catalogues"


class RunError(ServiceError):
    """The base class of errors about one run of a backtest."""

    policy: str
    seed: int


class UnknownRun(RunError):
    """The error that a backtest has no such policy or no such seed."""

    policies: tuple[str, ...]
    seeds: int

    def __str__(self) -> str:
        return (
            f"This backtest has no run of policy {self.policy!r} with seed {self.seed}: it has the policies "
            f"{', '.join(self.policies)} and the seeds 0 to {self.seeds - 1}."
        )


class RunNotFinished(RunError):
    """The error that a run of a backtest is not computed yet, or that the backtest ended before it."""

    state: str

    def __str__(self) -> str:
        what = "ask again later" if self.state in {"queued", "running"} else "start the backtest anew"
        return f"Policy {self.policy} has not been run with seed {self.seed}; the backtest is {self.state}: {what}."


class TopologyExists(TopologyError):
    """The error that a topology with this name exists already."""

    text = "A topology named {self.name!r} exists: PUT it to change it, or choose another name."


class DemoNameTaken(TopologyExists):
    """The error that the demo would replace a topology that is not a demo."""

    text = (
        "A topology named {self.name!r} exists and is not the demo, so it stays: DELETE it if you do not need it, and "
        "load the demo again."
    )


class RevisionConflict(TopologyError):
    """The error that the caller changes a topology, or its policy, that is no longer as the caller read it."""

    sent: str
    current: str
    what: str = "Topology"
    text = (
        "{self.what} {self.name!r} is at {self.current}, not at {self.sent}: it changed since you read it. "
        "GET it again, apply your change to that, and send the new ETag."
    )


class NoSnapshot(TopologyError):
    """The topology has no snapshot, or only snapshots ahead of the clock, of which the last ends at `ahead_until`."""

    ahead_until: datetime | None = None

    def __str__(self) -> str:
        if self.ahead_until is not None:
            return f"Topology {self.name!r} has no snapshot to use. {describe_ahead(self.ahead_until)}"
        return f"Topology {self.name!r} has no snapshot: POST what was measured to {self.address}/snapshots."


class UnknownSnapshot(TopologyError):
    """The error that a topology has no snapshot that begins at this time."""

    observed_at: datetime

    def __str__(self) -> str:
        return (
            f"No snapshot of topology {self.name!r} begins at {self.observed_at.isoformat()} (or none of this window): "
            f"GET {self.address}/snapshots lists them."
        )


class UnknownDecision(ServiceError):
    """The error that a topology has no standing decision, or that no decision has this id."""

    wanted: str | UUID

    def __str__(self) -> str:
        if isinstance(self.wanted, UUID):
            return f"No decision has the id {self.wanted}: GET /v1/topologies/NAME/decisions lists them."
        address = f"{find_address(self.wanted)}/decisions"
        return f"Topology {self.wanted!r} has no decision for its revision and policy: POST to {address} to make one."


class UnknownOperator(TopologyError):
    """The error that a topology has no operator of this name; `similar` is a sentence about a similar name, or
    empty.
    """

    operator: str
    similar: str = ""

    text = (
        "Topology {self.name!r} has no operator {self.operator!r}: GET {self.address} lists its operators."
        "{self.similar}"
    )


class NoRecommendation(TopologyError):
    """The error that no processors are recommended for an operator; `cause` is the type of the problem behind it."""

    operator: str
    why: str
    cause: str | None = None

    text = "No number of processors is recommended for {self.operator!r} now: {self.why}"


class OutcomeConflict(ServiceError):
    """The error that a report about a decision contradicts a later report that is stored."""

    id: UUID
    state: str
    sent: str
    why: str

    text = (
        "The outcome of decision {self.id} is {self.state!r} and cannot become {self.sent!r}: {self.why} GET "
        "/v1/decisions/{self.id} shows what is stored."
    )


class NoStoredPolicy(TopologyError):
    """The error that a topology has no policy."""

    text = "Topology {self.name!r} has no policy: PUT one to {self.address}/policy."


class NoPolicy(TopologyError):
    """The error that a decision needs a policy, and neither the request nor the topology has one."""

    text = (
        "Topology {self.name!r} has no policy to decide by: PUT one to {self.address}/policy, or send "
        "one with the request."
    )


class StaleSnapshots(TopologyError):
    """The error that the newest snapshot is too old to decide from.

    `takes_at`: the call can decide for a past time. `ahead_until` is the end of a snapshot ahead of the service's
    clock.
    """

    ended_at: datetime
    age_seconds: float
    limit_seconds: float
    takes_at: bool = False
    ahead_until: datetime | None = None

    def __str__(self) -> str:
        ended = write_time(self.ended_at)
        past = f' A decision can also be made for that time with "at": "{ended}".' if self.takes_at else ""
        ahead = "" if self.ahead_until is None else f" {describe_ahead(self.ahead_until)}"
        return (
            f"The newest snapshot of topology {self.name!r} ended at {ended}, which is "
            f"{write_age(self.age_seconds)}, and the limit is {write_seconds(self.limit_seconds)}: "
            f"nothing was judged or decided. POST a newer one to {self.address}/snapshots (observed_at is "
            f"when its interval begins), or raise max_snapshot_age_seconds.{past}{ahead}"
        )


class PatchWithheld(StaleSnapshots):
    """The error that a decision's measurements are too old to send its patch; `why` says since when, and what to do."""

    why: str = ""

    def __str__(self) -> str:
        return f"The patch of this decision about topology {self.name!r} is withheld. {self.why}"


class StoredDataUnusable(TopologyError):
    """The error that stored snapshots lack a value that the computation needs."""

    why: str
    remedy: str = "POST a snapshot with this value."

    text = "The stored data of topology {self.name!r} cannot be used: {self.why} {self.remedy}"
