"""Errors beside simulations, collected by kind and printed as tables."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.truth_cases import QUEUEINGS


class Kind(NamedTuple):
    """What errors are told apart by."""

    queueing: str
    input: str

    @property
    def rank(self) -> tuple[bool, int]:
        """Calm before bursty, in the order of QUEUEINGS."""
        known = self.queueing in QUEUEINGS
        return self.input == "bursty", QUEUEINGS.index(self.queueing) if known else len(QUEUEINGS)


class Tables:
    """Relative errors by table and kind, in the order in which tables are first filled."""

    def __init__(self) -> None:
        self.errors: dict[str, dict[Kind, list[float]]] = defaultdict(lambda: defaultdict(list))

    def add(self, title: str, kind: Kind, error: float) -> None:
        """One more error."""
        self.errors[title][kind].append(error)

    def mean(self, title: str) -> Mapping[Kind, float]:
        """The mean |error| of each kind."""
        return {kind: float(np.mean(np.abs(found))) for kind, found in self.errors[title].items()}

    def print(self) -> None:
        """Every table: one row per kind."""
        for title, errors in self.errors.items():
            print(f"\n{title}")
            print_row("", ["cases", "mean", "median", "p90", "worst", "bias"])
            for kind in sorted(errors, key=lambda kind: kind.rank):
                found = np.array(errors[kind])
                size = np.abs(found)
                values = (size.mean(), np.median(size), np.quantile(size, 0.9), size.max(), found.mean())
                print_row(", ".join(kind), [str(len(found)), *[f"{value:.1%}" for value in values]])


def print_row(name: str, cells: Sequence[str]) -> None:
    """A name and its numbers."""
    print(f"{name:24}" + "".join(f"{cell:>9}" for cell in cells))
