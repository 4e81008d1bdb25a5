"""From the planner's verdict to the JSON of a gate."""

from app.planning.gates.schemas import GateAnswer
from planner.gates.verdict import Verdict

VERDICT_FIELDS = ("passed", "checks", "binding_operator", "headroom_rate", "suggestion", "processors")


def to_gate_answer(verdict: Verdict) -> GateAnswer:
    """The verdict as the JSON that the gate routes answer."""
    judged = {field: getattr(verdict, field) for field in VERDICT_FIELDS}
    return GateAnswer.model_validate(
        verdict.estimate._asdict() | judged | {"processors_origin": verdict.origin}
    )
