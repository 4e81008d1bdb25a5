"""Folds a JSON document into the bytes in which it differs from a similar one, the base, and unfolds it again, exactly.

Two decisions to hold differ in most of their numbers and in few of their words. Numbers that follow from others are
left out. Of the others that differ the changed bits are stored, numbers of the same name together, and byte by byte of
all of them, because their first bytes are mostly equal. Words are compressed with the base's words in the same places
as the dictionary.

A folded document is FORM, the checksum of what it needs of the base, the places of the words that differ, these words
and the numbers. Documents that earlier versions folded begin with LENGTHS, and are still unfolded.
"""

import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from itertools import accumulate, count, pairwise

import numpy as np
from numpy.typing import NDArray

from app.database.derived_numbers import leave_out, put_back
from app.database.document_walks import Differences, Json, Needed, Parts, Rebuilding, Skipped

Bits = NDArray[np.uint64]
FORM = b"\x01"
"""The first byte. No document that earlier versions folded has it: it would say that places take 16 MB."""
CHECKSUM = struct.Struct(">I")
LENGTHS = struct.Struct(">2I")
OF_CHANGED = 1 << 31
"""A flag in the first of LENGTHS: only numbers that differ are stored; without it, the bits of all numbers."""
BEST = 9
RAW = -zlib.MAX_WBITS  # without a header of each stream
MOST_DICTIONARY = 32_768  # zlib looks back no further


class OtherBase(Exception):
    """The error that a document was folded with another base than the given one."""


def fold(document: Mapping[str, Json], base: Mapping[str, Json]) -> bytes:
    """Returns the bytes from which `unfold` makes the document, given the same base."""
    found = Differences()
    found.compare(leave_out(dict(base)), leave_out(dict(document)), count())
    steps = [place - before for before, place in pairwise([0, *found.places])]
    dictionary, words = (_write([pair[side] for pair in found.words]) for side in (0, 1))
    order = _sort([name for name, _, _ in found.numbers])
    ours = _to_bits([ours for _, ours, _ in found.numbers])[order]
    others = _to_bits([others for _, _, others in found.numbers])[order]
    compressor = zlib.compressobj(BEST, wbits=RAW, zdict=dictionary[-MOST_DICTIONARY:])
    packed = compressor.compress(words) + compressor.flush()
    checksum = CHECKSUM.pack(_sum_up(dictionary, ours))
    return FORM + checksum + _pack_steps(steps) + packed + _pack_bits(ours ^ others)


def unfold(folded: bytes, base: Mapping[str, Json]) -> dict[str, Json]:
    """Returns the document that was folded with this base."""
    return Unfolder(base).unfold(folded)


class Unfolder:
    """Unfolds documents that were folded with one base. Most of them differ from it in the same places, so what they
    need of the base is collected once for all that do.

    `parts` are those of the documents that are read, others may be left out; None: all.
    """

    def __init__(self, base: Mapping[str, Json], parts: Parts | None = None) -> None:
        self._base = dict(base)
        self._parts = parts
        self._thin = leave_out(self._base)
        self._needed: dict[tuple[int, ...], tuple[bytes, list[int], Bits, int, dict[int, Skipped]]] = {}

    def unfold(self, folded: bytes) -> dict[str, Json]:
        """Returns the document; raises OtherBase if it was folded with another base."""
        if not folded.startswith(FORM):
            return _unfold_older(folded, self._base)
        (checksum,) = CHECKSUM.unpack_from(folded, len(FORM))
        steps, begin = _unpack_steps(folded, len(FORM) + CHECKSUM.size)
        places = tuple(accumulate(steps))
        if places not in self._needed:
            self._needed[places] = self._collect(places)
        dictionary, order, base_bits, found, skipped = self._needed[places]
        if found != checksum:
            raise OtherBase
        inflater = zlib.decompressobj(wbits=RAW, zdict=dictionary[-MOST_DICTIONARY:])
        words = put_back(json.loads(inflater.decompress(folded[begin:])))
        bits = base_bits.copy()
        bits[order] ^= _unpack_bits(zlib.decompress(inflater.unused_data, wbits=RAW), len(bits))
        numbers = bits.view(np.float64).tolist()
        document: dict[str, Json] = Rebuilding(set(places), words, numbers, skipped).rebuild(self._thin)
        return document

    def _collect(self, places: tuple[int, ...]) -> tuple[bytes, list[int], Bits, int, dict[int, Skipped]]:
        """The words of the base in these places, the order of the numbers elsewhere, their bits, the checksum, and what
        is not read.
        """
        needed = Needed(set(places))
        needed.collect(self._thin, parts=self._parts)
        dictionary, order = _write(needed.words), _sort(needed.names)
        bits = _to_bits(needed.numbers)
        return dictionary, order, bits, _sum_up(dictionary, bits[order]), needed.skipped


