"""/v1/topologies/{name}/decisions: decides what to do now and why, and reads stored decisions."""

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response
from sqlalchemy.orm import Session

from app.database.connections.transactions import SessionDep
from app.deciding.decisions import history, service
from app.deciding.decisions.answers import draw_decision
from app.deciding.decisions.schemas import PROBLEMS, Action, DecisionAnswer, DecisionRequest
from app.web.callers.security import may_read, may_store
from app.web.fields import TopologyName, UtcTime
from app.web.negotiation import FORMS, Accept, answer_in_form, choose_form
from app.web.overload.admission import computes, draws
from app.web.paging import PageDep, ask_from, ask_to
from app.web.problems.documented_problems import BODY
from app.web.routing import NOT_STORED, SettingsDep, StrictJsonRoute, declare, tell_created

router = APIRouter(prefix="/v1", tags=["decisions"], route_class=StrictJsonRoute)
OF_TOPOLOGY = "/topologies/{name}/decisions"


@router.post(
    OF_TOPOLOGY, status_code=201, **declare(may_store, "Decide and store", *PROBLEMS, *BODY, also=NOT_STORED)
)
@computes
def decide(
    name: TopologyName,
    session: SessionDep,
    settings: SettingsDep,
    response: Response,
    body: DecisionRequest | None = None,
) -> DecisionAnswer:
    """Decides to hold, scale up, scale down or rebalance, by the policy and the newest snapshots; nothing is
    actuated.
    """
    decision = service.store_decision(session, name, body or DecisionRequest(), settings)
    tell_created(response, "decisions", decision.id, is_answered=True)
    return decision


@router.get(OF_TOPOLOGY, **declare(may_read, "List decisions", "unknown-topology"))
def list_decisions(
    name: TopologyName,
    page: PageDep,
    session: SessionDep,
    since: Annotated[
        UtcTime | None, ask_from("Only decisions on data that ended at this time or later.")
    ] = None,
    until: Annotated[UtcTime | None, ask_to("Only decisions on data that ended before this time.")] = None,
    action: Annotated[Action | None, Query(description="Only decisions with this action.")] = None,
) -> history.DecisionPage:
    """The decisions about a topology, newest first, each with its outcome."""
    return history.list_decisions(session, name, page, history.Picked(since, until, action))


@router.get(
    OF_TOPOLOGY + "/latest",
    response_model=DecisionAnswer,
    **declare(may_read, "Read the standing decision", "unknown-topology", "unknown-decision", pictures=True),
)
@draws
def get_latest_decision(name: TopologyName, session: SessionDep, accept: Accept = None) -> Response:
    """The decision on the newest data for the present revision and policy, without trials (another policy, or
    newer snapshots left out).

    JSON, or the graph of its operators as PNG or SVG, by `Accept`.
    """
    return answer_decision(session, history.find_latest(session, name), accept)


@router.get(
    "/decisions/{decision_id:uuid}",
    response_model=DecisionAnswer,
    **declare(may_read, "Read a decision", "unknown-decision", pictures=True),
)
@draws
def get_decision(decision_id: UUID, session: SessionDep, accept: Accept = None) -> Response:
    """The decision as it was answered; if it belongs to a recommendation, with the forecast and the placement.

    JSON, or the graph of its operators as PNG or SVG, by `Accept`.
    """
    return answer_decision(session, history.find_decision(session, decision_id), accept)


def answer_decision(session: Session, decision: DecisionAnswer, accept: str | None) -> Response:
    """Answers the decision as JSON, PNG or SVG, whichever the caller accepts."""
    form = choose_form(accept, FORMS)
    draw = partial(draw_decision, topology=history.find_topology_of(session, decision))
    return answer_in_form(decision, form, draw)
