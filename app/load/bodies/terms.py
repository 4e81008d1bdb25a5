"""Fields that several requests share: waiting model, processors to divide, target, goal, quantiles, smoothing, load."""

from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from app.load.bodies.load import LoadBody
from app.load.bodies.topology import Graph
from app.web.fields import LEAST_PROBABILITY, MOST_BUDGET, Body, OperatorName, Period, Processors, Seconds
from planner.quantiles.spread import DEFAULT_ROOTS, DEFAULT_SEED, LEAST_ROOTS
from planner.queueing.waiting_models import WAITING_MODELS
from planner.values import DEFAULT_MODEL, TimeTarget

if TYPE_CHECKING:
    KnownModel = str
else:
    KnownModel = Literal[tuple(WAITING_MODELS)]
ModelName = Annotated[
    KnownModel,
    Field(description=" ".join(f"`{name}`: {model.known}" for name, model in WAITING_MODELS.items())),
]


MOST_LEVELS = 20
MOST_ROOTS = 1_000_000


def check_level(level: float) -> float:
    """The level of a quantile; refuses levels below LEAST_PROBABILITY, and 1, since no time is long enough for
    all tuples.
    """
    if not LEAST_PROBABILITY <= level < 1.0:
        hint = f" (p{level:g} is {level / 100:g})" if 1.0 < level < 100.0 else ""
        raise ValueError(
            f"must be at least {LEAST_PROBABILITY:f} and below 1, and is {level:g}{hint}: 0.99 asks for the time "
            "within which 99 of 100 external tuples are done; no time is long enough for all"
        )
    return level


def check_levels(levels: list[float]) -> list[float]:
    """The levels of quantiles; refuses a level that is listed twice."""
    for level in levels:
        if levels.count(level) > 1:
            raise ValueError(f"has {level:g} twice: give each quantile once")
    return levels


Level = Annotated[
    float,
    AfterValidator(check_level),
    Field(json_schema_extra={"minimum": LEAST_PROBABILITY, "exclusiveMaximum": 1}),
]
Levels = Annotated[list[Level], Field(min_length=1, max_length=MOST_LEVELS), AfterValidator(check_levels)]


class QuantileTerms(Body):
    """Quantiles of total and completion time, drawn at random."""

    quantiles: Annotated[
        Levels | None, Field(description="0.99 for p99; the answer then has `total` and `completion`.")
    ] = None
    roots: Annotated[int, Field(ge=LEAST_ROOTS, le=MOST_ROOTS, description="External tuples drawn.")] = (
        DEFAULT_ROOTS
    )
    seed: Annotated[int, Field(ge=0, lt=2**32, description="Of the draw.")] = DEFAULT_SEED

    @property
    def is_long(self) -> bool:
        """Whether the request asks for quantiles, which take some hundredths of a second to draw."""
        return self.quantiles is not None


KMax = Annotated[int, Field(ge=1, le=MOST_BUDGET, description="Processors to divide.")]
TMax = Annotated[Seconds, Field(description="The largest E[T] allowed.")]
Beta = Annotated[
    float,
    Field(
        ge=1e-9,
        lt=1,
        description="Weight of one processor; a tuple has 1 - beta. The smaller, the less waits.",
    ),
]
ProcessorCounts = Annotated[
    dict[OperatorName, Processors] | None, Field(description="Left out: the running processors in the load.")
]


Calibrate = Annotated[
    bool,
    Field(
        description="Correct modelled waits by measured_wait_seconds, if it is measured and processors are given; "
        "false: no correction."
    ),
]


class Described(Body):
    """The fields of every call on a topology in the body."""

    topology: Graph
    load: LoadBody
    model: ModelName = DEFAULT_MODEL
    calibrate: Calibrate = True

    @property
    def is_long(self) -> bool:
        """Whether the answer to the request takes some tenths of a second for a topology of any size."""
        return False


