"""Stored throughput samples and the model that is fitted to them, as JSON."""

from typing import Annotated, Self

from pydantic import ConfigDict, Discriminator, Field, JsonValue, Tag, model_validator

from app.load.bodies.series import MOST_SAMPLES
from app.web.fields import Answer, Body, NextPage, PositiveRate, Rate, UtcTime

MOST_READINGS = 10_000

SAMPLES: list[dict[str, JsonValue]] = [
    {"observed_at": f"2026-11-17T0{hour}:00:00Z", "vms": vms, "throughput": throughput}
    for hour, (vms, throughput) in enumerate(((3, 43.0), (4, 63.0), (6, 77.0), (8, 106.0), (24, 293.0)))
]
"""Throughputs of the example topology, in external tuples per second."""

SETTLING: JsonValue = {
    "observed_at": "2026-11-17T05:00:00Z",
    "vms": 12,
    "readings": [61.0, 118.0, 149.0, 152.0, 150.0, 151.0, 153.0],
    "convergence": {"k": 4, "n": 5, "tolerance": 0.05},
}
"""The readings of one measurement, from its start on."""


class ConvergenceBody(Body):
    """A throughput has settled if k of the last n readings lie within ±tolerance of the one before."""

    k: Annotated[int, Field(ge=1, le=MOST_READINGS)] = 4
    n: Annotated[int, Field(ge=2, le=MOST_READINGS)] = 5
    tolerance: Annotated[float, Field(ge=0, lt=1, description="A share: 0.05 is ±5%.")] = 0.05

    @model_validator(mode="after")
    def _can_be_met(self) -> Self:
        if self.k > self.n:
            raise ValueError(f"k = {self.k} of n = {self.n} readings is impossible: k must lie in 1..n")
        return self


class ThroughputSampleRequest(Body):
    """A throughput with a time: the same (observed_at, vms) again replaces what was stored.

    Send `throughput`, or the `readings` of one measurement: then the mean of the first n that have settled is stored.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [*SAMPLES[:1]]})

    observed_at: UtcTime
    vms: Annotated[int, Field(ge=1, le=10**6)]
    throughput: PositiveRate | None = None
    readings: Annotated[
        list[Rate] | None,
        Field(min_length=1, max_length=MOST_READINGS, description="Throughputs in the order of time."),
    ] = None
    convergence: Annotated[
        ConvergenceBody,
        Field(description="The rule by which `readings` have settled. Left out: 4 of 5 within 5%."),
    ] = ConvergenceBody()
    saturated: Annotated[
        bool, Field(description="False: the VMs served this rate and had room left, so they sustain more.")
    ] = True

    @model_validator(mode="after")
    def _one_of_the_two(self) -> Self:
        if (self.throughput is None) == (self.readings is None):
            raise ValueError("send either `throughput` or the `readings` to find it from")
        return self


def _name_form(sent: object) -> str:
    return "list" if isinstance(sent, list) else "one"


# A discriminator of our own: Pydantic's union would report an error of one sample also as "not a list".
OneOrMoreSamples = Annotated[
    Annotated[ThroughputSampleRequest, Tag("one")]
    | Annotated[list[ThroughputSampleRequest], Field(min_length=1, max_length=MOST_SAMPLES), Tag("list")],
    Discriminator(_name_form),
]


class StoredSamplesAnswer(Answer):
    """The numbers of new and of replaced samples."""

    stored: Annotated[int, Field(description="New samples.")]
    replaced: Annotated[int, Field(description="Known samples, which were replaced.")]


class ThroughputSampleAnswer(Answer):
    """A stored throughput sample."""

    observed_at: UtcTime
    vms: int
    throughput: float
    saturated: bool


class ThroughputSamplePage(Answer):
    """Samples, oldest first."""

    items: list[ThroughputSampleAnswer]
    next: NextPage = None


class ThroughputFitAnswer(Answer):
    """Model 1: 1/τ = w0 + w1/m + w2 m + w3 m². Model 2: τ = w0 + w1 m - w2 m². Trusted up to `peak_vms`."""

    form: str
    weights: list[float]
    sigma: Annotated[float, Field(description="Standard deviation of the residuals.")]
    samples: int
    fewest_vms: Annotated[int, Field(description="The fewest VMs that were measured.")]
    most_vms: Annotated[int, Field(description="The most VMs that were measured.")]
    peak_vms: Annotated[int, Field(description="The number of VMs with the highest fitted throughput.")]


class ResidualAnswer(Answer):
    """One sample and the fit at its number of VMs."""

    vms: int
    throughput: float
    fitted: float
    residual: float


class CurvePointAnswer(Answer):
    """The fit at one number of VMs; the curve ends at its highest point."""

    vms: int
    throughput: float
    measured_between: Annotated[
        bool, Field(description="Whether `vms` lies between the fewest and the most that were measured.")
    ]


class ThroughputModelAnswer(Answer):
    """The model of a topology's throughput: its fit, its samples, its residuals and where it is trusted."""

    model: ThroughputFitAnswer
    residuals: list[ResidualAnswer]
    curve: list[CurvePointAnswer]
