"""The steps ahead that a forecast is asked for."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Window:
    """The interval to decide on lies `first`..`last` steps after the last step observed."""

    first: int
    last: int

    @property
    def steps(self) -> int:
        """The number of its steps."""
        return self.last - self.first + 1
