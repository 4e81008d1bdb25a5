"""Walks through a JSON document and a similar one, the base: what differs, what is needed of the base, and back.

A place is its number in a walk through the base, with keys sorted: Postgres keeps no order of keys.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

from app.database.derived_numbers import fill_in

Json = Any
Parts = Mapping[str, Any]
"""Keys of a document whose values are read, each with the Parts of its value; None: all of it."""


@dataclass
class Differences:
    """What differs between two documents: the places, what stands there in both, and all pairs of numbers elsewhere.

    A place is its number in a walk through the base, with keys sorted: Postgres keeps no order of keys. A number has
    the name of its key, or of that of the list which it is in.
    """

    places: list[int] = field(default_factory=list)
    words: list[tuple[Json, Json]] = field(default_factory=list)
    numbers: list[tuple[str, float, float]] = field(default_factory=list)

    def compare(self, base: Json, other: Json, number: "count[int]", name: str = "") -> None:
        """Collects the differences of two values and of all that is in them."""
        place = next(number)
        if isinstance(base, dict) and isinstance(other, dict) and base.keys() == other.keys():
            for key in sorted(base):
                self.compare(base[key], other[key], number, key)
        elif isinstance(base, list) and isinstance(other, list) and len(base) == len(other):
            for one, another in zip(base, other, strict=True):
                self.compare(one, another, number, name)
        elif isinstance(base, float) and isinstance(other, float):
            self.numbers.append((name, base, other))
        elif type(base) is not type(other) or base != other:
            self.places.append(place)
            self.words.append((base, other))


class Skipped(NamedTuple):
    """How many places, words and numbers a part of a document has that is not read."""

    places: int
    words: int
    numbers: int


@dataclass
class Needed:
    """What stands in the base at the places that differ, and its numbers elsewhere, with their names.

    `skipped` has the parts that are not read, by their places. `at` is the next place of the walk.
    """

    places: set[int]
    words: list[Json] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    numbers: list[float] = field(default_factory=list)
    skipped: dict[int, Skipped] = field(default_factory=dict)
    at: int = 0

    def collect(self, base: Json, name: str = "", parts: Parts | None = None) -> None:
        """Collects what is needed of a value and of all that is in it."""
        self.at += 1
        if self.at - 1 in self.places:
            self.words.append(base)
        elif isinstance(base, float):
            self.names.append(name)
            self.numbers.append(base)
        elif isinstance(base, dict):
            for key in sorted(base):
                if parts is None or key in parts:
                    self.collect(base[key], key, parts and parts[key])
                else:
                    self.skip(base[key], key)
        elif isinstance(base, list):
            for one in base:
                self.collect(one, name)

    def skip(self, base: Json, name: str) -> None:
        """Collects a part that is not read."""
        place, words, numbers = self.at, len(self.words), len(self.numbers)
        self.collect(base, name)
        self.skipped[place] = Skipped(self.at - place, len(self.words) - words, len(self.numbers) - numbers)


@dataclass
class Rebuilding:
    """A walk through the base that puts words and numbers in their places, and back the numbers that were left out."""

    places: set[int]
    words: Sequence[Json]
    numbers: Sequence[float]
    skipped: Mapping[int, Skipped] = field(default_factory=dict)
    at: int = 0
    word: int = 0
    number: int = 0

    def rebuild(self, base: Json) -> Json:
        """Returns the value that stands where this value stands in the base."""
        self.at += 1
        if self.at - 1 in self.places:
            self.word += 1
            return self.words[self.word - 1]
        if isinstance(base, float):
            self.number += 1
            return self.numbers[self.number - 1]
        if isinstance(base, dict):
            return fill_in(self.rebuild_each(base))
        if isinstance(base, list):
            return [self.rebuild(one) for one in base]
        return base

    def rebuild_each(self, base: Mapping[str, Json]) -> dict[str, Json]:
        """Returns the values of a document, in the order of the base; those that are not read are left out."""
        found = {}
        for key in sorted(base):
            skipped = self.skipped.get(self.at)
            if skipped is None:
                found[key] = self.rebuild(base[key])
            else:
                self.skip(skipped)
        return {key: found[key] for key in base if key in found}

    def skip(self, skipped: Skipped) -> None:
        """Passes over a part that is not read."""
        self.at += skipped.places
        self.word += skipped.words
        self.number += skipped.numbers
