"""An independent implementation of every definition in numpy and plain Python, to compare Spark's numbers with."""

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
    sampling: str = "every-nth"

    def moved(self, nanos: int) -> "Event":
        return replace(
            self,
            arrived_ns=self.arrived_ns + nanos,
            started_ns=self.started_ns + nanos,
            finished_ns=self.finished_ns + nanos,
        )


def drop_duplicates(events: Iterable[Event]) -> list[Event]:
    """Records of equal names and times are one."""
    kept: dict[tuple[Any, ...], Event] = {}
    for e in events:
        times = (e.arrived_ns, e.started_ns, e.finished_ns)
        kept.setdefault((e.topology, e.operator, e.instance, e.tuple_id, *times), e)
    return list(kept.values())


def scv(values: Iterable[float]) -> float | None:
    found = np.array(list(values), dtype=np.float64)
    if len(found) < 2 or found.mean() == 0:
        return None
    return float(found.var() / found.mean() ** 2)


def find_cover(events: Iterable[Event], window_ns: int) -> dict[str, tuple[int, int] | None]:
    """From one mean gap before a topology's first arrival to one after its last, of the arrivals from outside.

    The mean is of the gaps in as many whole windows as it takes to have eleven arrivals.
    """
    topologies: defaultdict[str, list[Event]] = defaultdict(list)
    for e in events:
        topologies[e.topology].append(e)
    return {name: find_one_cover(found, window_ns) for name, found in topologies.items()}


