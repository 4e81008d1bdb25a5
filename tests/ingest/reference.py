"""The definitions once more, in numpy and plain Python, one tuple after the other: what Spark is held against."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

NS = 1_000_000_000
Key = tuple[str, str, int]


@dataclass(frozen=True)
class Event:
    topology: str
    operator: str
    instance: str
    tuple_id: str
    from_operator: str | None
    arrived_ns: int
    started_ns: int
    finished_ns: int
    sample_every: int = 1

    def moved(self, nanos: int) -> "Event":
        return replace(
            self,
            arrived_ns=self.arrived_ns + nanos,
            started_ns=self.started_ns + nanos,
            finished_ns=self.finished_ns + nanos,
        )


def drop_duplicates(events: Iterable[Event]) -> list[Event]:
    """Of equal names and arrivals the one that finished last is kept."""
    kept: dict[tuple[Any, ...], Event] = {}
    for e in events:
        key = (e.topology, e.operator, e.instance, e.tuple_id, e.arrived_ns)
        if key not in kept or (e.finished_ns, e.started_ns) > (kept[key].finished_ns, kept[key].started_ns):
            kept[key] = e
    return list(kept.values())


def scv(values: Iterable[float]) -> float | None:
    found = np.array(list(values), dtype=np.float64)
    if len(found) < 2 or found.mean() == 0:
        return None
    return float(found.var() / found.mean() ** 2)


def summarise_operators(events: Iterable[Event], window_seconds: int) -> dict[Key, dict[str, Any]]:
    kept = drop_duplicates(events)
    window_ns = window_seconds * NS
    timelines = defaultdict(list)
    for e in kept:
        timelines[e.topology, e.operator].append(e)
    gaps: defaultdict[Key, list[float]] = defaultdict(list)
    members: defaultdict[Key, list[Event]] = defaultdict(list)
    for (topology, operator), timeline in timelines.items():
        timeline.sort(key=lambda e: e.arrived_ns)
        for place, e in enumerate(timeline):
            key = (topology, operator, e.arrived_ns // window_ns)
            members[key].append(e)
            if place:
                gaps[key].append((e.arrived_ns - timeline[place - 1].arrived_ns) / NS)
    return {key: summarise_window(found, gaps[key], window_seconds) for key, found in members.items()}


def summarise_window(events: list[Event], gaps: list[float], window_seconds: int) -> dict[str, Any]:
    waits = np.array([(e.started_ns - e.arrived_ns) / NS for e in events])
    services = np.array([(e.finished_ns - e.started_ns) / NS for e in events])
    sojourns = np.array([(e.finished_ns - e.arrived_ns) / NS for e in events])
    sample = float(np.mean([e.sample_every for e in events]))
    arrival_scv = scv(gaps)
    busy: defaultdict[str, float] = defaultdict(float)
    upstream: defaultdict[str | None, int] = defaultdict(int)
    for e, service in zip(events, services, strict=True):
        busy[e.instance] += e.sample_every * service / window_seconds
        upstream[e.from_operator] += 1
    fractions = list(busy.values())
    summary = {
        "tuples": len(events),
        "arrival_rate": sum(e.sample_every for e in events) / window_seconds,
        "arrival_scv": None if arrival_scv is None else arrival_scv * sample,
        "service_rate": 1 / services.mean() if services.mean() > 0 else None,
        "service_scv": scv(services),
        "mean_wait_seconds": waits.mean(),
        "mean_sojourn_seconds": sojourns.mean(),
        "instances": len(busy),
        "busy_fractions": dict(busy),
        "busy_spread": max(fractions) - min(fractions),
        "busy_skew": max(fractions) / np.mean(fractions) if max(fractions) > 0 else None,
        "upstream": dict(upstream),
    }
    for name, values in (("wait", waits), ("sojourn", sojourns)):
        for percent in (50, 95, 99):
            summary[f"{name}_p{percent}_seconds"] = np.quantile(values, percent / 100)
    return summary


def summarise_topologies(
    events: Iterable[Event], window_seconds: int
) -> dict[tuple[str, int], dict[str, float | None]]:
    kept = drop_duplicates(events)
    window_ns = window_seconds * NS
    outside: defaultdict[tuple[str, int], int] = defaultdict(int)
    roots = defaultdict(list)
    for e in kept:
        outside[e.topology, e.arrived_ns // window_ns] += e.sample_every if e.from_operator is None else 0
        roots[e.topology, e.tuple_id].append(e)
    totals = defaultdict(list)
    completions = defaultdict(list)
    for (topology, _), found in roots.items():
        first = min(e.arrived_ns for e in found)
        totals[topology, first // window_ns].append(sum(e.finished_ns - e.arrived_ns for e in found) / NS)
        completions[topology, first // window_ns].append((max(e.finished_ns for e in found) - first) / NS)
    return {
        key: {
            "external_rate": weight / window_seconds,
            "root_tuples": len(totals[key]),
            "mean_total_sojourn_seconds": float(np.mean(totals[key])) if totals[key] else None,
            "mean_completion_seconds": float(np.mean(completions[key])) if totals[key] else None,
        }
        for key, weight in outside.items()
    }
