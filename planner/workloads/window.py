"""The steps ahead that a forecast is asked for."""

from typing import NamedTuple


class Window(NamedTuple):
    """The interval to decide on lies `first`..`last` steps after the last step observed."""

    first: int
    last: int

    @property
    def steps(self) -> int:
        """The number of its steps."""
        return self.last - self.first + 1
