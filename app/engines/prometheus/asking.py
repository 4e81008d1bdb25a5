"""The queries for one sample of a job, from a Prometheus that scrapes Flink; times are those of Prometheus."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from app.engines.answers import Asker, EngineAnswer
from app.engines.prometheus.signals import METRIC, RULE, Role, read_document, read_duration

LOOK_BACK = 60
"""Seconds in which scrapes are counted."""
DEFAULT_WINDOW = 60
WINDOWS = (15, 30, 60, 120, 300, 600)
SCRAPES = 4
"""Enough scrapes for a reliable rate: https://prometheus.io/docs/prometheus/latest/querying/functions/#rate."""
BY = "by (job_name, job_id, task_name)"
JOB_ID = re.compile(r"[0-9a-f]{32}")

Queries = Mapping[Role, str]
"""A query for each role; {window} in a query stands for the range of its rates."""


class Times(NamedTuple):
    """The times to ask Prometheus for: the end of the range in epoch seconds, and the length of each rate's window."""

    end: int
    window: int


def ask(asker: Asker, job: str | None) -> list[EngineAnswer]:
    """Asks Prometheus for one sample; `job` is a topology with recording rules headgate:ROLE, or a Flink job's name or
    id.

    A sample of Flink is one point: rates over the last few scrapes.
    """
    return ask_rules(asker, job) or ask_queries(
        asker, list_flink_queries(job), f"{METRIC}numRecordsIn{filter_job(job)}"
    )


def ask_rules(asker: Asker, topology: str | None) -> list[EngineAnswer]:
    """Asks for the recording rules of a topology over the last window, in quarters of the window; no answers if no rule
    exists.
    """
    chosen = f'{{__name__=~"{RULE}.+"{"" if topology is None else f",topology={_quote(topology)}"}}}'
    series = read_document(asker.get(f"/api/v1/query?{urlencode({'query': chosen})}").body).series
    if not series:
        return []
    windows = [read_duration(one.labels.get("window_seconds", "")) for one in series]
    window = max([int(one) for one in windows if one is not None], default=DEFAULT_WINDOW)
    step = max(window // SCRAPES, 1)
    end = int(max(at for one in series for at in one.points)) // step * step
    times = {"query": chosen, "start": end - window, "end": end, "step": step}
    return [asker.get(f"/api/v1/query_range?{urlencode(times)}")]


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def ask_queries(asker: Asker, queries: Queries, scraped: str) -> list[EngineAnswer]:
    """Asks Prometheus these queries; the query `scraped` selects series that show how often targets are scraped."""
    times = find_times(asker, scraped)
    return [asker.get(path) for path in make_paths(queries, times)]


def find_times(asker: Asker, scraped: str) -> Times:
    """The present time of Prometheus, whole to a quarter of a window, and a window that holds four scrapes or more.

    The series `up` also counts scrapes of a target that is older than the job's series.
    """
    targets = f"count_over_time(up[{LOOK_BACK}s]) and on (instance) group by (instance) ({scraped})"
    counted = f"max(({targets}) or count_over_time({scraped}[{LOOK_BACK}s]))"
    now, scrapes = _read_point(asker, counted)
    if now is None:
        now, _ = _read_point(asker, "time()")
    window = choose_window(scrapes)
    whole = max(window // SCRAPES, 1)
    return Times(int(now or 0.0) // whole * whole, window)


def _read_point(asker: Asker, query: str) -> tuple[float | None, float | None]:
    """The time and the value that Prometheus answers to an instant query; None for both if it has no value."""
    document = read_document(asker.get(f"/api/v1/query?{urlencode({'query': query})}").body)
    points = [point for series in document.series for point in series.points.items()]
    return points[0] if points else (None, None)


def choose_window(scrapes: float | None) -> int:
    """The shortest window with enough scrapes; `scrapes` is how often targets were scraped in the time LOOK_BACK."""
    interval = LOOK_BACK / scrapes if scrapes else LOOK_BACK
    return next((one for one in WINDOWS if one >= SCRAPES * interval), WINDOWS[-1])


def make_paths(queries: Queries, times: Times) -> Iterator[str]:
    """The path of each query, with its role: Prometheus ignores parameters that it does not know."""
    for role, query in queries.items():
        parameters: Sequence[tuple[str, str | int]] = [
            ("query", query.replace("{window}", f"{times.window}s")),
            ("start", times.end),
            ("end", times.end),
            ("step", times.window),
            ("role", role),
        ]
        yield f"/api/v1/query_range?{urlencode(parameters)}"


def list_flink_queries(job: str | None) -> Queries:
    """The queries on the counters of Flink's tasks; a task that runs through the whole window counts as unchanged."""
    chosen = filter_job(job)
    records, blocked = f"{METRIC}numRecordsIn{chosen}", f"{METRIC}accumulateBackPressuredTimeMs{chosen}"
    return {
        "served_rate": f"sum {BY} (rate({records}[{{window}}]))",
        "sent_rate": f"sum {BY} (rate({METRIC}numRecordsOut{chosen}[{{window}}]))",
        "busy_processors": f"sum {BY} (rate({METRIC}accumulateBusyTimeMs{chosen}[{{window}}])) / 1000",
        "back_pressured_processors": f"sum {BY} (rate({blocked}[{{window}}])) / 1000",
        "processors": f"count {BY} ({records})",
        "unchanged_processors": f"count {BY} ({records} and {records} offset {{window}})",
    }


def filter_job(job: str | None) -> str:
    """The label filter that chooses a Flink job by its id, or by its name as Flink's reporter writes it (_ for other
    characters than letters).
    """
    if job is None:
        return ""
    if JOB_ID.fullmatch(job):
        return f'{{job_id="{job}"}}'
    names = dict.fromkeys([job, re.sub(r"[^a-zA-Z0-9:_]", "_", job)])
    return f"{{job_name=~{_quote('|'.join(map(re.escape, names)))}}}"