def _unfold_older(folded: bytes, base: Mapping[str, Json]) -> dict[str, Json]:
    """Returns the document that an earlier version folded: with all numbers, in the order of the walk."""
    flagged, second = LENGTHS.unpack_from(folded)
    first = flagged & ~OF_CHANGED
    begin, middle = LENGTHS.size, LENGTHS.size + first
    needed = Needed(set(accumulate(json.loads(zlib.decompress(folded[begin:middle])))))
    needed.collect(base)
    stored, bits = zlib.decompress(folded[middle + second :]), _to_bits(needed.numbers)
    changed = _unpack_bits(stored, len(bits)) if flagged & OF_CHANGED else _join_bytes(stored)
    if len(needed.words) != len(needed.places) or len(changed) != len(bits):
        raise OtherBase
    inflater = zlib.decompressobj(zdict=_write(needed.words)[-MOST_DICTIONARY:])
    words = json.loads(inflater.decompress(folded[middle : middle + second]))
    numbers = (bits ^ changed).view(np.float64).tolist()
    document: dict[str, Json] = Rebuilding(needed.places, words, numbers).rebuild(base)
    return document


def _write(values: Sequence[Json]) -> bytes:
    return json.dumps(values, separators=(",", ":"), ensure_ascii=False, sort_keys=True).encode()


def _sort(names: Sequence[str]) -> list[int]:
    """The places of numbers, those of the same name together."""
    return sorted(range(len(names)), key=names.__getitem__)


def _sum_up(dictionary: bytes, bits: Bits) -> int:
    return zlib.crc32(bits.astype(">u8").tobytes(), zlib.crc32(dictionary))


def _pack_steps(steps: Sequence[int]) -> bytes:
    """Whole numbers after their count, each in as few bytes as it needs: seven bits a byte, the lowest first."""
    packed = bytearray()
    for number in [len(steps), *steps]:
        left = number
        while left > 0x7F:
            packed.append(left & 0x7F | 0x80)
            left >>= 7
        packed.append(left)
    return bytes(packed)


def _unpack_steps(packed: bytes, begin: int) -> tuple[list[int], int]:
    """The numbers that are packed from this byte on, and the first byte after them."""
    found: list[int] = []
    number = shift = 0
    for following, byte in enumerate(packed[begin:], begin + 1):
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte & 0x80:
            continue
        found.append(number)
        number = shift = 0
        if len(found) > found[0]:
            return found[1:], following
    raise OtherBase


def _to_bits(numbers: Sequence[float]) -> Bits:
    return np.array(numbers, dtype=np.float64).view(np.uint64)


def _pack_bits(bits: Bits) -> bytes:
    """Which numbers differ, one bit each, and the bits of those."""
    differs = bits != 0
    by_place = bits[differs].astype(">u8").view(np.uint8).reshape(-1, 8).T
    compressor = zlib.compressobj(BEST, wbits=RAW)
    return compressor.compress(np.packbits(differs).tobytes() + by_place.tobytes()) + compressor.flush()


def _unpack_bits(stored: bytes, count: int) -> Bits:
    flags = -(-count // 8)
    differs = np.unpackbits(np.frombuffer(stored[:flags], dtype=np.uint8))[:count].astype(bool)
    if len(stored) != flags + 8 * np.count_nonzero(differs):
        raise OtherBase
    bits = np.zeros(count, dtype=np.uint64)
    bits[differs] = _join_bytes(stored[flags:])
    return bits


def _join_bytes(stored: bytes) -> Bits:
    """The bits of numbers that are stored byte by byte."""
    by_place = np.frombuffer(stored, dtype=np.uint8).reshape(8, -1)
    return np.ascontiguousarray(by_place.T).view(">u8").reshape(-1).astype(np.uint64)
