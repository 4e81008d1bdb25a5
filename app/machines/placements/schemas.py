"""The requests and answers of placements as JSON."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from app.load.bodies.answers import DiagnosticAnswer, PurchaseAnswer
from app.load.bodies.series import MOST_SLOTS, VmSizeBody
from app.load.bodies.topology import Graph
from app.machines.predictions import BLOB_TOPOLOGY, RoutingName, SlotUsageAnswer, SustainedRateAnswer
from app.machines.profiles.schemas import BLOB_ENDS, ProfilesByName
from app.machines.vm_catalogues import AZURE_D_SIZES
from app.web.fields import (
    Answer,
    Body,
    NextPage,
    OperatorName,
    PositiveRate,
    StoredFields,
    TopologyName,
    show_example,
)
from planner.placements.mappers import mapping as mappers

AllocationName = Literal["lsa", "mba"]
MappingName = Literal["dsm", "rsm", "sam", "collocate"]
AcquisitionName = Literal["largest-first", "cheapest"]


class VmBody(Body):
    """A VM that exists already, with all its slots free."""

    name: OperatorName
    slots: Annotated[int, Field(ge=1, le=MOST_SLOTS)]
    size: OperatorName | None = None
    rack: Annotated[
        OperatorName | None, Field(description="Left out: the VM shares its rack with no other VM.")
    ] = None
    hourly_price: Annotated[float | None, Field(ge=0, le=1e15)] = None

    def to_values(self) -> mappers.Vm:
        """Returns the VM as a value of the planner."""
        return mappers.Vm(self.name, self.slots, self.size, self.rack, self.hourly_price)


class DistanceWeightsBody(Body):
    """The weights of memory, cpu and network in the distance by which `rsm` chooses slots."""

    memory: Annotated[float, Field(ge=0, le=1e6)] = 1.0
    cpu: Annotated[float, Field(ge=0, le=1e6)] = 1.0
    network: Annotated[float, Field(ge=0, le=1e6)] = 1.0


class PlacementChoices(Body):
    """The fields of every placement call except topology and rate."""

    allocation: Annotated[
        AllocationName,
        Field(description="`mba`: by the whole profile. `lsa`: as if threads scaled linearly from one."),
    ] = "mba"
    mapping: Annotated[
        MappingName,
        Field(
            description="`sam`: whole slots for full bundles of threads. `rsm`: the mapping of R-Storm. `dsm`: Storm's "
            "round robin. `collocate`: threads on VMs of upstream threads (Mc-Stream)."
        ),
    ] = "sam"
    routing: Annotated[
        RoutingName,
        Field(
            description="`shuffle`: an equal share to each thread. `slot-aware`: as much as each slot sustains."
        ),
    ] = "shuffle"
    profiles: ProfilesByName = {}
    vm_sizes: Annotated[
        list[VmSizeBody] | None, Field(max_length=100, description="The VM sizes that can be acquired.")
    ] = None
    vm_catalogue: Annotated[
        TopologyName | None,
        Field(description="Name of a catalogue in /v1/vm-catalogues, used if vm_sizes is left out."),
    ] = None
    vms: Annotated[
        list[VmBody],
        Field(max_length=100_000, description="Existing VMs; they are filled before others are acquired."),
    ] = []
    acquisition: Annotated[
        AcquisitionName,
        Field(
            description="`largest-first`: the rule of Shukla and Simmhan. The answer gives the purchases of both rules."
        ),
    ] = "largest-first"
    rsm_weights: DistanceWeightsBody = DistanceWeightsBody()
    compare: Annotated[
        bool, Field(description="Add a table of every allocation × mapping pair under both routings.")
    ] = False


class PlacementRequest(PlacementChoices):
    """Threads, slots and VMs for the topology in the body."""

    model_config = show_example(
        {
            "topology": BLOB_TOPOLOGY,
            "external_rate": 100.0,
            "allocation": "mba",
            "mapping": "sam",
            "routing": "shuffle",
            "profiles": {"blob": BLOB_ENDS},
            "vm_sizes": AZURE_D_SIZES,
        }
    )

    topology: Graph
    external_rate: PositiveRate


class StoredPlacementRequest(PlacementChoices):
    """Threads, slots and VMs for a stored topology, by the profiles that its operators name."""

    model_config = show_example(
        {"external_rate": 100.0, "profiles": {"detector": BLOB_ENDS}, "vm_sizes": AZURE_D_SIZES}
    )

    external_rate: Annotated[
        PositiveRate | None, Field(description="Left out: the rate of the newest snapshot.")
    ] = None


class TaskAllocationAnswer(Answer):
    """The threads of one task, and the cpu and memory that these threads take, in slots."""

    name: str
    rate: float
    threads: int
    cpu: float
    memory: float
    detail: Annotated[str, Field(description="The arithmetic.")]


class ThreadAllocationAnswer(Answer):
    """The threads of each task, and the slots for all: the larger of total cpu and total memory, rounded up."""

    slots: int
    tasks: list[TaskAllocationAnswer]
    detail: str


class PlacedSlotAnswer(SlotUsageAnswer):
    """The threads on one slot by task, with the cpu and memory reserved for them."""

    threads: dict[str, int]


class PlacedVmAnswer(Answer):
    """A VM with all its slots, used or not."""

    name: str
    size: str | None
    rack: str | None
    hourly_price: float | None
    slots: list[PlacedSlotAnswer]


class MappingAnswer(Answer):
    """Which thread runs on which slot of which VM."""

    slots_used: int
    slots_available: Annotated[int, Field(description="The slots of all VMs in the answer.")]
    fragmentation: Annotated[
        SlotUsageAnswer, Field(description="The share of the used slots that is not reserved.")
    ]
    vms: list[PlacedVmAnswer]
    retries: Annotated[
        int, Field(description="Slots added to the allocation, one by one, until the mapper had room.")
    ]


class AcquisitionAnswer(Answer):
    """The chosen rule of acquisition, and the VMs that both rules choose for the same number of slots."""

    rule: AcquisitionName
    slots_asked: int
    largest_first: PurchaseAnswer
    cheapest: PurchaseAnswer


class ComparedPairAnswer(Answer):
    """One allocation with one mapping; if it cannot be placed, the numbers are null and `reason` explains it."""

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


class UsedProfileAnswer(Answer):
    """The profile that was used for a task."""

    task: str
    profile: str
    version: Annotated[
        int | None, Field(description="The stored version; null: the profile came with the request.")
    ]


class PlacementAnswer(StoredFields):
    """A placement: allocation, mapping, prediction, acquisition and price."""

    external_rate: float
    allocation: ThreadAllocationAnswer
    mapping: MappingAnswer
    prediction: SustainedRateAnswer
    acquisition: AcquisitionAnswer
    hourly_price: Annotated[
        float, Field(description="The sum over all VMs of the mapping that have a price.")
    ]
    comparison: list[ComparedPairAnswer] | None = None
    profiles: list[UsedProfileAnswer]
    diagnostics: list[DiagnosticAnswer]


class PlacementSummary(Answer):
    """A stored placement as an item of a list."""

    id: UUID
    created_at: datetime
    revision: int
    external_rate: float
    slots_used: int
    hourly_price: float
    rate: Annotated[float | None, Field(description="The sustained rate; null: no operator has a profile.")]


class PlacementPage(Answer):
    """Placements, newest first."""

    items: list[PlacementSummary]
    next: NextPage = None
