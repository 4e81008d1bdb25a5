"""Plans of a fleet as JSON: the budget and the topologies that share it, and what each gets."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from app.load.bodies.answers import PurchaseAnswer
from app.load.bodies.load import LoadBody
from app.load.bodies.terms import KMax, TMax
from app.load.bodies.topology import Graph
from app.machines.placements.schemas import VmBody
from app.web.fields import MOST_BUDGET, Answer, Body, OperatorName, Processors, TopologyName, show_example

MOST_NEW = 20
Names = Annotated[list[TopologyName], Field(min_length=1, max_length=10_000)]
Weight = Annotated[float, Field(ge=1e-6, le=1e6)]
Priority = Annotated[int, Field(ge=-1000, le=1000)]


class LabelFilter(Body):
    """The topologies with one label."""

    label: OperatorName


class NewTopology(Body):
    """A job that does not run yet: is there room for it?"""

    name: TopologyName
    topology: Graph
    load: LoadBody
    t_max_seconds: TMax | None = None
    weight: Weight = 1.0
    priority: Priority = 0


class FleetRequest(Body):
    """A budget, and the stored topologies that share it: all, those with a label, or those named."""

    model_config = show_example({"k_max": 500, "topologies": {"label": "prod"}, "load_factor": 1.3})

    k_max: KMax | None = None
    slots: Annotated[
        int | None,
        Field(
            ge=1,
            le=MOST_BUDGET,
            description="Instead of k_max; a processor takes one, or its part by a profile.",
        ),
    ] = None
    vms: Annotated[
        list[VmBody],
        Field(max_length=10_000, description="Instead: their slots."),
    ] = []
    vm_catalogue: Annotated[TopologyName | None, Field(description="Instead: what `hourly_price` buys.")] = (
        None
    )
    hourly_price: Annotated[float | None, Field(ge=1e-9, le=1e9)] = None
    lost_vms: Annotated[list[str], Field(max_length=1000, description="What if these are lost?")] = []
    topologies: Names | LabelFilter | None = None
    weights: Annotated[
        dict[str, Weight], Field(description="How much a topology's time counts; left out: 1.")
    ] = {}
    priorities: Annotated[
        dict[str, Priority],
        Field(description="Targets of higher numbers are met first; left out: 0."),
    ] = {}
    floors: Annotated[
        dict[str, Processors], Field(description="The fewest processors of a topology in all.")
    ] = {}
    lost_processors: Annotated[
        int,
        Field(ge=0, le=MOST_BUDGET, description="What if so many are lost?"),
    ] = 0
    load_factor: Annotated[
        float, Field(ge=0, le=1e6, description="What if all rates are so many times as high?")
    ] = 1.0
    price: Annotated[
        float,
        Field(
            ge=0,
            le=1e15,
            description="Weighted seconds of E[T] that a processor beyond the targets must save.",
        ),
    ] = 0.0
    new: Annotated[list[NewTopology], Field(max_length=MOST_NEW, description="What if these jobs come?")] = []

    @model_validator(mode="after")
    def has_one_budget(self) -> "FleetRequest":
        """Refuses no budget, and two."""
        given = [
            self.k_max is not None,
            self.slots is not None,
            bool(self.vms),
            self.vm_catalogue is not None,
        ]
        if sum(given) != 1:
            raise ValueError("must have one of k_max, slots, vms and vm_catalogue")
        if (self.vm_catalogue is None) != (self.hourly_price is None):
            raise ValueError("must have vm_catalogue and hourly_price together")
        known = {one.name for one in self.vms}
        if len(known) < len(self.vms) or not known.issuperset(self.lost_vms):
            raise ValueError("must have different names in vms, and only these in lost_vms")
        return self


class FleetTopology(Answer):
    """What one topology gets of the budget."""

    name: str
    state: Annotated[
        Literal["planned", "new", "held"],
        Field(description="held: keeps what runs, for the reason in `detail`."),
    ]
    priority: int
    running: int | None
    processors: dict[str, int]
    processors_total: int
    slots: Annotated[int | None, Field(description="By profiles, of a budget in slots.")] = None
    needed: Annotated[int | None, Field(description="The fewest processors that meet the target.")]
    expected_sojourn_seconds: float | None
    target_seconds: float | None
    meets: Annotated[bool | None, Field(description="null: no target of time, or held.")]
    one_more_seconds: Annotated[
        float | None, Field(description="Change of E[T] by one processor more, at `next_operator`.")
    ]
    next_operator: str | None
    lost: Annotated[str | None, Field(description="Why the target is missed, and who has the processors.")]
    detail: str | None


class FleetCost(Answer):
    """A topology that waits longer because of the new jobs."""

    name: str
    processors: Annotated[int, Field(description="The change of its processors.")]
    before_seconds: float
    after_seconds: float
    meets: bool | None


class FleetAdmission(Answer):
    """Whether the new jobs fit, and at whose cost."""

    admitted: Annotated[
        bool,
        Field(description="They meet their targets, and break none."),
    ]
    detail: str
    costs: list[FleetCost]


class FleetVm(Answer):
    """A VM and its threads, by topology and operator."""

    name: str
    slots: int
    free_slots: int
    threads: dict[str, dict[str, int]]


class FleetPlacement(Answer):
    """Which VM holds which threads."""

    vms: list[FleetVm]
    moved: Annotated[
        int | None,
        Field(description="Threads that run elsewhere now; null: not known."),
    ]
    acquired: Annotated[PurchaseAnswer | None, Field(description="null: VMs were given.")]
    detail: str


class FleetBudget(Answer):
    """How far the budget goes."""

    fits: Annotated[bool, Field(description="Every target is met, and nothing is held.")]
    unit: Literal["processors", "slots"] = "processors"
    k_max: Annotated[int, Field(description="The budget without what is lost.")]
    needed: Annotated[int, Field(description="The least budget for every target that can be met.")]
    processors_total: int
    unused_processors: int
    optimal: Annotated[bool, Field(description="It is shown that no other share is better.")]
    detail: str


class FleetPlanAnswer(FleetBudget):
    """The best share of the budget; without room for the new jobs, the share without them."""

    topologies: list[FleetTopology]
    placement: Annotated[FleetPlacement | None, Field(description="null: the budget is not of VMs.")] = None
    admission: FleetAdmission | None = None
