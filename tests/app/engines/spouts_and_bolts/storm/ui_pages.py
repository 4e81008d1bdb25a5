"""The executor tables of a real run, put into the JSON of Storm's UI."""

import csv
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from pydantic import JsonValue

from app.engines.answers import EngineAnswer
from app.engines.spouts_and_bolts.storm.components import StormComponent
from app.engines.spouts_and_bolts.storm.diagnostics import find_storm_diagnostics
from app.engines.spouts_and_bolts.storm.pages import sort_answers
from app.engines.spouts_and_bolts.storm.samples import MeasuredSample, measure_sample
from planner.values import Diagnostic

GOLDEN = Path(__file__).parents[4] / "golden" / "engines" / "storm"
BOLTS = ("parse", "pi", "fileWrite", "blob", "table")
TOPOLOGY_ID = "linear-1-1446571009"
AT = datetime(2026, 11, 18, 12, tzinfo=UTC)
JsonObject = dict[str, JsonValue]


def read_table(bolt: str) -> list[dict[str, str]]:
    """The rows of a bolt's table, with the UI's headings."""
    with (GOLDEN / "linear-default" / f"{bolt}.csv").open(newline="") as table:
        return list(csv.DictReader(table))


def make_row(row: dict[str, str]) -> JsonObject:
    """One row of executorStats (UIHelpers.getBoltExecutorStats)."""
    return {
        "id": row["Id"],
        "uptime": row["Uptime"],
        "uptimeSeconds": seconds_of(row["Uptime"]),
        "host": row["Host"],
        "port": int(row["Port"]),
        "emitted": int(row["Emitted"]),
        "transferred": int(row["Transferred"]),
        "capacity": row["Capacity (last 10m)"],
        "executeLatency": row["Execute latency (ms)"],
        "executed": int(row["Executed"]),
        "processLatency": row["Process latency (ms)"],
        "acked": int(row["Acked"]),
        "failed": int(row["Failed"]),
    }


def seconds_of(uptime: str) -> int:
    """The seconds of an uptime of minutes and seconds."""
    minutes, seconds = uptime.split()
    return 60 * int(minutes.removesuffix("m")) + int(seconds.removesuffix("s"))


def make_component_page(bolt: str) -> JsonObject:
    """The page of a bolt, of the window of ten minutes."""
    rows = [make_row(row) for row in read_table(bolt)]
    return {
        "id": bolt,
        "name": "linear",
        "topologyId": TOPOLOGY_ID,
        "componentType": "bolt",
        "window": "600",
        "windowHint": "10m 0s",
        "executors": len(rows),
        "tasks": len(rows),
        "executorStats": list(rows),
    }


def make_bolt_row(bolt: str) -> JsonObject:
    """The bolt's row on the topology's page: capacity is that of the busiest executor."""
    rows = read_table(bolt)
    executed = sum(int(row["Executed"]) for row in rows)
    busy = sum(int(row["Executed"]) * float(row["Execute latency (ms)"]) for row in rows)
    emitted = sum(int(row["Emitted"]) for row in rows)
    return {
        "boltId": bolt,
        "executors": len(rows),
        "tasks": len(rows),
        "emitted": emitted,
        "transferred": emitted,
        "capacity": f"{max(float(row['Capacity (last 10m)']) for row in rows):.3f}",
        "executeLatency": f"{busy / executed:.3f}",
        "executed": executed,
        "processLatency": "0.000",
        "acked": 0,
        "failed": 0,
        "errorLapsedSecs": None,
    }


def make_topology_page(uptime: int = 301) -> JsonObject:
    """The page of the topology with the totals of all bolts."""
    return {
        "id": TOPOLOGY_ID,
        "name": "linear",
        "status": "ACTIVE",
        "uptime": f"{uptime // 60}m {uptime % 60}s",
        "uptimeSeconds": uptime,
        "tasksTotal": 74,
        "executorsTotal": 74,
        "workersTotal": 20,
        "msgTimeout": 30,
        "window": "600",
        "windowHint": "10m 0s",
        "topologyStats": [],
        "spouts": [],
        "bolts": [make_bolt_row(bolt) for bolt in BOLTS],
        "configuration": {"topology.stats.sample.rate": 0.05},
    }


def read_golden(name: str) -> JsonObject:
    """A document of tests/golden/engines/storm."""
    document: JsonObject = json.loads((GOLDEN / name).read_text())
    return document


def answer(*bodies: JsonValue, at: datetime | None = AT) -> list[EngineAnswer]:
    """Bodies as answers, without paths."""
    return [EngineAnswer(body, at=at) for body in bodies]


def measure(*bodies: JsonValue, at: datetime | None = AT) -> MeasuredSample:
    """The newest sample of these pages."""
    pages = sort_answers(answer(*bodies, at=at))
    return replace(measure_sample(pages.samples[-1], pages.graph), nameless=pages.nameless)


def read_components(*bodies: JsonValue) -> Mapping[str, StormComponent]:
    """The components of the newest sample."""
    return measure(*bodies).interval.components


def diagnose(*bodies: JsonValue, at: datetime | None = AT) -> dict[str, Diagnostic]:
    """The diagnostics of the newest sample by code."""
    return {one.code: one for one in find_storm_diagnostics(measure(*bodies, at=at))}
