"""The body and the answer of a replay, as JSON."""

from typing import Annotated

from pydantic import Field

from app.deciding.policies.schemas import PolicyBody
from app.web.fields import Answer, Body, UtcTime, show_example

Late = Annotated[
    float | None,
    Field(description="By the model, with the pauses of changes; null: the policy has no target."),
]


class ReplayRequest(Body):
    """The policy to try, and the stored intervals to try it on."""

    model_config = show_example({"policy": {"goal": {"t_max_seconds": 0.1}}})

    policy: Annotated[PolicyBody | None, Field(description="Left out: the stored policy.")] = None
    since: Annotated[UtcTime | None, Field(alias="from", description="Left out: a day before `to`.")] = None
    until: Annotated[
        UtcTime | None, Field(alias="to", description="Left out: the end of the newest snapshot.")
    ] = None


class CourseAnswer(Answer):
    """How much of the time was over the target, what ran, and how often it was changed."""

    minutes: float
    late_share: Late
    processor_hours: float
    changes: int


class RanAnswer(CourseAnswer):
    """What ran, by the same model as what the policy would have run."""

    measured_late_share: Annotated[
        float | None,
        Field(description="null: no t_max_seconds, or E[T] not measured."),
    ]


class ReplayAnswer(CourseAnswer):
    """What the policy would have done, beside what ran."""

    ran: RanAnswer
    change_pause_seconds: Annotated[float, Field(description="The pause that each change was taken to cost.")]
    undecided: Annotated[
        int, Field(description="Intervals whose data allow no decision: nothing was changed.")
    ]
