"""The operators of a topology as queues: their rates, SCVs and bounds, and the choice between floats and arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from planner.arrays import Counts, Floats
from planner.queueing.array_queues import ArrayQueues
from planner.queueing.gain_curve import Curve, ScalarQueues
from planner.queueing.waiting_models import weigh_operator
from planner.values import DEFAULT_MODEL, Model

NO_BOUND = 2**53
"""max_processors of an operator without such a bound: the integers up to here are exact as doubles."""
FEW_OPERATORS = 48
"""Up to here plain floats are faster than arrays."""


@dataclass(frozen=True)
class Stations:
    """The operators of a topology in their order, one entry each; lists or arrays."""

    arrival_rate: Sequence[float] | Floats
    service_rate: Sequence[float] | Floats
    arrival_scv: Sequence[float] | Floats
    service_scv: Sequence[float] | Floats
    min_processors: Sequence[int] | Counts
    max_processors: Sequence[int] | Counts
    model: Model = DEFAULT_MODEL

    def __len__(self) -> int:
        return len(self.arrival_rate)

    @cached_property
    def curves(self) -> list[Curve]:
        """Every operator by itself, in plain floats; kept, because curves remember the gains that were asked for."""
        columns = (
            column.tolist() if isinstance(column, np.ndarray) else column
            for column in (
                self.arrival_rate,
                self.service_rate,
                self.arrival_scv,
                self.service_scv,
                self.min_processors,
            )
        )
        return [
            Curve(rate, mu, weigh_operator(self.model, a, s), least)
            for rate, mu, a, s, least in zip(*columns, strict=True)
        ]

    @cached_property
    def arrays(self) -> ArrayQueues:
        """All operators together, in arrays."""
        return ArrayQueues.prepare(
            np.asarray(self.arrival_rate, np.float64),
            np.asarray(self.service_rate, np.float64),
            np.asarray(self.arrival_scv, np.float64),
            np.asarray(self.service_scv, np.float64),
            self.model,
        )

    @cached_property
    def queues(self) -> ScalarQueues | ArrayQueues:
        """The faster of the two: the only place where the number of operators decides."""
        return ScalarQueues(self.curves) if len(self) <= FEW_OPERATORS else self.arrays
