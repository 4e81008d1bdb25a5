"""Buckets of a histogram of services become the histogram of an operator's load."""

from urllib.parse import urlencode

from pydantic import JsonValue

from app.engines.answers import EngineAnswer
from app.engines.prometheus.reader import read

AT = 1_763_000_060.0


def answer(role: str, *rows: tuple[dict[str, str], str]) -> EngineAnswer:
    result: list[JsonValue] = [
        {"metric": dict[str, JsonValue](labels), "values": [[AT, value]]} for labels, value in rows
    ]
    query = urlencode({"query": "x[60s]", "step": "60", "role": role, "operator": "score"})
    return EngineAnswer(
        {"status": "success", "data": {"resultType": "matrix", "result": result}},
        f"/api/v1/query_range?{query}",
    )


def test_buckets_are_told_apart_by_their_bounds_and_those_of_instances_are_added_up():
    buckets = [
        ({"le": bound, "pod": pod}, value)
        for pod in "xy"
        for bound, value in (("0.1", "1"), ("0.2", "3"), ("+Inf", "3.5"))
    ]
    reading = read(
        [
            answer("arrival_rate", ({}, "10")),
            answer("service_rate", ({}, "20")),
            answer("service_buckets", *buckets),
        ]
    )
    (load,) = reading.loads
    found = [(one.upper_seconds, one.count) for one in load.operators["score"].service_histogram]
    assert found == [(0.1, 120), (0.2, 240), (0.4, 60)]


def test_a_series_without_a_bound_is_no_bucket():
    reading = read([answer("arrival_rate", ({}, "10")), answer("service_buckets", ({"pod": "x"}, "3"))])
    assert not reading.loads[0].operators["score"].service_histogram
