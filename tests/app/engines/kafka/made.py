"""Documents of a consumer that goes on from the recorded one, and lists of lags."""

import copy
from datetime import UTC, datetime, timedelta
from typing import Any

from app.engines.answers import EngineAnswer
from tests.app.engines.mutating import load_golden

RECORDED: Any = load_golden("kafka/librdkafka-stats.json")
AT = datetime(2026, 11, 18, tzinfo=UTC)


def go_on(document: Any, seconds: float, written: int, read: int) -> Any:
    """The statistics so much later: so many messages more were written to each partition, and read."""
    later = copy.deepcopy(document)
    later["time"] = int(later["time"] + seconds)
    for clock in ("ts", "age"):
        later[clock] += round(seconds * 1e6)
    for number, partition in later["topics"]["clicks"]["partitions"].items():
        if number != "-1" and partition["desired"]:
            position = max(partition["app_offset"], 0) + read
            end = partition["hi_offset"] + written
            offsets = dict.fromkeys(("app_offset", "stored_offset", "committed_offset"), position)
            partition.update(offsets | {"hi_offset": end, "consumer_lag": max(end - position, 0)})
    return later


def assign(document: Any, client: str, partitions: str, born: int = 0) -> Any:
    """The statistics of a member that reads these partitions alone; others have no offsets."""
    own = copy.deepcopy(document) | {"name": client}
    own["ts"] += born
    for number, partition in own["topics"]["clicks"]["partitions"].items():
        if number not in partitions:
            unknown = dict.fromkeys(("hi_offset", "lo_offset", "app_offset", "committed_offset"), -1001)
            partition.update(unknown | {"desired": False, "fetch_state": "none", "consumer_lag": -1})
    return own


def answer(*bodies: Any, seconds: float = 10.0, path: str = "") -> list[EngineAnswer]:
    """The answers, so many seconds apart."""
    return [
        EngineAnswer(body, path, AT + timedelta(seconds=seconds * place)) for place, body in enumerate(bodies)
    ]


def row(
    partition: int, position: int, end: int, member: str | None = "m-1", group: str = "g"
) -> dict[str, Any]:
    """One partition of a list of lags."""
    return {
        "group": group,
        "topic": "clicks",
        "partition": partition,
        "current_offset": position,
        "log_end_offset": end,
        "lag": end - position,
        "member": member,
    }


def shrink(document: Any) -> Any:
    """The parts that are read."""
    kept = ("name", "client_id", "type", "ts", "time", "age", "topics")
    small = {name: document[name] for name in kept}
    fields = (
        "desired",
        "hi_offset",
        "lo_offset",
        "app_offset",
        "stored_offset",
        "committed_offset",
        "consumer_lag",
    )
    partitions = {
        number: {field: partition[field] for field in fields}
        for number, partition in document["topics"]["clicks"]["partitions"].items()
    }
    return small | {"topics": {"clicks": {"partitions": partitions}}}
