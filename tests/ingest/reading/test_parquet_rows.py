"""Rows of Parquet are judged like lines, whatever the types of their columns."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.reading.parquet_rows import judge_rows, read_row_groups
from ingest.reading.records import Judged
from ingest.reading.text_lines import judge_json
from tests.ingest.records import GOOD, SECOND, T0, good

NANOS = T0 * SECOND


def make_rows(count: int = 1, **changes: Any) -> pa.Table:
    columns = {name: [value] * count for name, value in GOOD.items()}
    return pa.table({name: value for name, value in (columns | changes).items() if value is not ...})


def judge(count: int = 1, **changes: Any) -> Judged:
    return judge_rows("log.parquet", 0, make_rows(count, **changes))


def find_reasons(judged: Judged) -> dict[int, str]:
    return {reject.line: reject.reason for reject in judged.rejects}


@pytest.mark.parametrize("field", ["arrived_at", "finished_at"])
def test_rows_are_judged_like_lines(field: str):
    judged = judge(3, **{field: [float(GOOD[field]), float("nan"), None]})
    assert find_reasons(judged) == {1: f"{field} is not finite", 2: f"{field} is missing"}
    assert (judged.lines, judged.read) == (3, 3)
    assert json.loads(judged.rejects[1].text) == {
        name: str(value) if name in {"arrived_at", "started_at"} else value
        for name, value in GOOD.items()
        if name != field
    }


def test_timestamps_are_shown_as_such():
    judged = judge(topology=[" "], arrived_at=pa.array([NANOS], pa.timestamp("ns", "UTC")))
    assert '"arrived_at": "2026-11-18 00:00:00.000000000Z"' in judged.rejects[0].text


@pytest.mark.parametrize(
    "stamp",
    [
        pa.array([T0], pa.int32()),
        pa.array([T0], pa.uint64()),
        pa.array([NANOS], pa.int64()),
        pa.array([float(T0)], pa.float64()),
        pa.array([Decimal(T0)], pa.decimal128(12, 2)),
        pa.array([T0], pa.timestamp("s")),
        pa.array([T0 * 1000], pa.timestamp("ms", "Europe/Paris")),
        pa.array([T0 * 10**6], pa.timestamp("us", "UTC")),
        pa.array([NANOS], pa.timestamp("ns")),
        pa.array([str(T0)]),
        pa.array(["2026-11-18T00:00:00Z"], pa.large_string()),
        pa.array([b"2026-11-18T00:00:00Z"]),
        pa.array(["2026-11-18T00:00:00Z"]).dictionary_encode(),
    ],
    ids=lambda stamp: str(stamp.type),
)
def test_times_of_every_type_are_the_same(stamp: pa.Array):
    judged = judge(arrived_at=stamp)
    assert judged.rejects == []
    assert (judged.records.arrived_ns.tolist(), judged.records.wait_ns.tolist()) == ([NANOS], [SECOND])


@pytest.mark.parametrize(
    ("column", "fault"),
    [
        (pa.array([T0 * 1000]), "is not between 1970 and 2200"),
        (pa.array([-1]), "is not between 1970 and 2200"),
        (pa.array([2**63 - 1]), "is not between 1970 and 2200"),
        (
            pa.array([datetime(2300, 1, 1, tzinfo=UTC)], pa.timestamp("us", "UTC")),
            "is not between 1970 and 2200",
        ),
        (
            pa.array([datetime(1969, 1, 1, tzinfo=UTC)], pa.timestamp("s")),
            "is not between 1970 and 2200",
        ),
        (pa.array([None], pa.timestamp("ns")), "is missing"),
        (pa.array([None]), "is missing"),
        (pa.array([20_000], pa.date32()), "is not a time"),
        (pa.array([True]), "is not a time"),
        (pa.array(["2026-11-18T00:00:00"]), "has no time zone"),
        (..., "is missing"),
    ],
)
def test_columns_that_are_no_times_are_told(column: Any, fault: str):
    assert find_reasons(judge(arrived_at=column)) == {0: f"arrived_at {fault}"}


@pytest.mark.parametrize(
    "tuple_id",
    [
        pa.array(["17"]),
        pa.array(["17"], pa.large_string()),
        pa.array(["17"], pa.string_view()),
        pa.array([b"17"]),
        pa.array([17]),
        pa.array(["17"]).dictionary_encode(),
    ],
    ids=lambda column: str(column.type),
)
def test_roots_are_those_of_json(tuple_id: pa.Array):
    judged, expected = judge(tuple_id=tuple_id), judge_json("log.jsonl", 0, good(tuple_id=17).encode())
    assert [str(column) for column in judged.records] == [str(column) for column in expected.records]


@pytest.mark.parametrize("kind", [pa.string(), pa.binary(), pa.dictionary(pa.int8(), pa.string())], ids=str)
def test_labels_of_every_type_are_text(kind: pa.DataType):
    names = pa.array(["t", "u", None, "t"], pa.string()).cast(kind)
    judged = judge(
        4,
        topology=names,
        operator=[7, 8, 9, None],
        sample_every=[1.0, 2, None, 3],
        sampling=["random", "", None, "x"],
    )
    assert find_reasons(judged) == {2: "topology is missing", 3: "operator is missing"}
    assert [tuple(judged.records.kinds[one]) for one in judged.records.kind] == [
        ("t", "7", "i", None, 1, True),
        ("u", "8", "i", None, 2, False),
    ]


@pytest.mark.parametrize("name", ["topology", "from_operator", "tuple_id", "arrived_at"])
@pytest.mark.parametrize("encode", [False, True], ids=["plain", "dictionary"])
def test_bytes_that_are_no_text_spoil_their_row_alone(name: str, encode: bool):  # noqa: FBT001
    text = str(GOOD.get(name, "u")).encode()
    column = pa.array([text, b"\xa7", text])
    if encode:  # as it is read from a file, without a check
        encoded = column.dictionary_encode()
        column = pa.DictionaryArray.from_arrays(encoded.indices, encoded.dictionary.view(pa.string()))
    judged = judge(3, **{name: column})
    assert find_reasons(judged) == {1: "not valid UTF-8"}
    assert judged.read == 3


def test_lists_are_no_names():
    assert find_reasons(judge(operator=[["o"]])) == {0: "operator is missing"}


def test_a_file_is_read_in_parts_that_know_their_first_row(tmp_path: Path):
    """The labels of a file are read as dictionaries; unknown columns are not read."""
    rows = make_rows(10, operator=["o"] * 7 + ["", "p", "o"], extra=[{"a": 1}] * 10)
    pq.write_table(rows, tmp_path / "log.parquet", row_group_size=4)
    judged = list(read_row_groups(str(tmp_path / "log.parquet"), range(1, 3), 4, most=3))
    found = [(one.block, one.lines, find_reasons(one)) for one in judged]
    assert found == [(4, 3, {}), (7, 1, {0: "operator is empty"}), (8, 2, {})]
    pq.write_table(pa.table({"x": [1, 2]}), tmp_path / "other.parquet")
    (other,) = read_row_groups(str(tmp_path / "other.parquet"), range(1), 0)
    assert find_reasons(other) == {0: "topology is missing", 1: "topology is missing"}