def find_one_cover(events: list[Event], window_ns: int) -> tuple[int, int] | None:
    at = sorted(e.arrived_ns for e in events)
    counted = sorted(e.arrived_ns for e in events if e.from_operator is None) or at
    head = [t for t in counted if t // window_ns <= counted[min(10, len(counted) - 1)] // window_ns]
    tail = [t for t in counted if t // window_ns >= counted[max(-11, -len(counted))] // window_ns]
    if len(counted) < 2 or counted[-1] == counted[0]:
        return None
    ends = [one if one[-1] > one[0] else counted for one in (head, tail)]
    before, after = (max(1, (one[-1] - one[0]) // (len(one) - 1)) for one in ends)
    return at[0] - before, at[-1] + after


def cover_window(cover: tuple[int, int] | None, window: int, window_ns: int) -> float | None:
    """Seconds of it."""
    if cover is None:
        return None
    return (min(cover[1], (window + 1) * window_ns) - max(cover[0], window * window_ns)) / NS


def overlap(begin: int, end: int, span: tuple[int, int]) -> int:
    return max(0, min(end, span[1]) - max(begin, span[0]))


def count_busy(timeline: list[Event], span: tuple[int, int], end: int | None) -> tuple[int, float]:
    """The most services under way at once within a span, and the time in service up to `end`, in seconds."""
    inside = [e for e in timeline if e.started_ns < e.finished_ns]
    inside = [e for e in inside if e.started_ns < span[1] and e.finished_ns > span[0]]
    most = 0
    for at in {max(span[0], e.started_ns) for e in inside}:
        most = max(most, sum(e.started_ns <= at < e.finished_ns for e in inside))
    until = (span[0], max(span[0], span[1] if end is None else min(span[1], end)))
    return most, sum(overlap(e.started_ns, e.finished_ns, until) for e in inside) / NS


def find_sessions(timeline: list[Event], window_ns: int, cover: tuple[int, int]) -> list[tuple[int, int]]:
    """Stretches of an instance between silences of an hour (seen where windows meet), longer by their mean silence,
    and up to the log's ends where those are within five times that.
    """
    windows: defaultdict[tuple[str, int], list[Event]] = defaultdict(list)
    for e in timeline:
        windows[e.instance, e.arrived_ns // window_ns].append(e)
    sessions: dict[str, list[list[Event]]] = {}
    for (instance, _), found in sorted(windows.items()):
        known = sessions.setdefault(instance, [])
        ended = max((e.finished_ns for session in known for e in session), default=None)
        if ended is None or min(e.started_ns for e in found) - ended > 3600 * NS:
            known.append([])
        known[-1].extend(found)
    stretches = [one for known in sessions.values() for one in known]
    silences = [find_silence(one) for one in stretches if len(one) > 1]
    usual = sum(silences) / sum(len(one) - 1 for one in stretches if len(one) > 1) if silences else 1800 * NS
    spans = []
    for one in stretches:
        begin, end = min(e.started_ns for e in one), max(e.finished_ns for e in one)
        pad = min(int(find_silence(one) / (len(one) - 1) if len(one) > 1 else usual), 1800 * NS)
        near = min(5 * pad, 1800 * NS)
        spans.append(
            (
                cover[0] if begin - near <= cover[0] else begin - pad,
                cover[1] if end + near >= cover[1] else end + pad,
            )
        )
    return spans


def find_silence(session: list[Event]) -> int:
    """For how long in all nothing was served, had no two services overlapped."""
    length = max(e.finished_ns for e in session) - min(e.started_ns for e in session)
    return max(0, length - sum(e.finished_ns - e.started_ns for e in session))


def count_processors(
    timeline: list[Event], key: Key, cover: tuple[int, int] | None, window_ns: int
) -> dict[str, Any]:
    span = (key[2] * window_ns, (key[2] + 1) * window_ns)
    most, busy = count_busy(timeline, span, cover and cover[1])
    found = [e for e in timeline if e.arrived_ns // window_ns == key[2]]
    names, every = len({e.instance for e in found}), float(np.mean([e.sample_every for e in found]))
    covered = cover_window(cover, key[2], window_ns)
    counted = {"most_busy": most, "mean_busy": busy * every / (covered or window_ns / NS)}
    if cover is None or covered is None:
        return counted | {"instances_present": None, "processors": names, "processors_basis": "names-seen"}
    clipped = (max(span[0], cover[0]), min(span[1], cover[1]))
    sessions = [
        (max(begin, cover[0]), min(end, cover[1])) for begin, end in find_sessions(timeline, window_ns, cover)
    ]
    present = sum(overlap(*one, clipped) for one in sessions) / NS / covered
    at_some_time = sum(begin < span[1] and end >= span[0] for begin, end in sessions)
    return counted | {
        "instances_present": present,
        "processors": most if most > at_some_time else max(1, int(present + 0.5)),
        "processors_basis": "most-busy" if most > at_some_time else "present",
    }


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
    covers = find_cover(kept, window_ns)
    summaries = {}
    for key, found in members.items():
        cover = covers[key[0]]
        covered = cover_window(cover, key[2], window_ns)
        summary = summarise_window(found, gaps[key], covered or window_seconds)
        counted = count_processors(timelines[key[:2]], key, cover, window_ns)
        summaries[key] = summary | counted | {"covered_seconds": covered}
    return summaries


def scale_scv(sampled: float | None, events: list[Event]) -> float | None:
    """n·c where every n-th was logged, 1 + n(c − 1) where each was by chance; unknown where both."""
    every = float(np.mean([e.sample_every for e in events]))
    kinds = {e.sampling for e in events if e.sample_every > 1}
    if sampled is None or len(kinds) > 1:
        return None
    return max(0.0, 1 + every * (sampled - 1)) if kinds == {"random"} else sampled * every


def summarise_window(events: list[Event], gaps: list[float], seconds: float) -> dict[str, Any]:
    waits = np.array([(e.started_ns - e.arrived_ns) / NS for e in events])
    services = np.array([(e.finished_ns - e.started_ns) / NS for e in events])
    sojourns = np.array([(e.finished_ns - e.arrived_ns) / NS for e in events])
    busy: defaultdict[str, float] = defaultdict(float)
    upstream: defaultdict[str | None, int] = defaultdict(int)
    for e, service in zip(events, services, strict=True):
        busy[e.instance] += e.sample_every * service / seconds
        upstream[e.from_operator] += 1
    fractions = list(busy.values())
    summary = {
        "tuples": len(events),
        "arrival_rate": sum(e.sample_every for e in events) / seconds,
        "arrival_scv": scale_scv(scv(gaps), events),
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


def quantiles(name: str, values: list[float]) -> dict[str, float | None]:
    return {
        f"{name}_{label}_seconds": float(np.quantile(values, fraction)) if values else None
        for label, fraction in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
    }


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
    have_outside = {e.topology for e in kept if e.from_operator is None}
    for (topology, _), found in roots.items():
        if topology in have_outside and all(e.from_operator is not None for e in found):
            continue
        first = min(e.arrived_ns for e in found)
        totals[topology, first // window_ns].append(sum(e.finished_ns - e.arrived_ns for e in found) / NS)
        completions[topology, first // window_ns].append((max(e.finished_ns for e in found) - first) / NS)
    covers = find_cover(kept, window_ns)
    covered = {key: cover_window(covers[key[0]], key[1], window_ns) for key in outside}
    return {
        key: {
            "covered_seconds": covered[key],
            "external_rate": weight / (covered[key] or window_seconds),
            "root_tuples": len(totals[key]),
            "mean_total_sojourn_seconds": float(np.mean(totals[key])) if totals[key] else None,
            "mean_completion_seconds": float(np.mean(completions[key])) if totals[key] else None,
        }
        | quantiles("total", totals[key])
        | quantiles("completion", completions[key])
        for key, weight in outside.items()
    }
