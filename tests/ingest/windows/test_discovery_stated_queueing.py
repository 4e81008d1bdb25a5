"""What a log says of queueing is taken over where it is clear, and told where a posted topology says otherwise."""

import pytest

from ingest.windows.discovery import (
    IF_WRONG,
    compare_queueings,
    contradicts,
    join_names,
    merge_queueings,
    report_queueings,
)
from ingest.windows.queueing import SeenQueueing


def see(queueing: str, operator: str = "a", *, is_sure: bool = True) -> SeenQueueing:
    return SeenQueueing("t", operator, queueing, "40.0% of 5000 waiting tuples ...", is_sure)


def guess(queueing: str, operator: str = "a") -> SeenQueueing:
    return see(queueing, operator, is_sure=False)


@pytest.mark.parametrize(
    ("seen", "stated", "expected"),
    [
        (see("random"), None, False),
        (see("random"), "random", False),
        (see("random"), "shared", True),
        (see("random"), "round-robin", True),
        (see("random"), "keyed", False),
        (see("keyed"), "random", True),
        (see("shared"), "keyed", True),
        (guess("random"), "shared", True),
        (guess("random"), "round-robin", False),
        (guess("keyed"), "random", False),
        (guess("keyed"), None, False),
    ],
)
def test_a_statement_is_contradicted_by_what_it_rules_out(
    *, seen: SeenQueueing, stated: str | None, expected: bool
):
    assert contradicts(seen, stated) == expected


def test_what_is_known_stays_where_the_log_is_silent():
    known = {"a": "shared", "b": "keyed", "c": "random", "d": "shared"}
    seen = [
        see("round-robin"),
        guess("random", "b"),
        guess("random", "d"),
        see("keyed", "e"),
        guess("keyed", "f"),
    ]
    taken = {"a": "round-robin", "d": "random", "e": "keyed", "f": "keyed"}
    assert merge_queueings(known, seen) == known | taken
    assert merge_queueings(known, []) == known


def test_a_posted_topology_is_told_what_it_says_otherwise_and_what_it_leaves_unsaid():
    seen = [see("random"), see("keyed", "b"), guess("random", "c"), see("shared", "elsewhere")]
    notes = compare_queueings("t", seen, "abc", {"a": "shared"})
    assert [note.code for note in notes] == ["queueing-inferred", "queueing-uncertain", "queueing-disagrees"]
    inferred, uncertain, against = notes
    assert (
        "b has a queue per instance, of uneven shares (keyed): 40.0% of 5000 waiting tuples"
        in inferred.detail
    )
    assert (
        "c has most likely a queue per instance, chosen at random (random), with which E[T] is too long if"
        in uncertain.detail
    )
    assert "of 5000 waiting tuples" in uncertain.detail
    assert "elsewhere" not in inferred.detail
    assert "a is posted as shared, but has a queue per instance, chosen at random (random)" in against.detail
    assert compare_queueings("t", [see("random")], "a", {"a": "random"}) == []
    assert report_queueings("t", []) == []


def test_what_is_only_likely_is_told_with_the_way_that_e_t_errs_where_nothing_better_is_known():
    notes = report_queueings("t", [guess(kind, kind) for kind in IF_WRONG], {"random": "shared"})
    assert [note.code for note in notes] == ["queueing-uncertain"]
    for kind, errs in IF_WRONG.items():
        assert f"({kind}), with which E[T] is {errs}: 40.0% of 5000" in notes[0].detail
    (against,) = compare_queueings("t", [guess("keyed")], "a", {"a": "shared"})
    assert (
        "a is posted as shared, but has most likely a queue per instance, of uneven shares" in against.detail
    )
    assert report_queueings("t", [guess("random")], {"a": "round-robin"}) == []


def test_long_lists_are_cut_short():
    assert join_names(map(str, range(13))) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 3 more"
