"""app/engines/spouts_and_bolts/heron/notes.py: what a reader of Heron's numbers must know."""

import copy
from typing import Any

import pytest

from app.engines.spouts_and_bolts.heron.reader import read
from planner.values import Diagnostic
from tests.app.engines.spouts_and_bolts.heron.composed import (
    edit_grouping,
    load,
    make_answers,
    make_documents,
)


def note(documents: dict[str, Any]) -> dict[str, Diagnostic]:
    return {one.code: one for one in read(make_answers(documents)).diagnostics}


def scale(documents: dict[str, Any], name: str, metric: str, factor: float) -> None:
    for points in documents[name]["timeline"][metric].values():
        points.update({at: str(float(value) * factor) for at, value in points.items()})


def test_a_whole_sample_says_only_that_spouts_are_left_out():
    assert set(note(make_documents())) == {"spouts-left-out"}


def test_full_queues_that_stop_the_spouts_are_said():
    documents = copy.deepcopy(make_documents())
    metric = "__time_spent_back_pressure_by_compid/container_1_split_3"
    held = documents["timeline-stmgr"]["timeline"][metric]["stmgr-1"]
    held.update(dict.fromkeys(held, "15000.000000"))
    said = note(documents)["spouts-held-back"]
    assert (said.operators, "split for 25% of the time" in said.detail) == (("split",), True)


@pytest.mark.parametrize(
    ("grouping", "codes"),
    [
        ("ALL", {"grouping-all"}),
        ("LOWEST", {"grouping-global"}),
        ("CUSTOM", {"grouping-custom"}),
        ("DIRECT", {"grouping-custom"}),
        ("SHUFFLE", set()),
    ],
)
def test_groupings_that_need_a_word_get_one(grouping: str, codes: set[str]):
    assert {code for code in note(edit_grouping(grouping)) if "grouping" in code} == codes


@pytest.mark.parametrize(
    ("missing", "codes"),
    [
        ("timeline-count", {"rate-unknown"}),
        ("timeline-split", {"rate-unknown", "arrival-rate-by-executed", "selectivity-assumed"}),
        (
            "timeline-word",
            {"arrival-rate-by-executed", "external-rate-by-entries", "completion-not-measured"},
        ),
        ("logicalplan", {"grouping-custom", "arrival-rate-by-executed"}),
        ("timeline-stmgr", set()),
    ],
)
def test_each_missing_answer_is_said(missing: str, codes: set[str]):
    documents = {name: body for name, body in make_documents().items() if name != missing}
    assert set(note(documents)) == codes | {"spouts-left-out"}


def test_rest_missing_latencies_and_failures_are_said():
    documents = copy.deepcopy(make_documents())
    scale(documents, "timeline-count", "__execute-count/split/default", 0.0)
    assert "nothing-executed" in note(documents)
    documents = copy.deepcopy(make_documents())
    del documents["timeline-count"]["timeline"]["__execute-latency/split/default"]
    failed = documents["timeline-word"]["timeline"]["__fail-count/default"]["container_1_word_1"]
    failed.update(dict.fromkeys(failed, "3"))
    assert {"service-rate-unknown", "tuples-failed"} <= set(note(documents))


def test_an_interval_without_buckets_has_an_error_that_is_said():
    said = note({"metrics-count": load("metrics-count")})["interval-approximate"]
    assert "by up to 10%" in said.detail
