"""What a log says of queueing is taken over where it is clear, and told where a posted topology says otherwise."""

import pytest

from ingest.windows.queueing import SeenQueueing
from ingest.windows.stated_queueing import (
    compare_queueings,
    contradicts,
    merge_queueings,
    name_some,
    tell_of_queueings,
)


def see(queueing: str | None, operator: str = "a") -> SeenQueueing:
    return SeenQueueing("t", operator, queueing, "of 5000 waiting tuples 40.0% ...")


@pytest.mark.parametrize(
    ("seen", "stated", "expected"),
    [
        ("random", None, False),
        ("random", "random", False),
        ("random", "shared", True),
        ("random", "round-robin", True),
        ("random", "keyed", False),
        ("keyed", "random", True),
        ("shared", "keyed", True),
        (None, "shared", True),
        (None, "keyed", False),
        (None, None, False),
    ],
)
def test_a_statement_is_contradicted_by_what_it_rules_out(
    *, seen: str | None, stated: str | None, expected: bool
):
    assert contradicts(see(seen), stated) == expected


def test_what_is_known_stays_where_the_log_is_silent():
    known = {"a": "shared", "b": "keyed", "c": "random", "d": "shared"}
    seen = [see("round-robin"), see(None, "b"), see(None, "d"), see("keyed", "e"), see(None, "f")]
    assert merge_queueings(known, seen) == {"a": "round-robin", "b": "keyed", "c": "random", "e": "keyed"}
    assert merge_queueings(known, []) == known


def test_a_posted_topology_is_told_what_it_says_otherwise_and_what_it_leaves_unsaid():
    seen = [see("random"), see("keyed", "b"), see(None, "c"), see("shared", "elsewhere")]
    inferred, against = compare_queueings("t", seen, "abc", {"a": "shared"})
    assert (inferred.code, against.code) == ("queueing-inferred", "queueing-disagrees")
    assert "b has a queue per instance, of uneven shares (keyed): of 5000 waiting tuples" in inferred.detail
    assert "c has a queue per instance, and it is not clear how one is chosen: of 5000" in inferred.detail
    assert "elsewhere" not in inferred.detail
    assert "a is said to be shared, and has a queue per instance, chosen at random (random)" in against.detail
    assert compare_queueings("t", [see("random")], "a", {"a": "random"}) == []
    assert tell_of_queueings("t", []) == []


def test_long_lists_are_cut_short():
    assert name_some(map(str, range(13))) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 3 more"
