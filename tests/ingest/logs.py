"""Logs of random tuples through a small topology, as events and as lines."""

import json
from datetime import UTC, datetime
from typing import Any

import numpy as np

from tests.ingest import reference
from tests.ingest.reference import NS, Event

START_NS = 1_794_960_000 * NS  # 2026-11-18T00:00:00Z


def make_events(
    roots: int,
    seed: int,
    *,
    seconds: float = 300,
    topology: str = "fpd",
    sample_every: int = 1,
    sampling: str = "every-nth",
) -> list[Event]:
    """Root tuples through generator -> detector (which sometimes feeds itself) -> reporter, in whole µs."""
    random = np.random.default_rng(seed)
    events: list[Event] = []
    for root in range(roots):
        at = START_NS + int(random.uniform(0, seconds) * 1e6) * 1000
        todo: list[tuple[str, str | None, int]] = [("generator", None, at)]
        while todo:
            operator, upstream, arrived = todo.pop()
            started = arrived + int(random.exponential(0.02) * 1e6) * 1000
            finished = started + int(random.exponential(0.01) * 1e6) * 1000
            instance = f"{operator}-{random.integers(0, 3)}"
            events.append(
                Event(
                    topology,
                    operator,
                    instance,
                    f"r{root}",
                    upstream,
                    arrived,
                    started,
                    finished,
                    sample_every,
                    sampling,
                )
            )
            if operator == "generator":
                todo += [("detector", operator, finished)] * int(random.integers(0, 3))
            elif operator == "detector":
                todo += [("detector", operator, finished)] * int(random.random() < 0.1)
                todo += [("reporter", operator, finished)] * int(random.random() < 0.4)
    return events


def make_single_events(roots: int, seed: int) -> list[Event]:
    """The same without duplicates, so that a run measures once."""
    return reference.drop_duplicates(make_events(roots, seed))


def make_sparse_events() -> list[Event]:
    """One root; windows of too few tuples to know an SCV, a service rate or a sojourn, and one of an SCV of 2e6."""

    def make(operator: str, seconds: float, served_ns: int, sample_every: int = 1) -> Event:
        at = START_NS + round(seconds * NS)
        return Event("sparse", operator, "i", "a", None, at, at, at + served_ns, sample_every)

    slow = [make("slow", seconds, NS) for seconds in (5, 65, 70, 125, 126, 128)]
    instant = [make("instant", seconds, 0) for seconds in (6, 8, 66, 126)]
    bursts = [make("bursts", seconds, NS, sample_every=1_000_000) for seconds in (0.001, 0.002, 0.003, 50)]
    return [*slow, *instant, *bursts]


def to_record(event: Event) -> dict[str, Any]:
    """Times as floats of epoch seconds."""
    return {
        "topology": event.topology,
        "operator": event.operator,
        "instance": event.instance,
        "tuple_id": event.tuple_id,
        "from_operator": event.from_operator,
        "arrived_at": event.arrived_ns / NS,
        "started_at": event.started_ns / NS,
        "finished_at": event.finished_ns / NS,
        "sample_every": event.sample_every,
        "sampling": event.sampling,
    }


def to_json(event: Event, **changes: Any) -> str:
    return json.dumps(to_record(event) | changes)


def to_iso(nanos: int, zone: str = "Z", shift_hours: int = 0) -> str:
    """With a zone and whole microseconds."""
    moved = nanos + shift_hours * 3600 * NS
    whole = datetime.fromtimestamp(moved // NS, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{whole}.{moved % NS // 1000:06d}{zone}"
