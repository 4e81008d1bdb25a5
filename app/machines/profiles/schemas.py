"""Task profiles as JSON: posted profiles and trials, and the answers."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, Field, JsonValue

from app.web.fields import (
    MOST,
    MOST_PROCESSORS,
    Answer,
    Body,
    MeasuredNumber,
    NextPage,
    OperatorName,
    StoredBy,
    TopologyName,
    show_example,
)
from planner.placements import profile_builder, profiles
from planner.placements.profile_builder import BuiltProfile

AZURE_BLOB: list[JsonValue] = [
    {"threads": 1, "peak_rate": 2.0, "cpu": 0.0673, "memory": 0.2392},
    {"threads": 2, "peak_rate": 3.0, "cpu": 0.0663, "memory": 0.2398},
    {"threads": 20, "peak_rate": 10.0, "cpu": 0.1469, "memory": 0.263},
    {"threads": 30, "peak_rate": 20.0, "cpu": 0.5418, "memory": 0.2874},
    {"threads": 50, "peak_rate": 30.0, "cpu": 0.7673, "memory": 0.3138},
]
"""The blob download of Shukla and Simmhan, without the base load of the machine."""
BLOB_ENDS: list[JsonValue] = [AZURE_BLOB[0], AZURE_BLOB[-1]]
"""Its first and its last point, for examples."""

FROM_TRIALS = "from-trials"


def _no_call(name: str) -> str:
    if name == FROM_TRIALS:
        raise ValueError(f"/v1/profiles/{FROM_TRIALS} is the address of another call: choose another name")
    return name


ProfileName = Annotated[TopologyName, AfterValidator(_no_call)]
MeasuredOn = Annotated[
    str | None, Field(max_length=1000, description="The machine, runtime and load of the measurement.")
]


# The planner refuses negative numbers, and its message says which one is wrong.
Threads = Annotated[int, Field(ge=-MOST_PROCESSORS, le=MOST_PROCESSORS)]


class Point(Body):
    """The peak rate of a number of threads alone on one slot, and the cpu and memory that they take."""

    threads: Threads
    peak_rate: Annotated[
        MeasuredNumber, Field(description="Tuples per second that the threads sustain; above 0.")
    ]
    cpu: Annotated[MeasuredNumber, Field(description="Fraction of one slot.")]
    memory: Annotated[MeasuredNumber, Field(description="Fraction of one slot, up to 1.")]


Points = Annotated[
    list[Point],
    Field(
        max_length=10_000,
        description="Points from one thread on; between points, values are interpolated linearly.",
    ),
]


ProfilesByName = Annotated[
    dict[OperatorName, Points],
    Field(
        description="By operator, or by the name in the operators' field profile; used before stored profiles."
    ),
]


def to_profile(task: str, points: list[Point]) -> profiles.Profile:
    """Returns the points of a task as a profile of the planner; raises InvalidProfile if they contradict each other."""
    return profiles.Profile(
        task,
        tuple(profiles.ProfilePoint(one.threads, one.peak_rate, one.cpu, one.memory) for one in points),
    )


class ProfileBody(Body):
    """A profile under a name; the same name again makes a new version."""

    model_config = show_example(
        {"name": "azure_blob", "points": BLOB_ENDS, "measured_on": "one slot of an Azure D1"}
    )

    name: ProfileName
    points: Points
    measured_on: MeasuredOn = None


class TrialBody(Body):
    """One run of the task alone on a slot, at one rate."""

    threads: Threads
    rate: Annotated[MeasuredNumber, Field(description="Tuples per second that the task received.")]
    samples: Annotated[
        list[Annotated[list[MeasuredNumber], Field(min_length=2, max_length=2)]],
        Field(
            max_length=100_000,
            description="Pairs [seconds since the start of the trial, latency in seconds].",
        ),
    ]
    cpu: MeasuredNumber
    memory: MeasuredNumber

    def to_values(self) -> profile_builder.Trial:
        """Returns the trial as a value of the planner."""
        samples = tuple((at_seconds, latency_seconds) for at_seconds, latency_seconds in self.samples)
        return profile_builder.Trial(self.threads, self.rate, samples, self.cpu, self.memory)


class TrialsBody(Body):
    """Trials of one task, to build and store its profile from."""

    model_config = show_example(
        {
            "name": "parse",
            "warm_up_seconds": 60,
            "trials": [
                {
                    "threads": 1,
                    "rate": 300,
                    "samples": [[60, 0.02], [120, 0.02], [180, 0.02]],
                    "cpu": 0.84,
                    "memory": 0.35,
                },
                {
                    "threads": 1,
                    "rate": 320,
                    "samples": [[60, 0.5], [120, 4.1], [180, 7.9]],
                    "cpu": 0.99,
                    "memory": 0.36,
                },
            ],
        }
    )

    name: ProfileName
    trials: Annotated[list[TrialBody], Field(min_length=1, max_length=100_000)]
    measured_on: MeasuredOn = None
    warm_up_seconds: Annotated[
        float, Field(ge=0, le=MOST, description="Samples before this time are not used.")
    ] = 0.0
    max_slope: Annotated[
        MeasuredNumber, Field(description="The growth of latency, in s/s, up to which a trial is stable.")
    ] = 1e-3
    window: Annotated[
        int,
        Field(ge=2, le=1000, description="The number of successive points over which a plateau is searched."),
    ] = 3
    min_rate_slope: Annotated[
        MeasuredNumber, Field(description="A smaller rise of the peak rate per thread counts as a plateau.")
    ] = 0.0

    def to_criteria(self) -> profile_builder.Criteria:
        """Returns the criteria by which the planner judges trials."""
        return profile_builder.Criteria(
            self.warm_up_seconds, self.max_slope, self.window, self.min_rate_slope
        )


class TrialVerdictAnswer(Answer):
    """Whether a trial was stable, and the slope of its latency."""

    threads: int
    rate: float
    slope: Annotated[
        float | None,
        Field(description="Slope of latency over time; null: too few samples after the warm-up."),
    ]
    samples: int
    stable: bool


class StepEvidenceAnswer(Answer):
    """The trials behind one point of a profile."""

    threads: int
    peak_rate: float | None
    smallest_unstable_rate: float | None
    verdicts: list[TrialVerdictAnswer]


class GapAnswer(Answer):
    """A question that the trials of a profile leave open."""

    code: str
    threads: list[int]
    detail: str


class BuiltFields(Answer):
    """A profile that was built from trials, with its evidence."""

    points: list[Point]
    evidence: list[StepEvidenceAnswer] = []
    gaps: list[GapAnswer] = []
    plateau_threads: Annotated[
        int | None,
        Field(
            description="From this number on, more threads do not raise the peak rate; null: no plateau was found."
        ),
    ] = None


class ProfileAnswer(BuiltFields):
    """One stored version of a profile."""

    name: str
    version: int
    measured_on: str | None = None
    created_at: datetime
    created_by: StoredBy = None


class ProfilePage(Answer):
    """The newest profiles by name, without evidence."""

    items: list[ProfileAnswer]
    next: NextPage = None


def describe_built(built: BuiltProfile) -> BuiltFields:
    """Returns a profile that was built from trials as JSON, with its evidence."""
    return BuiltFields.model_validate(
        {
            "points": built.profile.points,
            "evidence": built.evidence,
            "gaps": built.gaps,
            "plateau_threads": built.plateau_threads,
        },
        from_attributes=True,
    )
