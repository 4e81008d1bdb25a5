"""app/engines/kafka/samples.py: lists of lags, by whatever tool."""

from typing import Any

import pytest

from app.engines.kafka.samples import PartitionState, make_lag_samples, read_rows
from tests.app.engines.kafka.made import row

CLI: dict[str, Any] = {
    "GROUP": "g",
    "TOPIC": "clicks",
    "PARTITION": "0",
    "CURRENT-OFFSET": "20",
    "LOG-END-OFFSET": "50",
    "LAG": "30",
}
REST: dict[str, Any] = {
    "kind": "KafkaConsumerLag",
    "consumer_group_id": "g",
    "topic_name": "clicks",
    "partition_id": 0,
    "consumer_id": "m-1",
    "current_offset": 20,
    "log_end_offset": 50,
    "lag": 30,
}
CAMEL = {"group": "g", "topic": "clicks", "partition": 0, "currentOffset": 20, "logEndOffset": 50, "lag": 30}
BURROW = {
    "topic": "clicks",
    "partition": 0,
    "owner": "m-1",
    "start": {"offset": 10, "timestamp": 1511200836090, "lag": 5},
    "end": {"offset": 20, "timestamp": 1511780580382, "lag": 25},
    "current_lag": 30,
}


@pytest.mark.parametrize(
    "body",
    [
        [row(0, 20, 50)],
        row(0, 20, 50),
        [CLI | {"CONSUMER-ID": "m-1"}],
        {"kind": "KafkaConsumerLagList", "data": [REST]},
        [CAMEL | {"consumerId": "m-1"}],
        {"error": False, "status": {"group": "g", "partitions": [BURROW]}},
    ],
)
def test_lists_of_all_kinds_are_read(body: Any):
    (found,) = read_rows(body, 5.0)
    assert found == ("g", ("clicks", 0), PartitionState(5.0, 50, 20, 30, "m-1", is_committed=True))


def test_what_is_not_known_stays_unknown():
    (found,) = read_rows([CLI | {"CURRENT-OFFSET": "-", "LAG": "-", "CONSUMER-ID": "-"}], 5.0)
    assert found.state == PartitionState(5.0, 50, None, None, None, is_committed=True)
    (found,) = read_rows([row(0, 20, 50) | {"current_offset": -1, "lag": -1, "log_end_offset": -1}], 5.0)
    assert found.state == PartitionState(5.0, None, None, None, "m-1", is_committed=True)


NO_PLACE: list[Any] = [{"topic": "a"}, {"topic": "", "partition": 0}, {"topic": "a", "partition": -1}]


@pytest.mark.parametrize("body", [None, [], {}, [None], *([one] for one in NO_PLACE)])
def test_rows_without_a_place_are_left_out(body: Any):
    assert read_rows(body, 5.0) == []


def test_rows_of_one_time_are_a_sample():
    later = read_rows([row(0, 1, 2), row(1, 1, 2)], 15.0)
    rows = [*later, *read_rows(row(0, 0, 1), 5.0), *read_rows(row(1, 0, 1), 5.0)]
    assert [(sample.at, len(sample.states)) for sample in make_lag_samples(rows)] == [(5.0, 2), (15.0, 2)]
