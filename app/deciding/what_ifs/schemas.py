"""What-if questions and answers as JSON."""

from typing import Annotated, Literal

from pydantic import Field

from app.load.bodies.answers import Basis, DiagnosticAnswer, EstimateAnswer
from app.load.bodies.terms import KMax, Measured, TMax
from app.planning.gates.schemas import GateAnswer
from app.web.fields import Answer, show_example


class WhatIfRequest(Measured):
    """Another load, budget or target; nothing is stored."""

    model_config = show_example({"load_factor": 1.5, "t_max_seconds": 0.2})

    load_factor: Annotated[
        float, Field(ge=0, le=1e6, description="The external rate, as a multiple of the measured one.")
    ] = 1.0
    k_max: KMax | None = None
    t_max_seconds: TMax | None = None


class PlannedAnswer(EstimateAnswer):
    """The fewest processors within t_max_seconds, or the best split of k_max."""

    objective: Literal["min-processors", "min-latency"]
    processors: dict[str, int]
    optimal: bool


class FrontierPointAnswer(Answer):
    """The best split of one number of processors."""

    processors_total: int
    expected_sojourn_seconds: float
    operator: Annotated[
        str | None,
        Field(
            description="The operator that gained most since the point before; null: the fewest processors that "
            "keep every operator up."
        ),
    ]


class WhatIfAnswer(Answer):
    """The running and the planned allocation, whether the running one would pass, and the frontier between them."""

    load_factor: float
    external_rate: float
    t_max_seconds: Annotated[float | None, Field(description="As asked, else the policy's.")]
    k_max: Annotated[
        int | None, Field(description="As asked, else the policy's, else the number of running processors.")
    ]
    current: Annotated[
        EstimateAnswer | None,
        Field(description="null: the snapshots do not give the running processors of every operator."),
    ]
    planned: Annotated[PlannedAnswer | None, Field(description="null: a diagnostic gives the reason.")]
    gate: Annotated[
        GateAnswer | None, Field(description="The verdict on the running processors; null as `current`.")
    ]
    frontier: Annotated[
        list[FrontierPointAnswer], Field(description="At most about 200 points; empty: bounds allow none.")
    ]
    diagnostics: list[DiagnosticAnswer]
    basis: Basis
