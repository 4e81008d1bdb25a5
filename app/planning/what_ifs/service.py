"""Answers a what-if question: gathers once, computes, and stores nothing."""

from sqlalchemy.orm import Session

from app.deciding.policies.service import find_goal
from app.load.measurements.freshness import describe_age
from app.load.measurements.load import Gathered, gather
from app.planning.what_ifs.answers import to_what_if_answer
from app.planning.what_ifs.schemas import WhatIfAnswer, WhatIfRequest
from app.serving.observability import time_planner
from app.settings import Settings
from app.web.error_pointers import STORED, blaming_what_is_stored
from planner.gates.what_if import WhatIfTerms, explore

PLACES = STORED | {"external_rate": "/load_factor"}


def ask_what_if(session: Session, name: str, body: WhatIfRequest, settings: Settings) -> WhatIfAnswer:
    """What another load, budget or target would mean for a stored topology."""
    found = gather(session, name, body, settings)
    terms = find_terms(session, found, body)
    aged = describe_age(session, found)
    with time_planner("what_if"), blaming_what_is_stored(name, PLACES):
        explored = explore(found.topology, found.load, terms, body.model)
    return to_what_if_answer(explored, terms, found, aged)


def find_terms(session: Session, found: Gathered, body: WhatIfRequest) -> WhatIfTerms:
    """The terms asked for; without budget and target those of the topology's policy."""
    t_max, k_max = body.t_max_seconds, body.k_max
    if t_max is None and k_max is None:
        goal = find_goal(session, found.stored)
        if goal is not None:
            t_max, k_max = goal.find_t_max_seconds(), goal.k_max
    return WhatIfTerms(body.load_factor, t_max, k_max)
