"""Histograms of how long roots took: whatever they are added up from, their quantiles are close to the exact ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.measuring.columns import Table, cut_segments, stack
from ingest.measuring.measures import QUANTILES
from ingest.measuring.roots import KEYS, add_up, count_times, find_spread_quantiles

KNOWN_ERROR = 1 / 32
times = st.one_of(st.just(0), st.integers(1, 100), st.integers(10**5, 10**10), st.integers(1, 2**62))


def count(groups: list[list[int]]) -> Table:
    """Each group is a window of one topology."""
    window = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    nanos = np.array([one for group in groups for one in group], dtype=np.int64)
    roots: Table = {"topology": window * 0, "window": window, "is_begun": window >= 0}
    return count_times(roots, cut_segments(window), {"total": nanos, "completion": nanos // 2})


def find(spread: Table, time: int) -> dict[str, list[float]]:
    counts = add_up({name: column[spread["time"] == time] for name, column in spread.items()}, *KEYS)
    return {
        label: values.tolist()
        for label, values in find_spread_quantiles(counts, cut_segments(counts["window"])).items()
    }


@given(groups=st.lists(st.lists(times, min_size=1, max_size=30), min_size=1, max_size=4))
def test_quantiles_are_within_the_width_of_a_bucket(groups: list[list[int]]):
    spread = count(groups)
    for time, share in enumerate((1, 2)):
        found = find(spread, time)
        for label, fraction in QUANTILES.items():
            exact = [float(np.quantile(np.array(group) // share, fraction)) for group in groups]
            assert found[label] == pytest.approx(exact, rel=KNOWN_ERROR, abs=1e-9)


@given(groups=st.lists(st.lists(times, min_size=2, max_size=30), min_size=1, max_size=4))
def test_parts_add_up_to_the_whole(groups: list[list[int]]):
    whole = add_up(count(groups), *KEYS)
    parts = add_up(
        stack([count([group[::2] for group in groups]), count([group[1::2] for group in groups])]), *KEYS
    )
    assert {name: column.tolist() for name, column in parts.items()} == {
        name: column.tolist() for name, column in whole.items()
    }
    assert whole["roots"].sum() == 2 * sum(map(len, groups))


def test_of_many_roots_quantiles_are_closer_than_a_bucket():
    nanos = np.random.default_rng(3).gamma(2.0, 1e7, 200_000).astype(np.int64)
    found = find(count([nanos.tolist()]), 0)
    for label, fraction in QUANTILES.items():
        assert found[label][0] == pytest.approx(np.quantile(nanos, fraction), rel=0.003)
