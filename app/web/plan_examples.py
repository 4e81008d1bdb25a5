"""The answers of an estimate and of a plan to their own examples, computed for the OpenAPI document."""

from typing import Any

from app.load.bodies.answers import to_estimate_answer
from app.load.bodies.load import FPD_LOAD, LoadBody
from app.load.bodies.topology import FPD, Graph
from app.planning.plans.answers import to_plan_answer
from planner.plans.estimation import estimate
from planner.plans.optimal import min_latency


def show_plan_answers(document: dict[str, Any]) -> None:
    """Puts beside both calls, stateless and stored, what they answer to their own example."""
    topology = Graph.model_validate(FPD).to_values()
    load = LoadBody.model_validate(FPD_LOAD).to_values()
    answers = {
        "estimate": to_estimate_answer(estimate(topology, load)),
        "plans/min-latency": to_plan_answer(min_latency(topology, load, 22)),
    }
    for call, answer in answers.items():
        name = f"{call.rpartition('/')[2]}-answer"
        value = round_numbers(answer.model_dump(mode="json", exclude_none=True))
        document["components"].setdefault("examples", {})[name] = {"value": value}
        for path in (f"/v1/{call}", f"/v1/topologies/{{name}}/{call}"):
            answered = document["paths"][path]["post"]["responses"]["200"]["content"]["application/json"]
            answered["examples"] = {"fpd": {"$ref": f"#/components/examples/{name}"}}


def round_numbers(value: Any) -> Any:
    """Every float with six digits: short, and the same on machines whose logarithms differ in the last digit."""
    if isinstance(value, dict):
        return {name: round_numbers(one) for name, one in value.items()}
    if isinstance(value, list):
        return [round_numbers(one) for one in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value
