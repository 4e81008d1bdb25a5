"""app/engines/spouts_and_bolts/groupings.py: groupings of Storm and Heron, and the queues that they make."""

import pytest

from app.engines.spouts_and_bolts.groupings import ALL, ONE_COPY, QUEUEINGS, read_grouping


@pytest.mark.parametrize(
    ("written", "grouping"),
    [
        ("shuffle", "shuffle"),
        (":fields", "fields"),
        ("LOCAL_OR_SHUFFLE", "local_or_shuffle"),
        ("localOrShuffle", "local_or_shuffle"),
        ("local-or-shuffle", "local_or_shuffle"),
        ("LOWEST", "global"),
        ("custom_serialized", "custom_serialized"),
        ("", None),
        (None, None),
    ],
)
def test_groupings_are_written_in_many_ways(written: str | None, grouping: str | None):
    assert read_grouping(written) == grouping


def test_all_alone_copies_tuples():
    assert set(QUEUEINGS) - ONE_COPY == {ALL}
