"""Placements as JSON."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import ConfigDict, Field, JsonValue

from app.described.answers import DiagnosticAnswer
from app.described.topology import Graph
from app.http.fields import Answer, Body, OperatorName, PositiveRate, TopologyName
from app.profiles.schemas import AZURE_BLOB, Points
from app.vm_catalogues.schemas import AZURE_D_SIZES, MOST_SLOTS, VmSizeBody
from planner.placements import mapping as mappers

AllocationName = Literal["lsa", "mba"]
MappingName = Literal["dsm", "rsm", "sam", "collocate"]
RoutingName = Literal["shuffle", "slot-aware"]
AcquisitionName = Literal["largest-first", "cheapest"]

BLOB_TOPOLOGY: dict[str, JsonValue] = {
    "operators": [{"name": "source"}, {"name": "blob"}, {"name": "sink"}],
    "edges": [{"source": "source", "target": "blob"}, {"source": "blob", "target": "sink"}],
}

Profiles = Annotated[
    dict[OperatorName, Points],
    Field(
        description="By operator, or by the name that operators give as their profile; before the library's."
    ),
]


class VmBody(Body):
    """A VM that is there already, all its slots free."""

    name: OperatorName
    slots: Annotated[int, Field(ge=1, le=MOST_SLOTS)]
    size: OperatorName | None = None
    rack: Annotated[OperatorName | None, Field(description="Left out: not known to be any other VM's.")] = (
        None
    )
    hourly_price: Annotated[float | None, Field(ge=0)] = None

    def to_values(self) -> mappers.Vm:
        """What the planner maps onto."""
        return mappers.Vm(self.name, self.slots, self.size, self.rack, self.hourly_price)


class DistanceWeightsBody(Body):
    """What memory, cpu and network count for in the distance of `rsm`."""

    memory: Annotated[float, Field(ge=0, le=1e6)] = 1.0
    cpu: Annotated[float, Field(ge=0, le=1e6)] = 1.0
    network: Annotated[float, Field(ge=0, le=1e6)] = 1.0


class PlacementChoices(Body):
    """How to place: what every placement call takes beside topology and rate."""

    allocation: Annotated[
        AllocationName,
        Field(description="`mba`: by the whole profile. `lsa`: as if threads scaled linearly from one."),
    ] = "mba"
    mapping: Annotated[
        MappingName,
        Field(
            description="`sam`: full bundles on slots of their own. `rsm`: R-Storm's. `dsm`: Storm's round robin. "
            "`collocate`: beside what feeds a thread (Mc-Stream)."
        ),
    ] = "sam"
    routing: Annotated[
        RoutingName,
        Field(
            description="`shuffle`: an equal share to each thread. `slot-aware`: as much as each slot sustains."
        ),
    ] = "shuffle"
    profiles: Profiles = {}
    vm_sizes: Annotated[
        list[VmSizeBody] | None, Field(max_length=100, description="Sizes to acquire VMs of.")
    ] = None
    vm_catalogue: Annotated[
        TopologyName | None, Field(description="Of /v1/vm-catalogues, where vm_sizes is left out.")
    ] = None
    vms: Annotated[
        list[VmBody], Field(max_length=100_000, description="Filled before any are acquired.")
    ] = []
    acquisition: Annotated[
        AcquisitionName,
        Field(description="`largest-first`: the paper's rule. The answer gives what both would buy."),
    ] = "largest-first"
    rsm_weights: DistanceWeightsBody = DistanceWeightsBody()
    compare: Annotated[
        bool, Field(description="Also a table of every allocation × mapping pair under both routings.")
    ] = False


class PlacementRequest(PlacementChoices):
    """Threads, slots and VMs for the topology in the body."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "topology": BLOB_TOPOLOGY,
                    "external_rate": 100.0,
                    "allocation": "mba",
                    "mapping": "sam",
                    "routing": "shuffle",
                    "profiles": {"blob": AZURE_BLOB},
                    "vm_sizes": AZURE_D_SIZES,
                }
            ]
        }
    )

    topology: Graph
    external_rate: PositiveRate


class StoredPlacementRequest(PlacementChoices):
    """The same for a stored topology, by the profiles that its operators name."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"external_rate": 100.0, "profiles": {"detector": AZURE_BLOB}, "vm_sizes": AZURE_D_SIZES}
            ]
        }
    )

    external_rate: Annotated[
        PositiveRate | None, Field(description="Left out: that of the newest snapshot.")
    ] = None


class PlacedSlotBody(Body):
    """Threads by task on one slot."""

    threads: dict[OperatorName, int]


class PlacedVmBody(Body):
    """A VM of a mapping to predict."""

    name: OperatorName
    slots: Annotated[list[PlacedSlotBody], Field(max_length=100_000)]


class PredictionRequest(Body):
    """A mapping, whoever made it, to predict."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "topology": BLOB_TOPOLOGY,
                    "profiles": {"blob": AZURE_BLOB},
                    "vms": [{"name": "a", "slots": [{"threads": {"blob": 50}}, {"threads": {"blob": 20}}]}],
                }
            ]
        }
    )

    topology: Graph
    external_rate: Annotated[
        PositiveRate | None,
        Field(description="For cpu and memory at that rate; left out: at what is sustained."),
    ] = None
    routing: RoutingName = "shuffle"
    profiles: Profiles = {}
    vms: Annotated[list[PlacedVmBody], Field(min_length=1, max_length=100_000)]


