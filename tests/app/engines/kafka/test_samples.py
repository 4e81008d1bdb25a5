"""app/engines/kafka/samples.py: partitions at a time, and who reads them."""

import pytest

from app.engines.kafka.samples import GroupSample, PartitionState


@pytest.mark.parametrize(
    ("end", "position", "lag", "waiting"),
    [
        (50, 20, 30, 30),
        (50, 20, None, 30),
        (50, 20, 45, 30),  # librdkafka counts its lag from the last commit
        (50, None, 45, 45),
        (10, 20, 0, 0),
        (50, None, None, None),
        (None, 20, None, None),
        (10, 20, None, None),
    ],
)
def test_what_waits(end: int | None, position: int | None, lag: int | None, waiting: int | None):
    assert PartitionState(0.0, end, position, lag).waiting == waiting


def test_members_are_known_if_every_partition_has_one():
    sample = GroupSample(
        {("a", 0): PartitionState(5.0, 1, 1, 0, "x"), ("a", 1): PartitionState(6.0, 1, 1, 0, "x")}
    )
    assert sample.list_members() == {"x": [("a", 0), ("a", 1)]}
    assert sample.at == 6.0
    sample.states["a", 2] = PartitionState(6.0, None, 1, 0)
    assert sample.list_members() == {}
    assert sample.is_complete([("a", 0)])
    assert not sample.is_complete([("a", 2)])
    assert not sample.is_complete([("b", 0)])
