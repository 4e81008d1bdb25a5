"""The answers of Prometheus' query and query_range: series of points, or an error."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pydantic import JsonValue

from app.engines.numbers import read_list, read_number, read_object, read_text

LAST_SECOND = 253_402_300_000.0
"""The end of the calendar, 9999-12-31."""

Points = Mapping[float, float | None]
"""Values by their time in epoch seconds; None: "NaN", or what is no rate."""


class LabelledSeries(NamedTuple):
    """The labels of a series and its points."""

    labels: Mapping[str, str]
    points: Points


class Answered(NamedTuple):
    """What a query was answered with; `error` is Prometheus' own text, or what is wrong with the document."""

    series: tuple[LabelledSeries, ...]
    error: str | None = None


def read_document(body: JsonValue) -> Answered:
    """The series of an answer: of a matrix, a vector or a scalar."""
    document = read_object(body)
    if document.get("status") == "error":
        return Answered((), read_text(document.get("error")) or "an error without a text")
    data = read_object(document.get("data"))
    kind, result = read_text(data.get("resultType")), data.get("result")
    if document.get("status") != "success" or kind not in {"matrix", "vector", "scalar"}:
        return Answered((), "not what /api/v1/query or /api/v1/query_range answers")
    if kind == "scalar":
        return Answered(tuple(_make_series({}, [result])))
    found: list[LabelledSeries] = []
    for one in map(read_object, read_list(result)):
        points = read_list(one.get("values")) if kind == "matrix" else [one.get("value")]
        found += _make_series(read_object(one.get("metric")), points)
    return Answered(tuple(found))


def _make_series(metric: Mapping[str, JsonValue], points: Iterable[JsonValue]) -> Iterable[LabelledSeries]:
    """The series; none where no point has a time."""
    labels = {name: value for name, value in metric.items() if isinstance(value, str)}
    timed: dict[float, float | None] = {}
    for point in map(read_list, points):
        at = read_number(point[0]) if len(point) == 2 else None
        if at is not None and at <= LAST_SECOND:
            timed[at] = read_number(point[1])
    if timed:
        yield LabelledSeries(labels, timed)
