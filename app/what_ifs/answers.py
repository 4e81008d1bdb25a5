"""A what-if answer as JSON."""

from collections.abc import Sequence
from typing import Any

from app.described.answers import DiagnosticAnswer, to_estimate_answer
from app.gates.answers import to_gate_answer
from app.measured.load import Gathered
from app.what_ifs.schemas import WhatIfAnswer
from planner.gates.what_if import Explored, WhatIfTerms
from planner.values import Plan


def to_what_if_answer(
    explored: Explored, terms: WhatIfTerms, found: Gathered, aged: Sequence[DiagnosticAnswer]
) -> WhatIfAnswer:
    """What the planner found, with the terms and the stored data that it rests on."""
    said = [DiagnosticAnswer.model_validate(one) for one in found.diagnostics + explored.diagnostics]
    return WhatIfAnswer.model_validate(
        {
            "load_factor": terms.load_factor,
            "external_rate": explored.external_rate,
            "t_max_seconds": terms.t_max_seconds,
            "k_max": explored.k_max,
            "current": None if explored.current is None else to_estimate_answer(explored.current),
            "planned": None if explored.planned is None else to_planned(explored.planned),
            "gate": None if explored.verdict is None else to_gate_answer(explored.verdict),
            "frontier": explored.frontier,
            "diagnostics": [*said, *aged],
            "basis": found.basis,
        }
    )


def to_planned(plan: Plan) -> dict[str, Any]:
    """The plan without its explanation."""
    return plan.estimate._asdict() | {
        "objective": plan.objective,
        "processors": plan.processors,
        "optimal": plan.optimal,
    }
