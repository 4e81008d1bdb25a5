"""Which quantiles a request asks for, and of how many external tuples they are drawn."""

from typing import Annotated

from pydantic import AfterValidator, Field

from app.web.fields import Body
from planner.quantiles.spread import DEFAULT_ROOTS, DEFAULT_SEED, LEAST_ROOTS

MOST_LEVELS = 20
MOST_ROOTS = 1_000_000


def check_level(level: float) -> float:
    """A level lies between 0 and 1, without both: no time is certain never to be exceeded."""
    if not 0.0 < level < 1.0:
        hint = f" (p{level:g} is {level / 100:g})" if 1.0 < level < 100.0 else ""
        raise ValueError(
            f"must lie above 0 and below 1, and is {level:g}{hint}: 0.99 asks for the time within which 99 of 100 "
            "external tuples are done, and no time is long enough for all"
        )
    return level


def check_levels(levels: list[float]) -> list[float]:
    """Each level once."""
    for level in levels:
        if levels.count(level) > 1:
            raise ValueError(f"has {level:g} twice: give each quantile once")
    return levels


Level = Annotated[
    float,
    AfterValidator(check_level),
    Field(json_schema_extra={"exclusiveMinimum": 0, "exclusiveMaximum": 1}),
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
        """Drawing takes some hundredths of a second."""
        return self.quantiles is not None
