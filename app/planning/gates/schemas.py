"""The requests and verdicts of gates as JSON."""

from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, model_validator

from app.load.bodies.answers import EstimateAnswer
from app.load.bodies.load import PAIR_LOAD
from app.load.bodies.terms import Described, KMax, Measured, ProcessorCounts, TargetTerms
from app.load.bodies.topology import PAIR
from app.web.fields import Age, Answer, Rate, show_example
from planner.gates.verdict import Verdict

TERMS: dict[str, JsonValue] = {"rate_factor": 1.5, "t_max_seconds": 0.5, "k_max": 40}


class GateTerms(TargetTerms):
    """The limits, the processors and the external rate by which a gate judges."""

    processors: Annotated[
        ProcessorCounts,
        Field(description="Left out: the processors that run in the load, or else the best split of k_max."),
    ] = None
    external_rate: Annotated[
        Rate | None,
        Field(
            description="Tuples per second to judge at; left out: the rate of the load. A rate below it has a "
            "diagnostic."
        ),
    ] = None
    rate_factor: Annotated[
        float | None,
        Field(ge=0, le=1e6, description="Instead of external_rate: a multiple of the load's rate."),
    ] = None
    k_max: Annotated[KMax | None, Field(description="The most processors in all.")] = None

    @model_validator(mode="after")
    def refuse_two_rates(self) -> Self:
        """Refuses a request that gives the rate both as a number and as a factor."""
        if self.external_rate is not None and self.rate_factor is not None:
            raise ValueError("give external_rate or rate_factor, not both")
        return self

    def find_rate(self, measured_rate: float) -> float | None:
        """Returns the external rate at which the gate judges; None: at the measured rate."""
        return self.external_rate if self.rate_factor is None else self.rate_factor * measured_rate


class GateRequest(Described, GateTerms):
    """Whether a topology keeps its limits under a load."""

    model_config = show_example({"topology": PAIR, "load": PAIR_LOAD, **TERMS})


class StoredGateRequest(Measured, GateTerms):
    """Whether a stored topology keeps its limits under its measured load."""

    model_config = show_example({**TERMS, "max_snapshot_age_seconds": 1e9})

    max_snapshot_age_seconds: Annotated[
        Age | None,
        Field(
            description="The largest age of measurements; older ones are refused (409). Left out: the policy's, "
            "or 900 without a policy."
        ),
    ] = None


class CheckAnswer(Answer):
    """One check of a gate: a value and its limit."""

    name: Annotated[
        Literal["stability", "bounds", "budget", "latency"],
        Field(
            description="`stability`: the highest utilisation, below 1. `bounds`: operators outside their "
            "min_processors and max_processors. `budget`: processors, with k_max. `latency`: "
            "E[T], or the time of `target`."
        ),
    ]
    passed: bool
    value: Annotated[float | None, Field(description="null = infinite.")]
    limit: float
    detail: str


class SuggestionAnswer(Answer):
    """An allocation that passes: the fewest processors under t_max_seconds, else the best split of k_max."""

    processors: Annotated[
        dict[str, int] | None, Field(description="null: no number of processors is enough.")
    ]
    processors_total: int | None
    expected_sojourn_seconds: float | None
    detail: str


class GateAnswer(EstimateAnswer):
    """Whether every check passed, and the estimate behind the checks."""

    passed: bool
    checks: list[CheckAnswer]
    binding_operator: Annotated[
        str, Field(description="The first operator to be overloaded as the load grows.")
    ]
    headroom_rate: Annotated[
        float | None,
        Field(
            description="The largest external rate at which every check passes (with `target` to 0.01%); "
            "null: none, or any."
        ),
    ]
    suggestion: SuggestionAnswer
    processors: Annotated[dict[str, int], Field(description="The judged processors.")]
    processors_origin: Annotated[
        Literal["given", "running", "planned"],
        Field(description="Where the processors come from: request, load, or best split of k_max."),
    ]


VERDICT_FIELDS = ("passed", "checks", "binding_operator", "headroom_rate", "suggestion", "processors")


def to_gate_answer(verdict: Verdict) -> GateAnswer:
    """Turns the planner's verdict into the answer of the gate routes."""
    judged = {field: getattr(verdict, field) for field in VERDICT_FIELDS}
    return GateAnswer.model_validate(
        verdict.estimate._asdict() | judged | {"processors_origin": verdict.origin}
    )
