"""Functions of probability without scipy, and scipy where it is needed.

scipy takes 130 MB of disk and a quarter of the start of a command. Few plans need it, so it is loaded at its first use,
and the light installation plans without it.
"""

from functools import cache
from importlib import import_module
from math import erfc as erfc_of_one
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import scipy as scipy  # noqa: PLC0414  (names it for those who import it from here)
else:

    class LateModule:
        """Stands for a module until one of its names is used."""

        def __init__(self, name: str) -> None:
            self.name = name

        def __getattr__(self, name: str) -> Any:
            """Returns what the module calls `name`."""
            return getattr(import_module(self.name), name)

    scipy = LateModule("scipy")

Number = Any  # a float or an array of floats


@cache
def find_special() -> Any:
    """The module scipy.special; None where scipy is not installed."""
    try:
        return import_module("scipy.special")
    except ModuleNotFoundError:
        return None


def erfc(x: Number) -> Number:
    """The complementary error function of each number."""
    return np.asarray(np.frompyfunc(erfc_of_one, 1, 1)(x), dtype=float)


def ndtr(x: Number) -> Number:
    """The distribution function of the normal law."""
    return 0.5 * erfc(-x / sqrt(2.0))
