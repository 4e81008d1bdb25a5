"""Lines of JSON, read by columns, are what they are one by one."""

import json
from collections import Counter
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from ingest.reading.columns import mix_roots, read_roots
from ingest.reading.judge import FIELDS, LABELS, TIMES, Bare, Unusable, read_name, read_time
from ingest.reading.records import TupleKind
from ingest.reading.text_lines import judge_json
from tests.ingest.records import ACCEPTED, GOOD, REJECTED, SECOND, T0, good

BROKEN = "not one JSON object"
Event = tuple[TupleKind, int, int, int, int]

values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(
        [[1], {"a": "}"}, "7", "true", "null", "{a", "[b", "", " ", "random", "every-nth", 1e22, "x" * 201]
    ),
    st.floats(T0, T0 + 9),
    st.floats(T0, T0 + 9).map(str),
    st.integers(T0 - 2, T0 + 2),
    st.sampled_from(list(ACCEPTED)).map(lambda line: json.loads(line.strip().lstrip("\ufeff"))["arrived_at"]),
    st.sampled_from(
        ["2026-02-30T00:00:00Z", "2026-11-18T00:00:00", "2026-11-18t00:00:00z", "1_0", "inf", "NaN"]
    ),
)
changed = st.dictionaries(st.sampled_from([*FIELDS, "extra", "Topology"]), values, max_size=3)
objects = st.one_of(changed.map(lambda change: GOOD | change), changed).flatmap(
    lambda fields: st.builds(json.dumps, st.just(fields), ensure_ascii=st.booleans())
)
pieces = st.one_of(
    objects, st.sampled_from(["", "{", "}", "{}", " ", "null", ",", '"', '{"topology":"', "\r", "[]"])
)
lines = st.one_of(objects, objects, st.lists(pieces, max_size=3).map("".join))


def judge_line(line: str) -> Event | str | None:
    """A line by itself: a usable record, its fault, or None where it is blank."""
    if not line.strip():
        return None
    try:
        found = json.loads(
            line.strip(),
            object_pairs_hook=lambda pairs: dict(reversed(pairs)),
            parse_int=Bare,
            parse_float=Bare,
            parse_constant=Bare,
        )
    except ValueError:
        # DuckDB alone accepts a trailing comma.
        assume(duckdb.execute("SELECT json_valid(?)", [line]).fetchone() == (False,))
        return BROKEN
    return judge_fields(found) if isinstance(found, dict) else BROKEN


def judge_fields(found: dict[str, Any]) -> Event | str:
    read = {
        name: Bare(str(value).lower()) if isinstance(value, bool) else value for name, value in found.items()
    }
    values: dict[str, Any] = {}
    try:
        for field in FIELDS:
            if field in TIMES:
                values[field] = read_time(field, read.get(field))
            elif field == "tuple_id":
                values[field] = read_name(field, read.get(field))
            else:
                values[field] = LABELS[field](read.get(field))
            if field == "finished_at":
                check_order(*(values[time] for time in TIMES))
    except Unusable as fault:
        return str(fault)
    kind = TupleKind(*(values[label] for label in LABELS))
    arrived, started, finished = (values[time] for time in TIMES)
    return kind, find_root(kind, values["tuple_id"]), arrived, started, finished


def check_order(arrived: int, started: int, finished: int) -> None:
    if started < arrived:
        raise Unusable("started_at is before arrived_at")
    if finished < started:
        raise Unusable("finished_at is before started_at")


def find_root(kind: TupleKind, tuple_id: str) -> int:
    roots, _ = read_roots(pa.array([tuple_id]))
    return int(mix_roots([kind], np.zeros(1, np.int32), roots)[0])


def judge_together(given: list[str]) -> list[Event | str | None]:
    judged = judge_json("log.jsonl", 0, "\n".join([*given, ""]).encode())
    faults = {reject.line: reject.reason for reject in judged.rejects}
    records = zip(*(column.tolist() for column in judged.records[1:]), strict=True)
    events = [
        (judged.records.kinds[kind], root, arrived, arrived + wait, arrived + wait + service)
        for kind, root, arrived, wait, service in records
    ]
    assert judged.lines == len(given)
    assert judged.reasons == Counter(faults.values())
    assert len(judged.records.kinds) == len({event[0] for event in events})
    rest = iter(events)
    told = [faults.get(row) or (next(rest) if line.strip() else None) for row, line in enumerate(given)]
    assert not list(rest)
    return told


