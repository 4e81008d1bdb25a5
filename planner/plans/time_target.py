"""A target of total or completion time: its mean, or one of its quantiles, within so many seconds."""

from dataclasses import dataclass
from typing import Literal

from planner.quantiles.root_times import RootTimes, find_quantiles


@dataclass(frozen=True, slots=True)
class TimeTarget:
    """What must be done within `seconds`: the part `quantile` of all external tuples; None: their mean."""

    of: Literal["total", "completion"]
    seconds: float
    quantile: float | None = None

    @property
    def is_expected_sojourn(self) -> bool:
        """Whether this is a target of E[T], which needs no drawn tuples."""
        return self.of == "total" and self.quantile is None

    @property
    def measured(self) -> str:
        """What is compared with `seconds`, in words."""
        if self.quantile is None:
            return f"the mean of {self.of}"
        return f"the {100.0 * self.quantile:.6g}% quantile of {self.of}"

    def measure(self, times: RootTimes) -> float:
        """The seconds to compare: of the times of all drawn external tuples."""
        seconds = times.total if self.of == "total" else times.completion
        if self.quantile is None:
            return float(seconds.mean())
        return find_quantiles(seconds, [self.quantile])[0]
