"""tradeoff: processors weighed against waiting tuples, operator by operator (Es-Stream)."""

from typing import Annotated

from pydantic import ConfigDict, Field

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.terms import Beta, Described, Measured, ModelName, QuantileTerms
from app.load.bodies.topology import FPD
from app.planning.objectives.plan_objective import PlanObjective, TermOption
from app.web.fields import Body
from planner.plans.tradeoff import tradeoff
from planner.values import Load, Plan, Topology

EsStreamModel = Annotated[ModelName, Field(description="Es-Stream's own is M/M/k.")]


class TradeoffTerms(Body):
    """The weight of a processor against that of a waiting tuple."""

    beta: Beta


class TradeoffRequest(QuantileTerms, Described, TradeoffTerms):
    """Processors weighed operator by operator."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"topology": FPD, "load": FPD_LOAD, "beta": 0.5}]}
    )

    model: EsStreamModel = "mmk"


class StoredTradeoffRequest(QuantileTerms, Measured, TradeoffTerms):
    """Processors of a stored topology, weighed operator by operator."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"beta": 0.5}]})

    model: EsStreamModel = "mmk"


def plan_tradeoff(topology: Topology, load: Load, body: TradeoffRequest | StoredTradeoffRequest) -> Plan:
    """The planner's answer to either body."""
    return tradeoff(topology, load, body.beta, body.model)


TRADEOFF = PlanObjective(
    name="tradeoff",
    summary="Processors weighed against waiting tuples",
    description="Minimises beta·k + (1 - beta)·Q(k) at each operator, Q the tuples in it (Es-Stream); nothing is "
    "stored.\n\nAn operator that its max_processors leaves short sends less to those behind it, and `stable` is false.",
    command_help="Processors weighed against waiting tuples, operator by operator (Es-Stream).",
    request=TradeoffRequest,
    stored_request=StoredTradeoffRequest,
    plan=plan_tradeoff,
    options=(
        TermOption("beta", ("--beta",), "Weight of a processor, between 0 and 1; the rest is a tuple's."),
    ),
    problems=("bound-too-small",),
)
