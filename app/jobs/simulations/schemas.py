"""Simulations as JSON: the request with its laws of arrivals and services, the stored job, and the answer."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, JsonValue

from app.jobs.states import JobAnswer
from app.load.bodies.answers import Basis, DiagnosticAnswer, QuantileAnswer
from app.load.bodies.load import PAIR_LOAD, PAIR_PROCESSORS, ServiceBucketBody, check_histogram
from app.load.bodies.terms import Described, KnownModel, Levels, Measured, ProcessorCounts
from app.load.bodies.topology import PAIR, QueueingName
from app.web.fields import Answer, Body, NextPage, OperatorName, Scv, Seconds, show_example
from planner import values
from planner.simulation.arrivals import ArrivalLaw
from planner.simulation.laws import ServiceLaw

MOST_ROOTS = 10**9
MOST_SEED = 2**53 - 1  # the largest whole number that every JSON reader keeps
LEVELS = [0.5, 0.95, 0.99]


class PoissonArrivalsBody(Body):
    """Roots arrive at random times, at the load's external_rate."""

    kind: Literal["poisson"]


class DeterministicArrivalsBody(Body):
    """Roots arrive at equal distances."""

    kind: Literal["deterministic"]


class BurstyArrivalsBody(Body):
    """A Markov-modulated Poisson process: bursts and calm periods of random length alternate; the mean rate stays."""

    kind: Literal["mmpp"]
    burst_ratio: Annotated[float, Field(ge=1, le=1e9, description="Rate in bursts / mean rate.")]
    burst_share: Annotated[float, Field(ge=1e-9, lt=1, description="The share of time in bursts.")]
    mean_burst_seconds: Seconds


class SeriesArrivalsBody(Body):
    """Each interval has the counted number of roots, at random times within it."""

    kind: Literal["series"]
    counts: Annotated[list[Annotated[int, Field(ge=0, le=10**9)]], Field(min_length=1, max_length=1_000_000)]
    interval_seconds: Seconds


ArrivalsBody = Annotated[
    PoissonArrivalsBody | DeterministicArrivalsBody | BurstyArrivalsBody | SeriesArrivalsBody,
    Field(discriminator="kind", description="The arrivals of roots; left out: poisson."),
]
MeanService = Annotated[Seconds | None, Field(description="Left out: 1/service_rate of the load.")]
ScvService = Annotated[Scv | None, Field(description="Left out: the load's service_scv, else 1.")]


class ExponentialServiceBody(Body):
    """Exponential service times."""

    kind: Literal["exponential"]
    mean_seconds: MeanService = None


class DeterministicServiceBody(Body):
    """Every service takes the same time."""

    kind: Literal["deterministic"]
    mean_seconds: MeanService = None


class GammaServiceBody(Body):
    """Service times with a gamma distribution."""

    kind: Literal["gamma"]
    mean_seconds: MeanService = None
    scv: ScvService = None


class LognormalServiceBody(Body):
    """Service times with a lognormal distribution, whose tail is longer than gamma's."""

    kind: Literal["lognormal"]
    mean_seconds: MeanService = None
    scv: ScvService = None


class HistogramServiceBody(Body):
    """Service times from counts in buckets; within a bucket all times are equally likely."""

    kind: Literal["histogram"]
    buckets: Annotated[
        list[ServiceBucketBody], Field(min_length=1, max_length=1000), AfterValidator(check_histogram)
    ]


ServiceBody = Annotated[
    ExponentialServiceBody
    | DeterministicServiceBody
    | GammaServiceBody
    | LognormalServiceBody
    | HistogramServiceBody,
    Field(discriminator="kind"),
]


class SimulationTerms(Body):
    """The fields of every simulation besides its topology and its load."""

    processors: ProcessorCounts = None
    roots: Annotated[
        int,
        Field(
            ge=1, le=MOST_ROOTS, description="Tuples of the external stream to simulate, warm-up included."
        ),
    ]
    seed: Annotated[
        int,
        Field(ge=0, le=MOST_SEED, description="The same request with the same seed gets the same answer."),
    ] = 1
    arrivals: ArrivalsBody = PoissonArrivalsBody(kind="poisson")
    services: Annotated[
        dict[OperatorName, ServiceBody],
        Field(
            description="By operator; left out: the load's service_histogram, else gamma with its service_scv."
        ),
    ] = {}
    capacities: Annotated[
        dict[OperatorName, Annotated[int, Field(ge=0, le=2**31 - 1)]],
        Field(
            description="Places in each queue of the operator; a full queue blocks the instance that sends. "
            "Left out: endless."
        ),
    ] = {}
    quantiles: Annotated[Levels, Field(description="The levels of quantiles: 0.99 for p99.")] = LEVELS
    warm_up_share: Annotated[
        float, Field(ge=0, le=0.9, description="The share of roots at the beginning that are not measured.")
    ] = 0.1
    calibrate: Annotated[
        bool,
        Field(description="Correct the modelled waits by measured ones; simulated waits stay as they are."),
    ] = False


