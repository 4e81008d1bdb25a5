"""The planner's predictions as JSON."""

from dataclasses import asdict

from app.machines.predictions.schemas import SustainedRateAnswer
from planner.placements.sustained_rate import Prediction


def to_sustained_rate(
    prediction: Prediction, routing: str, external_rate: float | None
) -> SustainedRateAnswer:
    """The rate that a mapping sustains under a routing, beside the rate asked for."""
    return SustainedRateAnswer.model_validate(
        asdict(prediction) | {"routing": routing, "meets_rate": prediction.meets(external_rate)}
    )
