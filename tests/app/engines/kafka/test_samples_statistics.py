"""app/engines/kafka/samples.py: what a consumer of librdkafka knows."""

from typing import Any

import pytest

from app.engines.kafka.samples import ClientStatistics, is_statistics, make_samples, read_statistics
from tests.app.engines.kafka.made import AT, RECORDED, assign, go_on


def read(*documents: Any) -> list[ClientStatistics]:
    """The documents of consumers."""
    return [found for one in documents if (found := read_statistics(one, "", None)) is not None]


def test_the_recorded_document_is_read():
    (sample,) = make_samples(read(RECORDED))
    assert sorted(sample.places) == [("clicks", number) for number in range(4)]
    written, empty = sample.states["clicks", 0], sample.states["clicks", 1]
    assert (written.end, written.position, written.lag) == (50, 20, 30)
    # -1 is no lag and -1001 no offset; the partition never held a message, so none waits.
    assert (empty.end, empty.position, empty.lag, empty.waiting) == (0, 0, None, 0)


def test_the_internal_partition_is_none():
    assert "-1" in RECORDED["topics"]["clicks"]["partitions"]
    assert all(number >= 0 for one in read(RECORDED) for _, number in one.partitions)


def test_an_offset_that_is_not_known_is_not_0():
    document = go_on(RECORDED, 0, 0, 0)
    unknown = dict.fromkeys(("app_offset", "stored_offset", "committed_offset"), -1001)
    document["topics"]["clicks"]["partitions"]["0"] |= unknown | {"consumer_lag": -1}
    (sample,) = make_samples(read(document))
    state = sample.states["clicks", 0]
    assert (state.end, state.position, state.waiting) == (50, None, None)


def test_times_are_exact_by_the_clock_of_the_client():
    """`time` is in whole seconds."""
    first, second = make_samples(read(RECORDED, go_on(RECORDED, 10.9, 0, 0)))
    assert second.at - first.at == pytest.approx(10.9)


def test_members_make_one_sample_until_one_comes_again():
    one, other = assign(RECORDED, "one", "01"), assign(RECORDED, "other", "23")
    samples = make_samples(read(one, other, go_on(one, 5, 1, 1), go_on(other, 5, 1, 1)))
    assert [len(sample.states) for sample in samples] == [4, 4]
    assert [len(sample.list_members()) for sample in samples] == [2, 2]


def test_clients_of_one_name_in_two_processes_are_two():
    one, other = (
        assign(RECORDED, "rdkafka#consumer-1", "01"),
        assign(RECORDED, "rdkafka#consumer-1", "23", born=10**7),
    )
    assert len(make_samples(read(one, other))) == 1


@pytest.mark.parametrize("changed", [{"type": "producer"}, {"time": None}, {"time": "NaN"}, {"time": 1e14}])
def test_what_is_no_consumer_or_has_no_time_is_left_out(changed: dict[str, Any]):
    assert read_statistics(RECORDED | changed, "", None) is None


def test_the_time_of_the_answer_stands_in():
    found = read_statistics(RECORDED | {"time": None}, "", AT)
    assert found is not None
    assert found.at == AT.timestamp()


def test_a_topic_that_nobody_reads_is_left_out():
    document = go_on(RECORDED, 0, 0, 0)
    document["topics"]["other"] = assign(RECORDED, "x", "")["topics"]["clicks"]
    assert {topic for topic, _ in read(document)[0].partitions} == {"clicks"}


def test_a_document_is_known_by_its_form():
    assert is_statistics(RECORDED)
    assert not is_statistics([RECORDED])
    assert not is_statistics({"topics": [], "name": ""})
