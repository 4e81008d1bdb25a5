"""What the forecasts of one lead amount to, beside what came: mean error, mean absolute error, and coverage.

    mean_error = Σ (expected − came) / Σ came,   absolute_error = Σ |expected − came| / Σ came

The coverage p is the part of the forecasts whose band held what came. Its bounds are those of Wilson (1927) at 95%,

    (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n),   z = 1.96

with n the judged forecasts that do not overlap: the errors of two forecasts `lead` steps ahead, from moments less than
`lead` steps apart, depend on the same steps, and count as little more than one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

Z = 1.959963984540054


@dataclass(frozen=True, slots=True)
class JudgedForecast:
    """A forecast made at the step `origin`, and what came; `is_covered`: its band held it."""

    origin: int
    expected: float
    came: float
    is_covered: bool


@dataclass(frozen=True, slots=True)
class LeadAccuracy:
    """How true the forecasts `steps` ahead were; None where nothing was judged."""

    steps: int
    judged: int
    apart: int
    mean_error: float | None
    absolute_error: float | None
    covered: int
    coverage: float | None
    least_coverage: float | None
    most_coverage: float | None


def judge_lead(steps: int, judged: Sequence[JudgedForecast]) -> LeadAccuracy:
    """The accuracy of the forecasts of one lead, oldest first."""
    errors = [one.expected - one.came for one in judged]
    total = fsum(one.came for one in judged)
    covered = sum(one.is_covered for one in judged)
    apart = count_apart([one.origin for one in judged], steps)
    coverage = covered / len(judged) if judged else None
    least, most = (None, None) if coverage is None else bound_share(coverage, apart)
    return LeadAccuracy(
        steps,
        len(judged),
        apart,
        fsum(errors) / total if total > 0.0 else None,
        fsum(map(abs, errors)) / total if total > 0.0 else None,
        covered,
        coverage,
        least,
        most,
    )


def count_apart(origins: Sequence[int], steps: int) -> int:
    """How many of the ascending origins are at least `steps` apart, counted from the first."""
    count, free_from = 0, None
    for origin in origins:
        if free_from is None or origin >= free_from:
            count, free_from = count + 1, origin + steps
    return count


def bound_share(share: float, count: int) -> tuple[float, float]:
    """Wilson's 95% interval of a share among `count` independent cases, count at least 1."""
    middle = share + Z * Z / (2.0 * count)
    margin = Z * sqrt(share * (1.0 - share) / count + Z * Z / (4.0 * count * count))
    scale = 1.0 + Z * Z / count
    return max((middle - margin) / scale, 0.0), min((middle + margin) / scale, 1.0)
