"""The quick parser reads a line exactly, or hands it back unchanged."""

import json
from typing import Any

import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st

from ingest.plain_lines import NUMBERS, read_plain_lines
from ingest.raw_records import FIELDS, TIMES, UNREAD
from tests.ingest.records import GOOD, T0, good

values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(),
    st.text(max_size=5),
    st.just([1]),
    st.just({"a": "}"}),
)
names = st.one_of(st.none(), st.text(max_size=5), st.sampled_from(["o", "ядро", "}", "{", "\\", '"', "\n"]))
times = st.one_of(st.none(), st.floats(0, 1e10), st.integers(0, 10**10))
tidy = st.fixed_dictionaries({}, optional={field: times if field in NUMBERS else names for field in FIELDS})
odd = st.dictionaries(st.sampled_from([*FIELDS, "extra", "Topology"]), values, max_size=4)
objects = st.one_of(tidy, tidy, odd).flatmap(
    lambda fields: st.builds(json.dumps, st.just(fields), ensure_ascii=st.booleans())
)
pieces = st.one_of(
    objects, st.sampled_from(["", "{", "}", "{}", " ", "\ufeff", "null", ",", '"', '{"topology":"'])
)
lines = st.one_of(objects, objects, st.lists(pieces, max_size=3).map("".join))


def read(given: list[str]) -> list[dict[str, Any]]:
    batch = pa.record_batch({"value": pa.array(given, pa.string())})
    rows: list[dict[str, Any]] = next(read_plain_lines(iter([batch]))).to_pylist()
    return rows


def keep_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs if key in FIELDS]
    assert len(keys) == len(set(keys)), "of two equal keys either may be meant"
    return dict(pairs)


@given(st.lists(lines, max_size=6))
@example(["", good()])
@example(["null" + good(), good()])
@example(["", ""])
@example(["\ufeff" + good(), good()])
@example(['{"sample_every":Inf}'])
@example([good(started_at=float("nan"))])
@example([good() + good(), ""])
@example(['{"topology":"a}', '{","b":1}'])
@example(['{"topology":"a","topology":"b"}'])
@example(['{"topology":"a\\u007d"}', '{"topology":"b"'])
@example(['{"topology":"a"}{"operator"', ':"b"}'])
@example([good(), good(arrived_at=str(T0)), good(tuple_id=7)])
def test_a_line_is_read_as_it_stands_or_handed_back(given: list[str]):
    for line, row in zip(given, read(given), strict=True):
        unread = row.pop(UNREAD)
        if unread is not None:
            assert unread == line
            assert set(row.values()) == {None}
            continue
        stands = json.loads(line, object_pairs_hook=keep_pairs)
        for field, value in row.items():
            expected = stands.get(field)
            assert type(expected) in ((int, float) if field in NUMBERS else (str,)) or expected is None
            assert value == (float(expected) if isinstance(expected, int) else expected)


def test_plain_lines_are_read_though_odd_ones_stand_among_them():
    odd = ["", "\ufeff" + good(), good(operator='a "b"'), '{"topology":', good(extra={"nested": 1})]
    odd += [good(started_at=float("nan")), good(extra="x" * 1000)]
    rows = read([good(tuple_id="first"), *odd, good(tuple_id="last")])
    assert [row[UNREAD] for row in rows] == [None, *odd, None]
    assert [row["tuple_id"] for row in rows] == ["first", *[None] * len(odd), "last"]
    assert [rows[-1][time] for time in TIMES] == [GOOD[time] for time in TIMES]


def test_text_with_long_offsets_is_text():
    batch = pa.record_batch({"value": pa.array([good(), ""], pa.large_string())})
    assert next(read_plain_lines(iter([batch]))).column(UNREAD).to_pylist() == [None, ""]


def test_bytes_that_are_no_text_are_handed_back():
    octets = pa.array([good().encode(), good(operator="?").replace("?", "§").encode("latin-1")])
    texts = pa.Array.from_buffers(pa.string(), 2, octets.buffers())
    batch = next(read_plain_lines(iter([pa.record_batch({"value": texts})])))
    assert batch.column(UNREAD).cast(pa.binary()).to_pylist() == octets.to_pylist()
