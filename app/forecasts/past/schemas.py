"""Past forecasts as JSON."""

from typing import Annotated
from uuid import UUID

from pydantic import Field, JsonValue

from app.web.fields import Answer, UtcTime, show_example

EXAMPLE: dict[str, JsonValue] = {
    "decision_id": "0b1f7c62-6f0c-4b7e-9a53-9d3c1c3c7f10",
    "decided_for": "2026-11-18T00:10:00Z",
    "until": "2026-11-18T00:16:00Z",
    "expected_rate": 322.0,
    "upper_rate": 351.0,
    "quantile": 0.95,
    "model": "average-of-three",
    "came_rate": 329.4,
    "is_complete": True,
    "covered": True,
}


class PastForecast(Answer):
    """The forecast of a decision for the highest rate of the coming cooldown, and the highest rate measured then."""

    decision_id: UUID
    decided_for: UtcTime
    until: Annotated[UtcTime, Field(description="The end of the time that was forecast.")]
    expected_rate: float
    upper_rate: float
    quantile: float
    model: str
    came_rate: Annotated[
        float | None, Field(description="The highest rate measured in that time; null: nothing was measured.")
    ]
    is_complete: Annotated[bool, Field(description="Whether snapshots reach to the end of that time.")]
    covered: Annotated[
        bool | None,
        Field(
            description="Whether came_rate is at most upper_rate; null: the time is not over, or nothing was measured."
        ),
    ]


class PastForecasts(Answer):
    """The forecasts of the newest decisions, oldest first, and how often they covered the measured rate."""

    model_config = show_example(
        {
            "judged": 1,
            "covered": 1,
            "coverage": 1.0,
            "wanted": 0.95,
            "mean_error": -0.02,
            "items": [EXAMPLE],
        }
    )

    judged: Annotated[int, Field(description="Forecasts whose whole time was measured.")]
    covered: int
    coverage: Annotated[float | None, Field(description="covered / judged; null: none was judged.")]
    wanted: Annotated[
        float | None, Field(description="The mean quantile of the judged forecasts: coverage should be this.")
    ]
    mean_error: Annotated[
        float | None,
        Field(
            description="Mean of expected_rate / came_rate - 1 over the judged forecasts; above 0: too high."
        ),
    ]
    items: list[PastForecast]
