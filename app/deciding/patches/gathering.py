"""Reads what the patch of a decision needs: the bounds of operators, the names that the engine uses, and the standing
decision.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from pydantic import JsonValue
from sqlalchemy.orm import Session

from app.database.tables import EngineMarksRow, PolicyRow
from app.deciding.decisions.history import find_decision
from app.deciding.decisions.schemas import DecisionAnswer
from app.deciding.policies.schemas import PolicyBody
from app.deciding.standing import find_standing_id
from app.load.bodies.topology import Graph
from app.load.measurements.stored_topologies import StoredTopology, find_topology

Bounds = Mapping[str, tuple[int, int | None]]


@dataclass(frozen=True)
class GatheredPatch:
    """The stored data from which a patch is made. `engine` is the engine whose answers were stored last ("" for none),
    and `marks` are the names that this engine uses.

    `standing` is the id of the topology's standing decision. `bounds` follow from the present topology and the
    decision's policy; `bounds_now` also follow from the stored policy.
    """

    decision: DecisionAnswer
    bounds: Bounds
    bounds_now: Bounds
    engine: str
    marks: Mapping[str, JsonValue]
    seen_at: datetime | None
    standing: UUID | None
    revision: int


def gather_patch(session: Session, decision_id: UUID) -> GatheredPatch:
    """Reads a decision, and the topology of the decision as it is now."""
    decision = find_decision(session, decision_id)
    stored = find_topology(session, decision.basis.topology)
    row, kept = session.get(EngineMarksRow, stored.id), session.get(PolicyRow, stored.id)
    policy = None if kept is None else PolicyBody.model_validate(kept.policy)
    return GatheredPatch(
        decision=decision,
        bounds=read_bounds(stored, decision.policy),
        bounds_now=read_bounds(stored, decision.policy if policy is None else policy),
        engine=row.engine if row else "",
        marks=row.marks if row else {},
        seen_at=row.seen_at if row else None,
        standing=find_standing_id(session, stored),
        revision=stored.revision,
    )


def read_bounds(stored: StoredTopology, policy: PolicyBody) -> Bounds:
    """Returns the least and the most processors that topology and policy together allow each operator."""
    bounds: dict[str, tuple[int, int | None]] = {}
    for operator in Graph.model_validate(stored.definition).operators:
        own = policy.bounds.get(operator.name)
        state = policy.states.get(operator.name)
        most = [
            limit
            for limit in (
                operator.max_processors,
                operator.max_parallelism,
                own.max_processors if own else None,
                state.key_groups if state else None,
            )
            if limit is not None
        ]
        least = max(operator.min_processors, own.min_processors if own else 1)
        bounds[operator.name] = (least, min(most) if most else None)
    return bounds
