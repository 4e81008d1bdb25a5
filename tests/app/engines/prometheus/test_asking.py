"""app/engines/prometheus/asking.py: queries on Flink's counters, at the time of Prometheus."""

import re
from collections.abc import Mapping

import pytest
from pydantic import JsonValue

from app.engines.answers import EngineAnswer, read_parameters
from app.engines.prometheus import asking
from app.engines.prometheus.reader import read
from app.engines.prometheus.signals import RULE
from tests.app.engines.prometheus.recorded import Labelled, list_rules, matrix

LABELS = {"job_name": "network", "job_id": "61a36912bebfff2997551877d703a4fc"}
VALUES: dict[str, tuple[str | float, str | float]] = {
    "served_rate": (0.0, 40.0),
    "sent_rate": (40.0, 0.0),
    "busy_processors": ("NaN", 2.0),
    "back_pressured_processors": (0.0, 0.4),
    "processors": (1.0, 4.0),
    "unchanged_processors": (1.0, 4.0),
}


class Prometheus:
    """Answers as one that scraped so often in the last minute; a source sends 40/s to one operator."""

    def __init__(self, scrapes: int) -> None:
        self.scrapes = scrapes

    def get(self, path: str) -> EngineAnswer:
        asked = read_parameters(path)
        if "role" not in asked:
            known = (self.scrapes or asked["query"] == "time()") and RULE not in asked["query"]
            result: list[JsonValue] = [{"metric": {}, "value": [1795041988.269, str(self.scrapes)]}]
            data: JsonValue = {"resultType": "vector", "result": result if known else []}
            return EngineAnswer({"status": "success", "data": data}, path)
        assert asked["start"] == asked["end"]
        values = dict(zip(("Source:_arrivals", "parse"), VALUES[asked["role"]], strict=True))
        series: list[Labelled] = [
            (LABELS | {"task_name": name}, {float(asked["end"]): one}) for name, one in values.items()
        ]
        return EngineAnswer(matrix(*series), path)


def test_one_sample_is_read_with_the_clock_of_prometheus():
    reading = read(asking.ask(Prometheus(12), "network"))
    load = reading.loads[0]
    assert load.observed_at is not None
    assert load.observed_at.timestamp() + load.window_seconds == 1795041988 // 7 * 7
    assert (load.window_seconds, load.external_rate) == (30.0, 40.0)
    parse = load.operators["parse"]
    assert (parse.service_rate, parse.processors, parse.arrival_rate) == (20.0, 4, 40.0)
    assert parse.back_pressured_share == pytest.approx(0.1)
    assert reading.marks == {"job": LABELS["job_id"], "job_name": "network"}


@pytest.mark.parametrize(
    ("scrapes", "window"), [(60, 15), (12, 30), (6, 60), (4, 60), (2, 120), (1, 300), (0, 300)]
)
def test_a_window_has_four_scrapes(scrapes: int, window: int):
    times = asking.find_times(Prometheus(scrapes), "x")
    assert times.window == window
    assert 0 <= 1795041988 - times.end < window / 4


class Rules:
    """Answers with recording rules of the topology shop; the range is asked for as the rules' windows say."""

    def __init__(self) -> None:
        self.asked: list[Mapping[str, str]] = []

    def get(self, path: str) -> EngineAnswer:
        asked = read_parameters(path)
        self.asked.append(asked)
        start, end, step = (float(asked.get(name, 1795041988)) for name in ("start", "end", "step"))
        times = [start + step * place for place in range(int((end - start) // step) + 1)]
        return EngineAnswer(matrix(*list_rules(times)), path)


def test_recording_rules_come_first():
    rules = Rules()
    reading = read(asking.ask(rules, 'the "shop"'))
    chosen = r'{__name__=~"headgate:.+",topology="the \"shop\""}'
    assert rules.asked[0] == {"query": chosen}
    assert rules.asked[1] == {"query": chosen, "start": "1795041940", "end": "1795041980", "step": "10"}
    (load,) = reading.loads
    score = load.operators["score"]
    assert (load.window_seconds, load.external_rate) == (40.0, 50.0)
    assert (score.service_rate, score.processors, score.arrival_rate) == (20.0, 4, 50.0)
    assert reading.marks == {"job": "shop", "job_name": "shop"}


def test_every_point_of_one_grid_is_the_same_interval():
    """So that a sample that is sent twice replaces what was stored."""
    times = {asking.find_times(Prometheus(12), "x") for _ in range(3)}
    assert len(times) == 1


@pytest.mark.parametrize(
    ("job", "labels"),
    [
        (None, ""),
        ("61a36912bebfff2997551877d703a4fc", '{job_id="61a36912bebfff2997551877d703a4fc"}'),
        ("network", '{job_name=~"network"}'),
        ('my "job"', r'{job_name=~"my\\ \"job\"|my__job_"}'),
        ("a.b", r'{job_name=~"a\\.b|a_b"}'),
    ],
)
def test_a_job_is_chosen_by_name_or_id(job: str | None, labels: str):
    assert asking.filter_job(job) == labels


def test_each_query_is_asked_with_its_window():
    paths = list(asking.make_paths(asking.list_flink_queries("network"), asking.Times(1795041960, 30)))
    asked = [read_parameters(path) for path in paths]
    assert [one["role"] for one in asked] == list(VALUES)
    assert all(re.search(r"\[30s\]|offset 30s|^count by", one["query"]) for one in asked)
    assert {(one["start"], one["end"], one["step"]) for one in asked} == {("1795041960", "1795041960", "30")}
