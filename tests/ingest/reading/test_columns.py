"""Whole columns are read as single values are."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ingest.reading.columns import (
    combine,
    find_distinct,
    mix_roots,
    read_labels,
    read_roots,
    read_times,
)
from ingest.reading.judge import LABELS, Unusable, read_time
from ingest.reading.records import TupleKind
from tests.ingest.records import T0

clocks = st.builds(
    "{}-{:02}-{:02}{}{:02}:{:02}{}{}".format,
    st.integers(1965, 2205),
    st.integers(0, 13),
    st.integers(0, 32),
    st.sampled_from(["T", " ", "t", ""]),
    st.integers(0, 25),
    st.integers(0, 61),
    st.sampled_from(["", ":00", ":59", ":60", ":07.5", ":07.123456789", ":07.1234567891", ":07.", ".5"]),
    st.sampled_from(["Z", "z", " Z", "+00:00", "-0330", "+05", "+23:59", "+24:00", "+05:60", "", " UTC"]),
)
texts = st.one_of(
    st.none(),
    clocks,
    clocks,
    st.floats(T0, T0 + 10).map(str),
    st.floats().map(str),
    st.integers(-(10**20), 10**20).map(str),
    st.sampled_from(
        ["", " ", "1_0", "1e9", "+5", "5.", ".5", " 7 ", "٣", "0x1", "soon", "infinity", "1.7e400"]
    ),
    st.text(max_size=4),
)


def read_one(value: float | str | None) -> int | str:
    try:
        return read_time("arrived_at", value)
    except Unusable as fault:
        return str(fault)


@given(st.lists(texts, min_size=1, max_size=9))
@example(["2026-02-30T00:00:00Z", "2026-02-28T00:00:00Z", None, "1794960000.25"])
@example(
    ["2028-02-29T00:00:00Z", "2026-02-29T00:00:00Z", "2026-06-31T00:00:00Z", "2026-07-31 23:59+23:59", "1"]
)
def test_columns_of_texts_are_read_like_single_texts(given: list[str | None]):
    nanos, faults = read_times("arrived_at", pa.array(given, pa.string()))
    assert [faults.get(row, value) for row, value in enumerate(nanos.tolist())] == [
        read_one(one) for one in given
    ]


@given(
    st.lists(
        st.one_of(st.none(), st.floats(), st.floats(0, 8e9), st.integers(0, 10**10).map(float)), min_size=1
    )
)
@example([T0 + 0.123456, T0 + 2**-10, -0.0, 7_258_118_400.0, float("nan")])
def test_columns_of_numbers_are_read_like_single_numbers(given: list[float | None]):
    nanos, faults = read_times("arrived_at", pa.array(given, pa.float64()))
    found = [faults.get(row, value) for row, value in enumerate(nanos.tolist())]
    assert found == [
        read_one(float("nan") if one is None else one) if one is not None else read_one(None) for one in given
    ]


@given(
    st.lists(
        st.one_of(st.none(), st.text(max_size=3), st.sampled_from(["x" * 200, "я" * 200, "x" * 201])),
        min_size=1,
    )
)
def test_roots_are_equal_where_their_texts_are(given: list[str | None]):
    roots, faults = read_roots(pa.array(given, pa.string()))
    good = {row: text for row, text in enumerate(given) if text and text.strip(" ") and len(text) <= 200}
    assert faults.keys() == set(range(len(given))) - good.keys()
    assert len({int(roots[row]) for row in good}) == len(set(good.values()))
    again, _ = read_roots(pa.array(given[::-1], pa.string()))
    assert again[::-1].tolist() == roots.tolist()


def test_labels_are_read_once_each_and_faults_are_told_by_code():
    seen = []

    def decode(value: str | None) -> str | None:
        seen.append(value)
        return value

    column = pa.array(["a", "b ", "a", None, "a"])
    labels, faults = read_labels(column, decode, LABELS["operator"])
    assert sorted(map(str, seen)) == ["None", "a", "b "]
    assert [labels.values[code] for code in labels.codes] == ["a", None, "a", None, "a"]
    assert faults == {1: "operator begins or ends with white space", 3: "operator is missing"}
    encoded, _ = read_labels(column.dictionary_encode(), decode, LABELS["operator"])
    assert encoded.codes.tolist() == labels.codes.tolist()


@pytest.mark.parametrize("most", [1, 1 << 20])
def test_kinds_are_distinct_whatever_the_texts_were(monkeypatch: pytest.MonkeyPatch, most: int):
    """Null and an empty text mean the same."""
    monkeypatch.setattr("ingest.reading.columns.MOST_LOOKED_UP", most)
    columns = [
        ["t", "t", "t"],
        ["o", "p", "o"],
        ["i", "i", "i"],
        ["", "u", None],
        ["1", None, ""],
        ["", None, "every-nth"],
    ]
    labels = [
        read_labels(pa.array(column, pa.string()), lambda value: value, read)[0]
        for column, read in zip(columns, LABELS.values(), strict=True)
    ]
    kinds, kind = combine(labels)
    assert [kinds[one] for one in kind] == [
        TupleKind("t", "o", "i", None, 1, is_random=False),
        TupleKind("t", "p", "i", "u", 1, is_random=False),
        TupleKind("t", "o", "i", None, 1, is_random=False),
    ]
    assert len(kinds) == 2


def test_distinct_values_are_found_either_way():
    values = np.array([7, 3, 7, 0])
    for size in (8, 1 << 40):
        seen, places = find_distinct(values, size)
        assert seen.tolist() == [0, 3, 7]
        assert seen[places].tolist() == values.tolist()


def test_a_root_belongs_to_its_topology():
    kinds = [TupleKind(name, "o", "i", None, 1, is_random=False) for name in ("t", "u", "t")]
    roots, _ = read_roots(pa.array(["a", "a", "a", "b"]))
    mixed = mix_roots(kinds, np.array([0, 1, 2, 0], np.int32), roots).tolist()
    assert mixed[0] == mixed[2]
    assert len(set(mixed)) == 3
    assert mix_roots(kinds[:1], np.zeros(1, np.int32), roots[:1]).tolist() == mixed[:1], (
        "one topology or several"
    )


def test_pandas_is_not_loaded():
    """In a process of its own, since other tests load it."""
    told = "print('pandas' in sys.modules, c.connect() is c.connect())"
    code = f"import sys, ingest.reading.columns as c; c.connect(); c.pa.array([1]); {told}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False True\n"
