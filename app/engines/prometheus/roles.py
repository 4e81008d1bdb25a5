"""What a query measures: its role, as the path says it, or as the metrics of Flink in the query show."""

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

Role = Literal[
    "external_rate",
    "arrival_rate",
    "served_rate",
    "sent_rate",
    "service_rate",
    "service_seconds",
    "busy_processors",
    "back_pressured_processors",
    "processors",
    "unchanged_processors",
    "backlog_tuples",
    "wait_seconds",
    "sojourn_seconds",
]
ROLES: tuple[Role, ...] = get_args(Role)
MEANS: frozenset[Role] = frozenset({"service_rate", "service_seconds", "wait_seconds", "sojourn_seconds"})
"""What two series of one operator cannot be added up for."""

METRIC = "flink_taskmanager_job_task_"
COUNTERS: Mapping[str, tuple[Role, float]] = {
    f"{METRIC}numRecordsIn": ("served_rate", 1.0),
    f"{METRIC}numRecordsOut": ("sent_rate", 1.0),
    f"{METRIC}accumulateBusyTimeMs": ("busy_processors", 1e-3),
    f"{METRIC}accumulateBackPressuredTimeMs": ("back_pressured_processors", 1e-3),
}
"""Counters of each subtask: what their growth per second is, and in which unit."""

RULE = "headgate:"
"""How the names of recording rules for Headgate begin; the role follows."""

RANGE = re.compile(r"\[\s*([0-9a-z]+)\s*(?::[^\]]*)?\]")
PART = re.compile(r"(\d+)(ms|[smhdwy])")
SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0, "y": 31_536_000.0}
LONGEST_SECONDS = 86_400.0


class Query(NamedTuple):
    """What a query measures; values × `factor` are in the unit of the role."""

    role: Role
    factor: float = 1.0


def name_role(parameters: Mapping[str, str]) -> Query | None:
    """The role that the path gives, or that the query shows; None: unknown."""
    given = parameters.get("role")
    if given is not None:
        return Query(given) if given in ROLES else None
    return recognise(parameters.get("query", ""))


def read_rule(labels: Mapping[str, str]) -> Mapping[str, str] | None:
    """The parameters of a recording rule headgate:ROLE, out of its labels topology, operator and window_seconds."""
    name = labels.get("__name__", "")
    if not name.startswith(RULE):
        return None
    known = {field: labels[field] for field in ("topology", "operator", "window_seconds") if field in labels}
    return known | {"role": name.removeprefix(RULE)}


def recognise(promql: str) -> Query | None:
    """The role of a query on Flink's counters, such as sum by (task_name)(rate(flink_..._numRecordsIn[1m]))."""
    names = [f"{METRIC}{name}" for name in re.findall(rf"{METRIC}(\w+)", promql)]
    known = [name for name in names if name in COUNTERS]
    if len(known) < len(names) or not known:
        return None
    text = promql.replace(" ", "")
    if text.startswith("count") and len(set(known)) == 1:
        return Query("processors") if len(known) == 1 else None
    if not text.startswith("sum") or "rate(" not in text:
        return None
    if len(known) == 1:
        role, factor = COUNTERS[known[0]]
        return Query(role, 1.0 if text.endswith("/1000") else factor)
    return _recognise_quotient(known, text)


def _recognise_quotient(known: list[str], text: str) -> Query | None:
    """Records per busy millisecond, or × 1000 per busy second."""
    if [COUNTERS[name][0] for name in known] != ["served_rate", "busy_processors"] or text.count(
        ")/sum"
    ) != 1:
        return None
    return Query("service_rate", 1.0 if text.endswith("*1000") else 1000.0)


def find_window(parameters: Mapping[str, str]) -> float | None:
    """The seconds that each value covers: window_seconds, or the longest [range] of the query, or the step."""
    for name in ("window_seconds", "query", "step"):
        text = parameters.get(name, "")
        found = [read_duration(one) for one in (RANGE.findall(text) if name == "query" else [text])]
        lengths = [one for one in found if one is not None]
        if lengths:
            return max(lengths)
    return None


def read_duration(text: str) -> float | None:
    """Seconds, from a number or a duration of PromQL such as 1m30s; None where it is neither, or over a day."""
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text):
        seconds = float(text)
    elif re.fullmatch(rf"(?:{PART.pattern})+", text) and len(text) <= 40:
        seconds = sum(float(count) * SECONDS[unit] for count, unit in PART.findall(text))
    else:
        return None
    return seconds if 1.0 <= seconds <= LONGEST_SECONDS else None
