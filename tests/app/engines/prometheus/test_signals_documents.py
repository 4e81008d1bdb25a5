"""app/engines/prometheus/signals.py: series of points, and errors."""

import pytest
from pydantic import JsonValue

from app.engines.prometheus.signals import LabelledSeries, read_document
from tests.app.engines.prometheus.recorded import load


def test_values_are_text_and_nan_is_unknown():
    series = {one.labels["task_name"]: one for one in read_document(load("range-service-rate")).series}
    assert series["parse"].points[1795041613] == 16.47087650066645
    assert set(series["Source:_arrivals"].points.values()) == {None}


def test_an_instant_vector_has_one_point_each():
    series = read_document(load("instant-busy-nan")).series
    assert all(list(one.points) == [1795041988.269] for one in series)
    assert None in {one.points[1795041988.269] for one in series}


def test_a_scalar_is_a_series_without_labels():
    body: JsonValue = {"status": "success", "data": {"resultType": "scalar", "result": [5.5, "7"]}}
    assert read_document(body).series == (LabelledSeries({}, {5.5: 7.0}),)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("error-bad-query", "unclosed left parenthesis"),
        ("error-too-many-points", "11,000 points"),
        ("targets", "not an answer of /api/v1/query"),
    ],
)
def test_an_error_is_told_in_its_own_words(name: str, says: str):
    found = read_document(load(name))
    assert found.series == ()
    assert says in str(found.error)


def test_an_unknown_metric_is_a_success_without_series():
    assert read_document(load("range-bad")) == ((), None)


@pytest.mark.parametrize("body", [None, [], {}, {"status": "error"}, {"status": "success", "data": []}, "up"])
def test_what_is_no_answer_is_an_error(body: JsonValue):
    assert read_document(body).error


@pytest.mark.parametrize("point", [None, [], [1], ["a", "1"], [-1, "1"], [1e14, "1"], {"0": 1}])
def test_a_point_without_a_time_is_left_out(point: JsonValue):
    body: JsonValue = {
        "status": "success",
        "data": {"resultType": "vector", "result": [{"metric": {}, "value": point}]},
    }
    assert read_document(body).series == ()