class TimeTargetBody(Body):
    """The mean or a quantile of total or completion time."""

    of: Annotated[
        Literal["completion", "total"],
        Field(
            description="completion: until the last derived tuple is finished. total: the sum over all derived tuples."
        ),
    ]
    quantile: Annotated[Level | None, Field(description="0.99 for p99; null: the mean.")]
    seconds: Annotated[Seconds, Field(description="The largest value allowed.")]

    def to_value(self) -> TimeTarget:
        """The target of the request as a value of the planner."""
        return TimeTarget(self.of, self.seconds, self.quantile)


class TargetTerms(Body):
    """A target of E[T], or of another time."""

    t_max_seconds: TMax | None = None
    target: Annotated[
        TimeTargetBody | None,
        Field(
            description="Instead of t_max_seconds. Quantiles, and completion, are checked on tuples drawn at "
            "random."
        ),
    ] = None

    @model_validator(mode="after")
    def refuse_two_targets(self) -> Self:
        """Refuses a body with both `t_max_seconds` and `target`."""
        if self.t_max_seconds is not None and self.target is not None:
            raise ValueError(
                "give t_max_seconds or target, not both: t_max_seconds is the target of total with a quantile of null"
            )
        return self

    def find_target(self) -> TimeTarget | None:
        """The target of the request, from either of its two fields; None without a target."""
        if self.target is not None:
            return self.target.to_value()
        return None if self.t_max_seconds is None else TimeTarget("total", self.t_max_seconds)


class Goal(TargetTerms):
    """Exactly one goal: a target (t_max_seconds or target, with or without k_max), or one other field alone."""

    k_max: KMax | None = None
    t_min_seconds: Annotated[
        TMax | None,
        Field(description="Processors are given up below this E[T], or below this value of `target`."),
    ] = None
    beta: Beta | None = None
    utilisation: Annotated[
        float | None, Field(ge=0.05, le=0.95, description="The most of its capacity for each instance.")
    ] = None
    backlog_seconds: Annotated[
        Period | None, Field(description="Backlogs are worked off within this time.")
    ] = None

    @model_validator(mode="after")
    def refuse_contradictions(self) -> Self:
        """Refuses a goal that does not have exactly one kind, or whose t_min_seconds is not below its target."""
        target = self.find_target()
        alone = [
            name for name in ("beta", "utilisation", "backlog_seconds") if getattr(self, name) is not None
        ]
        if self.k_max is None and target is None and not alone:
            raise ValueError("give t_max_seconds, target, k_max, beta, utilisation, or backlog_seconds")
        if len(alone) > 1 or (alone and (self.k_max is not None or target is not None)):
            others = "".join([f"{name}, " for name in alone[1:]])
            raise ValueError(
                f"{alone[0]} is a goal of its own: leave out {others}k_max and t_max_seconds or target, or leave out "
                f"{alone[0]}"
            )
        if self.t_min_seconds is not None and (target is None or self.t_min_seconds >= target.seconds):
            raise ValueError(
                f"t_min_seconds is {self.t_min_seconds:g} and t_max_seconds "
                f"{target.seconds if target else 'not given'}: give a t_max_seconds, or a target, above t_min_seconds"
            )
        return self

    def find_t_max_seconds(self) -> float | None:
        """Returns the target of E[T] in seconds; None if the goal has another kind of target or none."""
        target = self.find_target()
        return target.seconds if target is not None and target.is_expected_sojourn else None

    def find_drawn_target(self) -> TimeTarget | None:
        """Returns the target of a quantile or of the completion time; None if the goal has no such target."""
        target = self.find_target()
        return None if target is None or target.is_expected_sojourn else target


class WindowSmoothing(Body):
    """The mean of the newest `size` snapshots."""

    kind: Literal["window"]
    size: Annotated[int, Field(ge=1, le=100_000)]


class EwmaSmoothing(Body):
    """D = alpha·D' + (1 - alpha)·d over the newest snapshots: the larger alpha, the more older snapshots count."""

    kind: Literal["ewma"]
    alpha: Annotated[float, Field(ge=0, lt=1)]


Smoothing = Annotated[WindowSmoothing | EwmaSmoothing, Field(discriminator="kind")]


class Measured(Body):
    """The fields of every stored call; without smoothing the newest snapshot is used."""

    model: ModelName = DEFAULT_MODEL
    smoothing: Smoothing | None = None
    calibrate: Calibrate = True
