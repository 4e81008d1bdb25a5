"""A walk notes what is not read, and the walk back leaves it out and finds all others in their places."""

from itertools import count

from app.database.document_walks import Differences, Needed, Rebuilding, Skipped

BASE = {"a": 1.5, "b": {"c": [2.5, "old"], "d": 3.5}, "e": "same", "f": "before"}
OTHER = {"a": 1.25, "b": {"c": [2.5, "new"], "d": 3.5}, "e": "same", "f": "after"}


def test_places_are_numbered_in_the_order_of_keys():
    found = Differences()
    found.compare(BASE, OTHER, count())
    assert (found.places, found.words) == ([5, 8], [("old", "new"), ("before", "after")])
    assert found.numbers == [("a", 1.5, 1.25), ("c", 2.5, 2.5), ("d", 3.5, 3.5)]


def test_what_is_not_read_is_passed_over():
    needed = Needed({5, 8})
    needed.collect(BASE, parts={"b": {"d": None}, "f": None})
    assert needed.skipped == {1: Skipped(1, 0, 1), 3: Skipped(3, 1, 1), 7: Skipped(1, 0, 0)}
    assert (needed.words, needed.numbers) == (["old", "before"], [1.5, 2.5, 3.5])
    back = Rebuilding({5, 8}, ["new", "after"], [1.25, 2.5, 4.5], needed.skipped)
    assert back.rebuild(BASE) == {"b": {"d": 4.5}, "f": "after"}
