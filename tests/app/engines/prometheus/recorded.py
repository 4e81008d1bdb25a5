"""What Prometheus answered about a Flink job, with the queries that were asked."""

import copy
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

from app.engines.answers import EngineAnswer
from tests.app.engines.mutating import load_golden

METRIC = "flink_taskmanager_job_task_"
SERVED = f"sum by (job_name, task_name)(rate({METRIC}numRecordsIn[1m]))"
SERVICE = (
    f"sum by (task_name)(rate({METRIC}numRecordsIn[1m])) / "
    f"sum by (task_name)(rate({METRIC}accumulateBusyTimeMs[1m])) * 1000"
)
PROCESSORS = f"count by (task_name)({METRIC}numRecordsIn)"
SENT = f'sum by (task_name)(rate({METRIC}numRecordsOut{{task_name="Source:_arrivals"}}[1m]))'


def load(name: str) -> Any:
    """A recorded answer."""
    return load_golden(f"prometheus/{name}.json")


def answer(body: Any, query: str = "", **parameters: object) -> EngineAnswer:
    """An answer to a query, with its path."""
    listed = {"query": query, "step": 15} | parameters
    return EngineAnswer(body, f"/api/v1/query_range?{urlencode(listed)}")


def list_rates() -> list[EngineAnswer]:
    """Answers to queries of rates."""
    asked = {"range-rate": SERVED, "range-service-rate": SERVICE, "range-parallelism": PROCESSORS}
    return [
        *(answer(load(name), query) for name, query in asked.items()),
        answer(load("range-source-out"), SENT),
    ]


def send_as_source(counted: Any) -> Any:
    """numRecordsOut of the source, which was recorded as a rate alone: all that it sends is taken in by parse."""
    document = copy.deepcopy(counted)
    series = [one for one in document["data"]["result"] if one["metric"]["task_name"] == "parse"]
    for one in series:
        one["metric"] |= {"__name__": f"{METRIC}numRecordsOut", "task_name": "Source:_arrivals"}
    document["data"]["result"] = series
    return document


def list_counters() -> list[EngineAnswer]:
    """Raw counters of all subtasks, without a path."""
    counted = load("range-numRecordsIn")
    return [EngineAnswer(one) for one in (counted, load("range-accumulateBusy"), send_as_source(counted))]


Labelled = tuple[dict[str, str], dict[float, str | float]]
"""The labels of a series and its points."""


def matrix(*series: Labelled) -> dict[str, Any]:
    """An answer of series."""
    result = [
        {"metric": labels, "values": [[at, str(value)] for at, value in points.items()]}
        for labels, points in series
    ]
    return {"status": "success", "data": {"resultType": "matrix", "result": result}}


def ask(role: str, points: dict[float, str | float], **parameters: object) -> EngineAnswer:
    """An answer in a role, of one series without labels."""
    return answer(matrix(({}, points)), f"sum(rate({role}[1m]))", role=role, **parameters)


def shorten(document: Any, series: int, points: slice) -> Any:
    """Some points of the first series."""
    data = document["data"]
    kept = [one | {"values": one["values"][points]} for one in data["result"][:series]]
    return document | {"data": data | {"result": kept}}


def list_rules(times: Iterable[float]) -> list[Labelled]:
    """Series of recording rules of the topology shop, over 40 s: 50/s reach score, 4 processors serve 20/s each."""
    said = {"external_rate": 50.0, "arrival_rate": 50.0, "busy_processors": 2.5, "processors": 4.0}
    listed = list(times)
    rules: list[Labelled] = []
    for role, value in said.items():
        labels = {"__name__": f"headgate:{role}", "topology": "shop", "window_seconds": "40"}
        operator = {} if role == "external_rate" else {"operator": "score"}
        rules.append((labels | operator, dict.fromkeys(listed, value)))
    return rules
