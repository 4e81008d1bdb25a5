"""The documents of tests/golden/engines/heron as answers, and parts of them changed."""

import copy
from datetime import UTC, datetime
from typing import Any

from app.engines.answers import EngineAnswer
from app.engines.spouts_and_bolts.flows import MeasuredInterval
from app.engines.spouts_and_bolts.heron.components import HeronComponent, read_components
from app.engines.spouts_and_bolts.heron.documents import sort_documents
from app.engines.spouts_and_bolts.heron.measures import measure_timelines
from app.engines.spouts_and_bolts.heron.reader import measure_components, read
from planner.values import Diagnostic
from tests.app.engines.mutating import load_golden

AT = datetime(2026, 11, 18, 12, 10, 20, tzinfo=UTC)
NAMES = ("logicalplan", "physicalplan", "timeline-word", "timeline-split", "timeline-count", "timeline-stmgr")
WHERE = "cluster=local&role=ads&environ=default&topology=words"


def load(name: str) -> Any:
    """A document."""
    return load_golden(f"heron/{name}.json")


def make_documents() -> dict[str, Any]:
    """All documents of one sample, by name."""
    return {name: load(name) for name in NAMES}


def make_answers(documents: dict[str, Any], at: datetime | None = AT) -> list[EngineAnswer]:
    """Documents as the answers to paths that name the topology."""
    return [EngineAnswer(body, f"/topologies/x?{WHERE}", at) for body in documents.values()]


def edit_grouping(grouping: str) -> dict[str, Any]:
    """The documents with another grouping between split and count."""
    documents = copy.deepcopy(make_documents())
    documents["logicalplan"]["bolts"]["count"]["inputs"][0]["grouping"] = grouping
    return documents


def measure(documents: dict[str, Any]) -> MeasuredInterval[HeronComponent]:
    """The interval of documents with timelines."""
    found = sort_documents(make_answers(documents))
    measures = measure_timelines(found.timelines)
    assert measures is not None
    return measure_components(read_components(found, measures), measures)


def diagnose(documents: dict[str, Any]) -> dict[str, Diagnostic]:
    """The diagnostics of the newest interval by code."""
    return {one.code: one for one in read(make_answers(documents)).diagnostics}


def scale(documents: dict[str, Any], name: str, metric: str, factor: float) -> None:
    """Multiply the points of one metric."""
    for points in documents[name]["timeline"][metric].values():
        points.update({at: str(float(value) * factor) for at, value in points.items()})
