"""Folds a JSON document into the bytes in which it differs from a similar one, the base, and unfolds it again, exactly.

Two decisions to hold differ in most of their numbers and in few of their words. Of the numbers that differ the changed
bits are stored, byte by byte of all numbers, because their first bytes are mostly equal. Words are compressed with the
base's words in the same places as the dictionary.
"""

import json
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, count, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Json = Any
Bits = NDArray[np.uint64]
LENGTHS = struct.Struct(">2I")
BEST = 9
MOST_DICTIONARY = 32_768  # zlib looks back no further
OF_CHANGED = 1 << 31
"""A flag in the first length: only numbers that differ are stored. Older documents have the bits of all numbers."""


class OtherBase(Exception):
    """The error that a document was folded with another base than the given one."""


@dataclass
class Differences:
    """What differs between two documents: the places, what stands there in both, and all pairs of numbers elsewhere.

    A place is its number in a walk through the base, with keys sorted: Postgres keeps no order of keys.
    """

    places: list[int] = field(default_factory=list)
    words: list[tuple[Json, Json]] = field(default_factory=list)
    numbers: list[tuple[float, float]] = field(default_factory=list)

    def compare(self, base: Json, other: Json, number: "count[int]") -> None:
        """Collects the differences of two values and of all that is in them."""
        place = next(number)
        if isinstance(base, dict) and isinstance(other, dict) and base.keys() == other.keys():
            for key in sorted(base):
                self.compare(base[key], other[key], number)
        elif isinstance(base, list) and isinstance(other, list) and len(base) == len(other):
            for one, another in zip(base, other, strict=True):
                self.compare(one, another, number)
        elif isinstance(base, float) and isinstance(other, float):
            self.numbers.append((base, other))
        elif type(base) is not type(other) or base != other:
            self.places.append(place)
            self.words.append((base, other))


def fold(document: Mapping[str, Json], base: Mapping[str, Json]) -> bytes:
    """Returns the bytes from which `unfold` makes the document, given the same base."""
    found = Differences()
    found.compare(dict(base), dict(document), count())
    steps = [place - before for before, place in pairwise([0, *found.places])]
    packed = zlib.compress(_write(steps), BEST)
    dictionary = _write([one for one, _ in found.words])[-MOST_DICTIONARY:]
    compressor = zlib.compressobj(BEST, zdict=dictionary)
    words = compressor.compress(_write([other for _, other in found.words])) + compressor.flush()
    bits = _to_bits([one for one, _ in found.numbers]) ^ _to_bits([other for _, other in found.numbers])
    return LENGTHS.pack(OF_CHANGED | len(packed), len(words)) + packed + words + _pack_bits(bits)


def unfold(folded: bytes, base: Mapping[str, Json]) -> dict[str, Json]:
    """Returns the document that was folded with this base."""
    flagged, second = LENGTHS.unpack_from(folded)
    first = flagged & ~OF_CHANGED
    begin, middle = LENGTHS.size, LENGTHS.size + first
    places = set(accumulate(json.loads(zlib.decompress(folded[begin:middle]))))
    base_words: list[Json] = []
    base_numbers: list[float] = []
    _collect(dict(base), count(), places, base_words, base_numbers)
    bits = _unpack_bits(folded[middle + second :], len(base_numbers) if flagged & OF_CHANGED else None)
    if len(base_words) != len(places) or len(bits) != len(base_numbers):
        raise OtherBase
    dictionary = _write(base_words)[-MOST_DICTIONARY:]
    words = json.loads(zlib.decompressobj(zdict=dictionary).decompress(folded[middle : middle + second]))
    numbers = (bits ^ _to_bits(base_numbers)).view(np.float64).tolist()
    document: dict[str, Json] = _rebuild(dict(base), count(), places, iter(words), iter(numbers))
    return document


def _collect(
    base: Json, number: "count[int]", places: set[int], words: list[Json], numbers: list[float]
) -> None:
    """Collects what stands in the base at the places that differ, and its numbers elsewhere."""
    if next(number) in places:
        words.append(base)
    elif isinstance(base, float):
        numbers.append(base)
    elif isinstance(base, dict | list):
        for one in map(base.get, sorted(base)) if isinstance(base, dict) else base:
            _collect(one, number, places, words, numbers)


def _rebuild(
    base: Json, number: "count[int]", places: set[int], words: Iterator[Json], numbers: Iterator[float]
) -> Json:
    """Returns the base with the words and the numbers in their places."""
    if next(number) in places:
        return next(words)
    if isinstance(base, float):
        return next(numbers)
    if isinstance(base, dict):
        found = {key: _rebuild(base[key], number, places, words, numbers) for key in sorted(base)}
        return {key: found[key] for key in base}
    if isinstance(base, list):
        return [_rebuild(one, number, places, words, numbers) for one in base]
    return base


def _write(values: Sequence[Json]) -> bytes:
    return json.dumps(values, separators=(",", ":"), ensure_ascii=False, sort_keys=True).encode()


def _to_bits(numbers: Sequence[float]) -> Bits:
    return np.array(numbers, dtype=np.float64).view(np.uint64)


def _pack_bits(bits: Bits) -> bytes:
    """Which numbers differ, one bit each, and the bits of those."""
    differs = bits != 0
    by_place = bits[differs].astype(">u8").view(np.uint8).reshape(-1, 8).T
    return zlib.compress(np.packbits(differs).tobytes() + by_place.tobytes(), BEST)


def _unpack_bits(packed: bytes, count: int | None) -> Bits:
    """The bits of `count` numbers; None: all numbers are stored."""
    stored = np.frombuffer(zlib.decompress(packed), dtype=np.uint8)
    if count is None:
        return _join_bytes(stored)
    flags = -(-count // 8)
    differs = np.unpackbits(stored[:flags])[:count].astype(bool)
    if len(stored) != flags + 8 * np.count_nonzero(differs):
        raise OtherBase
    bits = np.zeros(count, dtype=np.uint64)
    bits[differs] = _join_bytes(stored[flags:])
    return bits


def _join_bytes(stored: "np.ndarray[Any, np.dtype[np.uint8]]") -> Bits:
    """The bits of numbers that are stored byte by byte."""
    return np.ascontiguousarray(stored.reshape(8, -1).T).view(">u8").reshape(-1).astype(np.uint64)
