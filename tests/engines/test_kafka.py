"""Statistics of real consumers: librdkafka speaks the real protocol with its own mock broker."""

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import Any

import httpx
import pytest
from confluent_kafka import Consumer, Producer

from tests.engines.flink_cluster import wait_for

Statistics = dict[str, Any]
TOPIC, GROUP, PARTITIONS = "orders", "billing", 4
OFFERED, SERVICE_SECONDS = 150.0, 0.020
"""Two consumers serve 100 messages/s, and 150 are offered: lag grows."""


@pytest.fixture
def broker() -> Iterator[str]:
    """The address of a mock broker: it lives in a client."""
    owner = Producer({"test.mock.num.brokers": 1, "bootstrap.servers": "unused:9092"})
    broker = next(iter(owner.list_topics(timeout=30).brokers.values()))
    yield f"{broker.host}:{broker.port}"
    owner.flush(10)


def produce(broker: str, ended: Event) -> None:
    """Sends messages at the offered rate, to all partitions in turn."""
    producer = Producer({"bootstrap.servers": broker})
    began, sent = time.monotonic(), 0
    while not ended.wait(0.02):
        while sent < OFFERED * (time.monotonic() - began):
            producer.produce(TOPIC, b"x", partition=sent % PARTITIONS)
            sent += 1
        producer.poll(0)
    producer.flush(10)


def consume(broker: str, heard: list[Statistics], ended: Event) -> None:
    """One member of the group, which takes a known time for each message."""
    settings = {
        "bootstrap.servers": broker,
        "group.id": GROUP,
        "auto.offset.reset": "earliest",
        "statistics.interval.ms": 1000,
        "session.timeout.ms": 6000,
    }
    consumer = Consumer(settings | {"stats_cb": lambda text: heard.append(json.loads(text))})
    consumer.subscribe([TOPIC])
    while not ended.is_set():
        message = consumer.poll(0.1)
        if message is not None and message.error() is None:
            time.sleep(SERVICE_SECONDS)
    consumer.close()


@contextmanager
def running_group(broker: str) -> Iterator[list[list[Statistics]]]:
    """A producer and two consumers; the statistics that each consumer has given."""
    heard: list[list[Statistics]] = [[], []]
    ended = Event()
    with ThreadPoolExecutor(3) as pool:
        ran = [pool.submit(produce, broker, ended)]
        ran += [pool.submit(consume, broker, one, ended) for one in heard]
        try:
            yield heard
        finally:
            ended.set()
        for one in ran:
            one.result(timeout=60)


def count_lags(statistics: Statistics) -> int:
    """The partitions of which a consumer knows how far it is."""
    partitions = statistics.get("topics", {}).get(TOPIC, {}).get("partitions", {})
    return sum(1 for one in partitions.values() if one.get("app_offset", -1) > 0)


def is_shared(heard: list[list[Statistics]], looks: int) -> bool:
    """Whether each member has told so often that it reads its half of the partitions."""
    return all(sum(1 for said in one if count_lags(said) == PARTITIONS / 2) >= looks for one in heard)


def test_offered_served_and_lag_are_read(
    broker: str, client: httpx.Client, name: str, report: Callable[[str], None]
) -> None:
    with running_group(broker) as heard:
        wait_for(lambda: is_shared(heard, 8), "both members have read for a while")
        pairs = [(one[-6], one[-1]) for one in heard]
    sent = {
        "answers": [
            {"path": f"?group={GROUP}", "body": said} for pair in zip(*pairs, strict=True) for said in pair
        ]
    }
    stored = client.post(f"/v1/topologies/{name}/snapshots/from/kafka", json=sent)
    assert stored.status_code == 201, stored.text
    newest = client.get(f"/v1/topologies/{name}/snapshots").json()["items"][-1]
    group = newest["operators"][GROUP]
    report(
        f"kafka: external rate {newest['external_rate']:.1f} (true {OFFERED:.0f}), service rate of one consumer "
        f"{group['service_rate']:.1f} (true {1.0 / SERVICE_SECONDS:.0f}), lag {group['backlog_tuples']:.0f}"
    )
    assert newest["external_rate"] == pytest.approx(OFFERED, rel=0.15)
    assert group["processors"] == 2
    assert group["served_rate"] == pytest.approx(2.0 / SERVICE_SECONDS, rel=0.2)
    assert group["service_rate"] == pytest.approx(1.0 / SERVICE_SECONDS, rel=0.2)
    assert group["backlog_tuples"] > OFFERED
