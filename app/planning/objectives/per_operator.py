"""The objectives that plan each operator separately: tradeoff (Es-Stream) and proportional (Mc-Stream)."""

from typing import Annotated

from pydantic import Field

from app.load.bodies.load import PAIR_LOAD
from app.load.bodies.terms import Beta, Described, Measured, ModelName, QuantileTerms
from app.load.bodies.topology import PAIR
from app.planning.objectives.objective import PlanObjective, TermOption
from app.web.fields import Body, OperatorName, show_example
from planner.plans.proportional import proportional
from planner.plans.tradeoff import tradeoff
from planner.values import Load, Plan, Topology

EsStreamModel = Annotated[ModelName, Field(description="Es-Stream's own is M/M/k.")]


class TradeoffTerms(Body):
    """The weight of a processor against the weight of a waiting tuple."""

    beta: Beta


class TradeoffRequest(QuantileTerms, Described, TradeoffTerms):
    """Processors weighed operator by operator."""

    model_config = show_example({"topology": PAIR, "load": PAIR_LOAD, "beta": 0.5})

    model: EsStreamModel = "mmk"


class StoredTradeoffRequest(QuantileTerms, Measured, TradeoffTerms):
    """Processors of a stored topology, weighed operator by operator."""

    model_config = show_example({"beta": 0.5})

    model: EsStreamModel = "mmk"


def plan_tradeoff(topology: Topology, load: Load, body: TradeoffRequest | StoredTradeoffRequest) -> Plan:
    """Returns the plan that weighs processors against waiting tuples for each operator."""
    return tradeoff(topology, load, body.beta, body.model)


TRADEOFF = PlanObjective(
    name="tradeoff",
    call="tradeoff",
    summary="Processors weighed against waiting tuples",
    description="Minimises beta·k + (1 - beta)·Q(k) at each operator, Q the tuples in it (Es-Stream); nothing is "
    "stored.\n\nAn operator that its max_processors leaves short sends less to those behind it, and `stable` is false.",
    command_help="Processors weighed against waiting tuples, operator by operator (Es-Stream).",
    request=TradeoffRequest,
    stored_request=StoredTradeoffRequest,
    plan=plan_tradeoff,
    options=(
        TermOption("beta", ("--beta",), "The weight of a processor, between 0 and 1; a tuple has the rest."),
    ),
    problems=("bound-too-small",),
)


Tolerance = Annotated[
    float,
    Field(
        ge=1e-9,
        lt=1,
        description="Stop when one more processor of the first operator saves no larger part of E[T].",
    ),
]
Capacities = Annotated[
    dict[OperatorName, Annotated[float, Field(ge=1e-6, le=1e6)]] | None,
    Field(
        description="The speed of each operator's node, relative to the node of the measured "
        "service_rate; left out: 1."
    ),
]


class ProportionalTerms(Body):
    """When a plan in proportion to work stops growing, and the relative speed of the nodes."""

    tolerance: Tolerance = 0.01
    capacities: Capacities = None


class ProportionalRequest(QuantileTerms, Described, ProportionalTerms):
    """Processors in proportion to work."""

    model_config = show_example({"topology": PAIR, "load": PAIR_LOAD, "tolerance": 0.01})


class StoredProportionalRequest(QuantileTerms, Measured, ProportionalTerms):
    """Processors of a stored topology in proportion to work."""

    model_config = show_example({"tolerance": 0.01})


def plan_proportional(
    topology: Topology, load: Load, body: ProportionalRequest | StoredProportionalRequest
) -> Plan:
    """Returns the plan that gives each operator processors in proportion to its work."""
    return proportional(topology, load, body.tolerance, body.capacities, body.model)


PROPORTIONAL = PlanObjective(
    name="proportional",
    call="proportional",
    summary="Processors in proportion to work",
    description="Adds processors to the first operator until they no longer pay, and to the others in proportion "
    "(Mc-Stream); nothing is stored.",
    command_help="Processors in proportion to the work of each operator (Mc-Stream).",
    request=ProportionalRequest,
    stored_request=StoredProportionalRequest,
    plan=plan_proportional,
    options=(
        TermOption(
            "tolerance", ("--tolerance",), "Stop when one more processor saves no larger part of E[T]."
        ),
    ),
    problems=("invalid-load", "bound-too-small"),
)
