"""Recorded answers of a real Flink, and changes of them for tests."""

import copy
import json
from pathlib import Path
from typing import Any, cast

from app.engines.answers import EngineAnswer, EngineReading, list_answers, read_answers

FOLDER = Path("tests/golden/engines/flink")
JOB = "137fb1cad48a7720f2976c548dfbb1bd"
PARSE = "a0bcbe636c3291fd3f45c25deb2b0823"

Json = Any


def load(name: str) -> Json:
    """One recorded document."""
    return json.loads((FOLDER / f"{name}.json").read_text())


def read(body: Json) -> EngineReading:
    """What the reader makes of a body, as the service calls it."""
    return read_answers("flink", list_answers(body))


def answer(name: str, path: str = "") -> EngineAnswer:
    """One recorded document as an answer."""
    return EngineAnswer(load(name), path)


def vertex(job: Json, name: str) -> Json:
    """A vertex of a job's document, by its name."""
    return next(one for one in job["vertices"] if one["name"] == name)


def remove_vertex(job: Json, place: int) -> None:
    """Takes a vertex out of a job's document, and out of its plan."""
    gone = job["vertices"].pop(place)["id"]
    job["plan"]["nodes"] = [one for one in job["plan"]["nodes"] if one["id"] != gone]


def set_input(job: Json, name: str, strategy: str) -> Json:
    """The job with another exchange before a vertex."""
    changed = copy.deepcopy(job)
    of_vertex = vertex(changed, name)["id"]
    node = next(one for one in changed["plan"]["nodes"] if one["id"] == of_vertex)
    node["inputs"][0]["ship_strategy"] = strategy
    return changed


STEADY = {
    "arrivals": (0.0, 40.0, 0.0),
    "parse": (40.0, 80.0, 0.4),
    "score": (80.0, 80.0, 0.5),
    "out": (80.0, 0.0, 0.0),
}
"""Rates of a job that keeps up with 40 records per second, as `later` takes them."""


def later(job: Json, seconds: float, **rates: tuple[float, float, float]) -> Json:
    """The job some seconds later: per vertex (named without "Sink: ") records in and out per second, and busy share."""
    changed = copy.deepcopy(job)
    changed["now"] += round(seconds * 1000)
    for one in changed["vertices"]:
        metrics, count = one["metrics"], one["parallelism"]
        taken, sent, busy = rates[cast("str", one["name"]).rpartition(": ")[2]]
        metrics["read-records"] += round(taken * seconds)
        metrics["write-records"] += round(sent * seconds)
        if metrics["accumulated-busy-time"] != "NaN":
            busy_ms = round(1000 * seconds * count * busy)
            metrics["accumulated-busy-time"] += busy_ms
            metrics["accumulated-idle-time"] += round(1000 * seconds * count) - busy_ms
    return changed


def codes(reading: EngineReading) -> set[str]:
    """The codes of its diagnostics."""
    return {one.code for one in reading.diagnostics}


def list_selectivities(reading: EngineReading) -> dict[tuple[str, str], float]:
    """The selectivity of each edge of the topology."""
    assert reading.topology is not None
    return {(one.source, one.target): one.selectivity for one in reading.topology.edges}
