"""Lines of CSV, read by columns, are what Python's csv module reads, and odd lines are told."""

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ingest.reading.text_lines import (
    MISFIT,
    NO_HEADER,
    judge_csv,
    judge_json,
    split_fields,
    split_header,
    split_lines,
)
from tests.ingest.records import GOOD, SECOND, T0, good

HEADER = ",".join(GOOD)
FINE = ",".join(map(str, GOOD.values()))


def find_reasons(*lines: str, header: str = HEADER) -> dict[int, str]:
    judged = judge_csv("log.csv", 0, "\n".join([*lines, ""]).encode(), header)
    assert judged.lines == len(lines)
    return {reject.line + 1: reject.reason for reject in judged.rejects}


def test_a_line_that_does_not_fit_its_header_is_rejected():
    found = find_reasons(
        HEADER,
        FINE,
        "",
        f"{FINE},more,and,more",
        "t,o",
        FINE.replace("t,", ",", 1),
        f'"{FINE}',
        FINE.replace("o", '"o\r"'),
        HEADER,
        FINE.replace("o", "o\ro"),
        FINE.replace("t", '"t"x', 1),
    )
    assert found == {
        4: MISFIT,
        5: MISFIT,
        6: "topology is missing",
        7: MISFIT,
        8: "operator holds control characters",
        10: MISFIT,
        11: MISFIT,
    }


@pytest.mark.parametrize(
    ("delimiter", "named"), [(";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars")]
)
def test_a_csv_of_another_delimiter_is_rejected_by_the_name_of_it(delimiter: str, named: str):
    header, line = (delimiter.join(map(str, row)) for row in (GOOD.keys(), GOOD.values()))
    fault = f"the CSV header is separated by {named}, not by commas"
    assert find_reasons(header, line, "", header=header) == {2: fault}


def test_a_csv_without_a_header_is_rejected_as_such():
    assert find_reasons(FINE, FINE, header=FINE) == {1: NO_HEADER, 2: NO_HEADER}
    assert find_reasons("", FINE, header="") == {2: NO_HEADER}


def test_records_are_those_of_json():
    judged = judge_csv("log.csv", 0, f"{HEADER}\r\n{FINE}\r\n".encode(), HEADER)
    expected = judge_json("log.csv", 0, good().encode())
    assert [str(column) for column in judged.records] == [str(column) for column in expected.records]
    assert (judged.lines, judged.read) == (2, 1)


def test_columns_may_stand_in_any_order_beside_others():
    header = ' "finished_at" ,x,' + ",".join(list(GOOD)[:-1]) + ",sample_every,x"
    line = f'2026-11-18T00:00:09Z,"a,""b",{",".join(map(str, list(GOOD.values())[:-1]))},,'
    judged = judge_csv("log.csv", 0, f"{header}\n{line}\n".encode(), header)
    assert judged.rejects == []
    assert judged.records.service_ns.tolist() == [8 * SECOND]
    assert judged.records.arrived_ns.tolist() == [T0 * SECOND]


def test_bytes_that_are_no_text_spoil_their_line_alone():
    data = "\n".join([HEADER, FINE, FINE.replace("o", "?"), FINE]).encode().replace(b"?", b"\xa7")
    judged = judge_csv("log.csv", 0, data, HEADER)
    assert [(reject.line, reject.reason) for reject in judged.rejects] == [(2, "not valid UTF-8")]
    assert judged.read == 3


fields = st.one_of(
    st.text(st.sampled_from("ab ,\"'é;\t\\"), max_size=4), st.sampled_from(["null", "NA", "nan", "1.5"])
)


@given(st.lists(st.lists(fields, min_size=3, max_size=3), max_size=6), st.booleans())
@example(rows=[["", "", ""], ["a", "b", "c"]], quoted=False)
def test_fields_are_split_as_python_splits_them(rows: list[list[str]], quoted: bool):  # noqa: FBT001
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL, lineterminator="\n").writerows(
        rows
    )
    faults: dict[int, str | None] = {}
    found = split_fields(split_lines(text.getvalue().encode()), ["topology", "x", "operator"], faults)
    assert found["topology"].to_pylist() == [row[0] or None for row in rows]
    assert found["operator"].to_pylist() == [row[2] or None for row in rows]
    assert faults == {}


def test_a_header_may_be_quoted():
    assert split_header("\"topology\", operator ,'x'") == ["topology", "operator", "'x'"]