def has_odd_number(line: str) -> bool:
    """Whether a name may be a number that DuckDB writes in another way, or a time one that it alone reads ("1_0")."""
    try:
        found = json.loads(line)
    except ValueError:
        return False
    named = [found.get(name) for name in ("instance", "tuple_id")] if isinstance(found, dict) else []
    times = [found.get(name) for name in TIMES] if isinstance(found, dict) else []
    is_grouped = any(isinstance(time, str) and "_" in time for time in times)
    return is_grouped or any(isinstance(name, float) for name in named)


@given(st.lists(lines.filter(lambda line: not has_odd_number(line)), max_size=6))
@example(["", good()])
@example(["null" + good(), good()])
@example(['{"topology":"a}', '{","b":1}'])
@example(['{"topology":"a"}{"operator"', ':"b"}'])
@example([good()[:-1] + ',"topology":"b"}', good()[:-1] + ',"tuple_id":{}}'])
@example([good(), good(arrived_at=str(T0)), good(tuple_id=7), good(tuple_id="7")])
@example(
    [
        good(arrived_at=True),
        good(arrived_at=False, started_at=0),
        good(tuple_id="{a"),
        good(tuple_id={"a": 1}),
    ]
)
@example(
    [good(operator="7"), good(operator=7), good(operator="true"), good(operator=True), good(operator="7")]
)
@example([good(sampling="random"), good(sampling=None), good(sampling="every-nth"), good(sampling="")])
def test_lines_are_judged_together_as_one_by_one(given: list[str]):
    expected = [judge_line(line) for line in given]
    assert judge_together(given) == expected
    assert judge_together([good(arrived_at=str(T0)), *given])[1:] == expected, "times are looked for as texts"


@pytest.mark.parametrize("first", [good(), good(arrived_at=str(T0))], ids=["numbers", "texts"])
def test_every_fault_has_its_reason(first: str):
    data = "\n".join([first, *REJECTED]).encode() + b'\n{"topology":"\xff\xfe"}\n'
    judged = judge_json("log.jsonl", 0, data)
    expected = {line: reason for line, reason in enumerate(REJECTED.values(), start=1) if reason}
    found = {reject.line: reject.reason for reject in judged.rejects}
    assert found == expected | {len(REJECTED) + 1: "not valid UTF-8"}
    assert (judged.lines, judged.read) == (len(REJECTED) + 2, len(expected) + 2), (
        "the empty line is no record"
    )
    shown = {reject.line: reject.text for reject in judged.rejects}
    assert shown[1] == next(iter(REJECTED))
    assert shown[len(REJECTED) + 1] == '{"topology":"\ufffd\ufffd"}'
    assert max(map(len, shown.values())) == 201, "cut short, with an ellipsis"


@pytest.mark.parametrize("first", [good(), good(arrived_at=str(T0))], ids=["numbers", "texts"])
def test_usable_records_are_taken_to_the_nanosecond(first: str):
    judged = judge_json("log.jsonl", 0, "\n".join([first, *ACCEPTED]).encode())
    assert judged.rejects == []
    records = judged.records
    samples = [records.kinds[kind].sample_every for kind in records.kind.tolist()]
    assert list(zip(records.arrived_ns.tolist(), samples, strict=True))[1:] == list(ACCEPTED.values())
    assert records.wait_ns[0] == SECOND
    assert records.service_ns[0] == SECOND * 3 // 2


def test_what_duckdb_reads_as_json_is_json():
    given = [good()[:-1] + ",}", good()[:-1] + ',"extra":Infinity}', good()[:-1] + ',"extra":nan}']
    assert judge_json("log.jsonl", 0, "\n".join(given).encode()).reasons == {}


def test_bytes_that_are_no_text_spoil_their_line_alone():
    data = (
        good().encode() + b"\n" + good(operator="?").encode().replace(b"?", b"\xa7") + b"\n" + good().encode()
    )
    judged = judge_json("log.jsonl", 0, data)
    assert [(reject.line, reject.reason) for reject in judged.rejects] == [(1, "not valid UTF-8")]
    assert len(judged.records.kind) == 2


def test_a_block_may_be_empty_or_blank():
    for data, lines in ((b"", 0), (b"\n", 1), (b"\n \r\n\t", 3)):
        judged = judge_json("log.jsonl", 0, data)
        assert (judged.lines, judged.read, judged.records.kinds) == (lines, 0, [])