class TaskAllocationAnswer(Answer):
    """Threads of one task, and what they take in slots."""

    name: str
    rate: float
    threads: int
    cpu: float
    memory: float
    detail: Annotated[str, Field(description="The arithmetic.")]


class ThreadAllocationAnswer(Answer):
    """ρ = max(⌈ΣC⌉, ⌈ΣM⌉) slots, and the threads of each task."""

    slots: int
    tasks: list[TaskAllocationAnswer]
    detail: str


class SlotUsageAnswer(Answer):
    """Fractions of one slot."""

    cpu: float
    memory: float


class PlacedSlot(SlotUsageAnswer):
    """Threads by task on one slot, and what is reserved for them."""

    threads: dict[str, int]


class PlacedVm(Answer):
    """A VM with all its slots, used or not."""

    name: str
    size: str | None
    rack: str | None
    hourly_price: float | None
    slots: list[PlacedSlot]


class Mapping(Answer):
    """Which thread runs on which slot of which VM."""

    slots_used: int
    slots_available: Annotated[int, Field(description="On all VMs of the answer.")]
    fragmentation: Annotated[
        SlotUsageAnswer, Field(description="Of the slots used, the share that is reserved for nothing.")
    ]
    vms: list[PlacedVm]
    retries: Annotated[int, Field(description="Slots asked for beyond the allocation, one by one.")]


class TaskPredictionAnswer(Answer):
    """What the threads of a task sustain where they are, and the external rate at which they do."""

    name: str
    capacity: float
    rate: float


class VmPredictionAnswer(SlotUsageAnswer):
    """Expected use of a VM, in slots."""

    name: str
    slots: list[SlotUsageAnswer]


class SustainedRateAnswer(Answer):
    """What a mapping sustains."""

    rate: Annotated[
        float | None,
        Field(description="External rate that every task sustains; null: no operator has a profile."),
    ]
    meets_rate: Annotated[
        bool | None,
        Field(description="Whether that is the rate asked for; null = none was, or nothing is known of it."),
    ]
    binding_task: str | None
    routing: RoutingName
    tasks: list[TaskPredictionAnswer]
    vms: Annotated[
        list[VmPredictionAnswer],
        Field(description="At the rate asked for, or the one sustained if that is lower."),
    ]


class PredictionAnswer(SustainedRateAnswer):
    """The same, by itself."""

    diagnostics: list[DiagnosticAnswer]


class PurchaseAnswer(Answer):
    """VMs to acquire by one rule."""

    vms: Annotated[dict[str, int], Field(description="How many of which size.")]
    slots: int
    hourly_price: float


class Acquisition(Answer):
    """What was acquired, and what both rules would have acquired for as many slots."""

    rule: AcquisitionName
    slots_asked: int
    largest_first: PurchaseAnswer
    cheapest: PurchaseAnswer


class ComparedPairAnswer(Answer):
    """One allocation with one mapping; null where there is no placement, and why."""

    allocation: AllocationName
    mapping: MappingName
    slots: int | None = None
    slots_used: int | None = None
    slots_available: int | None = None
    retries: int | None = None
    vms: int | None = None
    hourly_price: float | None = None
    rate_shuffle: float | None = None
    rate_slot_aware: float | None = None
    binding_task: str | None = None
    reason: str | None = None


class UsedProfile(Answer):
    """Where the profile of a task came from."""

    task: str
    profile: str
    version: Annotated[int | None, Field(description="In the library; null = came with the request.")]


class PlacementAnswer(Answer):
    """Allocation, mapping, prediction and price in one."""

    id: UUID | None = None
    created_at: datetime | None = None
    external_rate: float
    allocation: ThreadAllocationAnswer
    mapping: Mapping
    prediction: SustainedRateAnswer
    acquisition: Acquisition
    hourly_price: Annotated[float, Field(description="Of all VMs of the mapping that have a price.")]
    comparison: list[ComparedPairAnswer] | None = None
    profiles: list[UsedProfile]
    diagnostics: list[DiagnosticAnswer]


class PlacementSummary(Answer):
    """A line of the history."""

    id: UUID
    created_at: datetime
    revision: int
    external_rate: float
    slots_used: int
    hourly_price: float
    rate: Annotated[float | None, Field(description="That is sustained; null: no operator has a profile.")]


class PlacementPage(Answer):
    """Placements, newest first; `next` is the address of the following page."""

    items: list[PlacementSummary]
    next: str | None = None
