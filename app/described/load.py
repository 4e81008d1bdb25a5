"""The measured load of a topology as JSON."""

from typing import Annotated

from pydantic import ConfigDict, Field, JsonValue, ValidationInfo, field_validator

from app.http.fields import (
    Body,
    OperatorName,
    PositiveRate,
    Processors,
    ProcessorsBasis,
    Rate,
    Scv,
    Seconds,
    UtcTime,
)
from planner import values

FPD_MEASURED: dict[str, JsonValue] = {
    "generator": {"service_rate": 80.0, "arrival_scv": 1.0, "service_scv": 1.3, "processors": 6},
    "detector": {"arrival_rate": 1422.2, "service_rate": 130.0, "processors": 13},
    "reporter": {"service_rate": 40.0, "processors": 3},
}
FPD_LOAD: dict[str, JsonValue] = {
    "observed_at": "2026-11-18T00:00:00Z",
    "window_seconds": 60,
    "external_rate": 320.0,
    "measured_sojourn_seconds": 0.41,
    "operators": FPD_MEASURED,
}


class OperatorLoadBody(Body):
    """What was measured at one operator; what was not may be left out."""

    service_rate: Annotated[
        PositiveRate | None,
        Field(
            description="Tuples per second that ONE processor serves; a plan needs it; null if nothing was served."
        ),
    ] = None
    arrival_rate: Annotated[Rate | None, Field(description="Left out: what the flow brings.")] = None
    arrival_scv: Annotated[
        Scv | None, Field(description="SCV of the times between arrivals; left out: 1.")
    ] = None
    service_scv: Annotated[Scv | None, Field(description="SCV of the service times; left out: 1.")] = None
    processors: Annotated[Processors | None, Field(description="How many are running.")] = None
    processors_basis: ProcessorsBasis | None = None


class LoadBody(Body):
    """What was measured of a topology."""

    model_config = ConfigDict(json_schema_extra={"examples": [FPD_LOAD]})

    observed_at: Annotated[UtcTime | None, Field(description="Where the interval begins.")] = None
    window_seconds: Annotated[Seconds, Field(description="How long it is.")] = 60.0
    covered_seconds: Annotated[
        Seconds | None,
        Field(
            description="How much of it was measured, at most window_seconds; rates are per second of this time. "
            "Left out: all of it."
        ),
    ] = None
    external_rate: Annotated[Rate, Field(description="Tuples per second that enter from outside.")]
    measured_sojourn_seconds: Annotated[
        float | None, Field(ge=0, le=1e15, description="Measured total time in operators per external tuple.")
    ] = None
    operators: dict[OperatorName, OperatorLoadBody]

    @field_validator("covered_seconds")
    @classmethod
    def refuse_more_than_the_window(cls, covered: float | None, info: ValidationInfo) -> float | None:
        """covered_seconds is at most window_seconds."""
        window = info.data.get("window_seconds")
        if covered is not None and window is not None and covered > window:
            raise ValueError(f"must be at most window_seconds, which is {window:g}")
        return covered

    def to_values(self) -> values.Load:
        """The load as the planner's values."""
        return values.Load(
            self.external_rate,
            {
                name: values.OperatorLoad(
                    one.service_rate, one.arrival_rate, one.arrival_scv, one.service_scv, one.processors
                )
                for name, one in self.operators.items()
            },
            self.measured_sojourn_seconds,
        )
