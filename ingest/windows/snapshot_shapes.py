"""The bursts, instance shares and service times of a snapshot, in the form and within the limits of the service.

Unknown values, and values that the service would refuse, are left out.
"""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from ingest.measuring.columns import Column, Floats, Segments, Table, cut_segments
from ingest.measuring.measures import BUCKETS_PER_OCTAVE
from ingest.windows.listing import Values, list_buckets

# The largest SCV that a snapshot may have; a larger one means two bursts with a long silence between them.
MOST_SCV = 1e6
MOST_IDC = 1e9
LEAST_SCALES = 2  # one scale does not show how bursts grow with time
MOST_INSTANCES = 1_000  # with more, shares would fill most of a snapshot; only summaries have them
FINE_PER_COARSE = 2  # buckets of a summary in one bucket of a snapshot


def list_shapes(idc: Values, instances: Values, services: Values) -> Values:
    """The bursts, instance shares and service histogram of each operator and window as a JSON object; None if
    unknown.
    """
    names = ("arrival_idc", "instances", "service_histogram")

    def make(begin: int, end: int) -> list[str | None]:
        parts = zip(*(one(begin, end) for one in (idc, instances, services)), strict=True)
        named = [
            [f'"{name}": {text}' for name, text in zip(names, one, strict=True) if text] for one in parts
        ]
        return ["{" + ", ".join(one) + "}" if one else None for one in named]

    return make


def keep_where(texts: Values, is_kept: Column) -> Values:
    def make(begin: int, end: int) -> list[Any]:
        pairs = zip(texts(begin, end), is_kept[begin:end].tolist(), strict=True)
        return [text if kept else None for text, kept in pairs]

    return make


def keep_scales(texts: Values, idc: Floats) -> Values:
    """The index of dispersion of an operator and window as a JSON text, if two or more scales are known and
    none is too large.
    """
    is_known = ~np.isnan(idc)
    is_kept = (is_known.sum(axis=1) >= LEAST_SCALES) & (np.where(is_known, idc, 0.0).max(axis=1) <= MOST_IDC)
    return keep_where(texts, is_kept)


def keep_shares(texts: Values, names: Sequence[str | None], scvs: Floats, windows: Segments) -> Values:
    """The shares of all instances of an operator; None if the service would refuse one of them."""
    cannot_send = np.array([not is_name(name) for name in names], dtype=np.int64)
    is_kept = (windows.sum(cannot_send) == 0) & (windows.sizes <= MOST_INSTANCES)
    is_large = windows.max(np.where(scvs > MOST_SCV, 1, 0)) > 0

    def make(begin: int, end: int) -> list[Any]:
        pairs = zip(texts(begin, end), is_large[begin:end].tolist(), strict=True)
        return [bound_scvs(text) if large else text for text, large in pairs]

    return keep_where(make, is_kept)


def bound_scvs(text: str) -> str:
    rows = json.loads(text)
    return json.dumps(
        [row | {"arrival_scv": row["arrival_scv"] and min(row["arrival_scv"], MOST_SCV)} for row in rows]
    )


def is_name(name: str | None) -> bool:
    """Whether the service accepts the name of an instance."""
    return name is not None and name == name.strip() and name.isprintable()


def keep_buckets(found: Table, windows: Segments, is_known: Column) -> Values:
    """Joins buckets into coarser ones, and adds an empty bucket below each gap, so that every lower bound is known.

    Services of no time have a separate bucket, which ends at one nanosecond.
    """
    spot = windows.spread(np.arange(len(windows.begins)))
    coarse = -(-found["bucket"] // FINE_PER_COARSE)
    buckets = cut_segments(spot, coarse)
    spot, coarse, count = buckets.first(spot), buckets.first(coarse), buckets.sum(found["tuples"])
    has_lower = np.append(False, (np.diff(spot) == 0) & (np.diff(coarse) == 1))
    lonely = np.flatnonzero(~has_lower & (coarse > 0))
    spot, coarse, count = (
        np.insert(column, lonely, values)
        for column, values in ((spot, spot[lonely]), (coarse, coarse[lonely] - 1), (count, 0))
    )
    bounds = list_bounds(int(coarse.max(initial=0)))
    return keep_where(list_buckets(coarse, count, bounds, cut_segments(spot)), is_known)


def list_bounds(last: int) -> list[float]:
    """The upper bounds of the coarse buckets in seconds, rounded to six digits, the same in every run."""
    octave, step = np.divmod(np.arange(last + 1) * FINE_PER_COARSE, BUCKETS_PER_OCTAVE)
    return [float(f"{bound:.6g}") for bound in np.ldexp(1.0 + step / BUCKETS_PER_OCTAVE, octave) / 1e9]