class SimulationRequest(SimulationTerms, Described):
    """Simulate a topology under a load, tuple by tuple."""

    model_config = show_example(
        {
            "topology": PAIR,
            "load": PAIR_LOAD,
            "processors": PAIR_PROCESSORS,
            "roots": 20_000,
            "seed": 1,
        }
    )


STORED_EXAMPLE: JsonValue = {
    "roots": 20_000,
    "arrivals": {"kind": "mmpp", "burst_ratio": 3.0, "burst_share": 0.1, "mean_burst_seconds": 5.0},
}


class StoredSimulationRequest(SimulationTerms, Measured):
    """Simulate a stored topology under its measured load."""

    model_config = show_example(STORED_EXAMPLE)


class SimulationParametersAnswer(Answer):
    """The parameters with which a simulation runs."""

    roots: int
    seed: int
    processors: dict[str, int]
    arrivals: str
    quantiles: list[float]
    warm_up_share: float
    expected_events: float


class SimulationJob(Answer):
    """A simulation with all its inputs, as it runs and is stored, so that its result never changes."""

    parameters: SimulationParametersAnswer
    topology: values.Topology
    load: values.Load
    arrivals: ArrivalLaw
    services: dict[str, ServiceLaw]
    capacities: dict[str, int]
    model: KnownModel
    diagnostics: list[DiagnosticAnswer]
    basis: Basis | None


ModelError = Annotated[
    float | None,
    Field(description="(modelled - simulated) / simulated; null if either is not known."),
]


class SimulatedQuantileAnswer(QuantileAnswer):
    """A simulated quantile beside the modelled one."""

    modelled_seconds: float | None
    model_error: ModelError


class SimulatedTimeAnswer(Answer):
    """A time of external tuples: its mean, half the width of the mean's 95% interval, and quantiles.

    The half width is null if too few tuples were simulated. Modelled numbers are those of /v1/estimate, and null if an
    operator cannot keep up.
    """

    mean_seconds: float
    half_width_seconds: float | None
    modelled_mean_seconds: float | None
    model_error: ModelError
    quantiles: list[SimulatedQuantileAnswer]


class SimulatedOperatorAnswer(Answer):
    """The simulated waits at an operator beside the modelled wait."""

    name: str
    processors: int
    queueing: QueueingName
    visits: Annotated[float, Field(description="Visits per external tuple.")]
    arrival_rate: float
    wait_seconds: float | None
    half_width_seconds: Annotated[
        float | None,
        Field(description="Half the width of the mean wait's 95% interval; null: too few visits."),
    ]
    sojourn_seconds: Annotated[
        float | None, Field(description="Mean time of one visit: wait + service + blocked.")
    ]
    utilisation: float
    blocked_share: Annotated[
        float,
        Field(description="The share of time in which its processors wait for places in full queues."),
    ]
    modelled_wait_seconds: Annotated[float | None, Field(description="null = infinite.")]
    model_error: ModelError


class SimulationAnswer(Answer):
    """Simulated numbers beside the modelled numbers for the same input."""

    total: SimulatedTimeAnswer
    completion: SimulatedTimeAnswer
    operators: list[SimulatedOperatorAnswer]
    events: int
    seconds: Annotated[float, Field(description="The time that the simulation took to compute.")]
    simulated_seconds: Annotated[
        float, Field(description="Simulated time from the first arrival to the last finish.")
    ]
    roots: int
    warm_up_roots: Annotated[
        int, Field(description="The number of roots at the beginning that were not measured.")
    ]
    seed: int
    model: KnownModel
    diagnostics: list[DiagnosticAnswer]
    basis: Basis | None = None


class SimulationSummaryAnswer(JobAnswer):
    """The state of a queued simulation."""

    parameters: SimulationParametersAnswer


class SimulationJobAnswer(SimulationSummaryAnswer):
    """The state of a queued simulation; `answer` is present when it has succeeded."""

    answer: SimulationAnswer | None


class SimulationPage(Answer):
    """Queued simulations, newest first, without their answers."""

    items: list[SimulationSummaryAnswer]
    next: NextPage = None
