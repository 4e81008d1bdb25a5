"""Rejected lines are found again in their files, whatever the order in which blocks are read."""

import numpy as np

from ingest.reading.records import (
    LINE_LENGTH,
    MOST_REJECTS,
    Judged,
    Records,
    Reject,
    number_rejects,
    show_line,
)


def reject(line: int) -> Reject:
    return Reject(line, "torn", f"text {line}")


def test_lines_are_numbered_across_blocks_and_files():
    found = number_rejects(
        [
            ("b", 0, 3, [reject(2)]),
            ("a", 900, 5, [reject(0), reject(4)]),
            ("a", 0, 10, [reject(9)]),
            ("a", 1000, 1, []),
            ("a", 2000, 7, [reject(1)]),
        ]
    )
    assert list(found) == [
        ("a", 10, "torn", "text 9"),
        ("a", 11, "torn", "text 0"),
        ("a", 15, "torn", "text 4"),
        ("a", 18, "torn", "text 1"),
        ("b", 3, "torn", "text 2"),
    ]


def test_no_more_rejects_are_listed_than_are_stored():
    rejects = [reject(line) for line in range(MOST_REJECTS // 2)]
    found = list(number_rejects(("a", block, len(rejects), rejects) for block in range(3)))
    assert len(found) == MOST_REJECTS
    assert found[-1][1] == MOST_REJECTS


def test_a_long_line_is_shown_cut_short_and_without_nul():
    assert show_line("x" * LINE_LENGTH) == "x" * LINE_LENGTH
    assert show_line("y" * (LINE_LENGTH + 1)) == "y" * LINE_LENGTH + "…"
    assert show_line("a\x00b") == "ab"


def test_what_was_read_is_usable_or_rejected():
    none = np.zeros(4, np.int64)
    records = Records([], none.astype(np.int32), none.astype(np.uint64), none, none, none)
    assert Judged("a", 0, 9, records, [], {"torn": 2, "odd": 1}).read == 7
