"""What a snapshot says of bursts, instances and services, in the form that the service takes and within its limits.

What is not known, or could not be sent to the service, is left out.
"""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ingest.measuring.dispersion import find_bin_lengths
from ingest.measuring.measures import BUCKETS_PER_OCTAVE
from ingest.measuring.segments import Floats, Segments, cut_segments
from ingest.measuring.tables import Table
from ingest.windows.listing import Row, Values, list_rows

# The largest that a snapshot may have: a larger SCV is two bursts with a long silence between them.
MOST_SCV = 1e6
MOST_IDC = 1e9
LEAST_SCALES = 2  # one alone does not say how bursts grow with time
MOST_INSTANCES = 1_000  # of more, only the summaries have the shares: they would be most of a snapshot
FINE_PER_COARSE = 2  # buckets of a summary in one of a snapshot


def list_shapes(idc: Values, instances: Values, services: Values) -> Values:
    """One JSON object per operator and window; None where nothing is known."""

    def make(begin: int, end: int) -> list[str | None]:
        parts = zip(idc(begin, end), instances(begin, end), services(begin, end), strict=True)
        return [join_parts(*one) for one in parts]

    return make


def join_parts(idc: list[Row], instances: list[Row], services: list[Row]) -> str | None:
    named = {"arrival_idc": idc, "instances": instances, "service_histogram": services}
    known = {name: rows for name, rows in named.items() if rows}
    return json.dumps(known) if known else None


def keep_scales(idc: Floats, window_ns: int) -> Values:
    """The known scales, if there are several."""
    lengths = (find_bin_lengths(window_ns) / 1e9).tolist()

    def make(begin: int, end: int) -> list[list[Row]]:
        held = np.where(np.isnan(idc[begin:end]), -1.0, np.minimum(idc[begin:end], MOST_IDC)).tolist()
        rows = [
            [{"window_seconds": t, "idc": i} for t, i in zip(lengths, row, strict=True) if i >= 0]
            for row in held
        ]
        return [row if len(row) >= LEAST_SCALES else [] for row in rows]

    return make


def keep_shares(names: Sequence[str | None], shares: Floats, scvs: Floats, windows: Segments) -> Values:
    """The shares of all instances of an operator, or of none."""
    can_send = np.array([is_name(name) for name in names], dtype=np.int64)
    is_kept = (windows.sum(1 - can_send) == 0) & (windows.sizes <= MOST_INSTANCES)
    columns = {"instance": names, "share": shares, "arrival_scv": np.minimum(scvs, MOST_SCV)}
    return list_some(columns, windows, is_kept)


def is_name(name: str | None) -> bool:
    """Whether the service takes it."""
    return name is not None and name == name.strip() and name.isprintable()


def keep_buckets(found: Table, windows: Segments, is_known: Any) -> Values:
    """Coarser buckets, and an empty one wherever the lower bound of a bucket is not the upper one of another.

    Services of no time are in a bucket of their own, which ends at one nanosecond.
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
    bounds = np.array(list_bounds(int(coarse.max(initial=0))))
    return list_some({"upper_seconds": bounds[coarse], "count": count}, cut_segments(spot), is_known)


def list_bounds(last: int) -> list[float]:
    """The upper bounds of the coarse buckets in seconds, of six digits: they need not be exact, but always the same."""
    octave, step = np.divmod(np.arange(last + 1) * FINE_PER_COARSE, BUCKETS_PER_OCTAVE)
    return [float(f"{bound:.6g}") for bound in np.ldexp(1.0 + step / BUCKETS_PER_OCTAVE, octave) / 1e9]


def list_some(columns: dict[str, Any], windows: Segments, is_kept: Any) -> Values:
    """The rows of each segment, without what is not known; none of the segments that are not kept."""
    edges = np.append(windows.begins, windows.sizes.sum())

    def make(begin: int, end: int) -> list[list[Row]]:
        places = edges[begin : end + 1].tolist()
        first = places[0] if places else 0
        rows = list(list_rows({name: column[first : places[-1]] for name, column in columns.items()}))
        known = [{name: value for name, value in row.items() if value is not None} for row in rows]
        spans = zip(pairwise(places), is_kept[begin:end].tolist(), strict=True)
        return [known[one - first : other - first] if kept else [] for (one, other), kept in spans]

    return make
