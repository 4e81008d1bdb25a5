"""app/engines/spouts_and_bolts/diagnostics.py: unknown rates and edges, and what groupings mean."""

from typing import Any

import pytest

from planner.values import Diagnostic
from tests.app.engines.spouts_and_bolts.heron import composed
from tests.app.engines.spouts_and_bolts.storm.ui_pages import BOLTS, JsonObject, diagnose, make_component_page
from tests.app.engines.spouts_and_bolts.storm.wired_pages import (
    make_executor,
    make_graph,
    make_input,
    make_pages,
    make_spout,
)

RESTS = {"spouts-left-out", "completion-by-acks"}
"""Diagnostics of every sample of Storm with a spout."""


def check(*bodies: JsonObject) -> dict[str, Diagnostic]:
    """Storm's diagnostics but for those of every sample."""
    return {code: one for code, one in diagnose(*bodies).items() if code not in RESTS}


def test_a_whole_sample_needs_no_word_but_that_spouts_are_left_out():
    assert not check(*make_pages().values(), make_graph())
    heron = composed.diagnose(composed.make_documents())
    assert set(heron) == {"spouts-left-out"}
    assert "word with 2 instances" in heron["spouts-left-out"].detail
    storm = diagnose(*make_pages().values(), make_graph())["spouts-left-out"]
    assert "spout with 2 executors" in storm.detail


def test_bolts_without_edges_are_named():
    said = check(*[make_component_page(bolt) for bolt in BOLTS])
    assert {"edges-unknown", "external-rate-by-entries"} <= set(said)
    assert said["edges-unknown"].operators == BOLTS


@pytest.mark.parametrize(
    ("grouping", "code"),
    [
        ("all", "grouping-all"),
        ("global", "grouping-global"),
        ("direct", "grouping-custom"),
        ("custom_object", "grouping-custom"),
        ("shuffle", None),
        ("none", None),
        ("local_or_shuffle", None),
    ],
)
def test_groupings_that_need_a_word_get_one(grouping: str, code: str | None):
    for found in (
        check(*make_pages().values(), make_graph(score=grouping)),
        composed.diagnose(composed.edit_grouping(grouping.upper())),
    ):
        assert [one for one in found if "grouping" in one] == ([code] if code else [])


def test_unknown_groupings_are_said_where_no_graph_was_sent():
    assert set(check(*make_pages().values())) == {"grouping-unknown"}


def test_several_groupings_are_said():
    graph = make_graph()
    graph["score"] = {":inputs": [make_input("parse", "fields"), make_input("spout", "shuffle")]}
    assert "groupings-mixed" in check(*make_pages().values(), graph)


def test_one_executor_that_works_alone_under_fields_may_be_a_global_grouping():
    pages = make_pages()
    pages["score"]["executorStats"] = [make_executor(5, 120_000, "1.000"), make_executor(6, 0, "0.000")]
    assert check(*pages.values(), make_graph())["one-executor-works"].operators == ("score",)


def test_an_edge_whose_source_executed_nothing_has_an_assumed_selectivity():
    pages = make_pages()
    pages["parse"]["executorStats"] = [make_executor(3, 0, "0.000")]
    said = check(*pages.values(), make_graph())["selectivity-assumed"]
    assert (said.operators, "parse -> score" in said.detail) == (("parse",), True)


def test_arrival_rates_that_are_served_rates_are_said():
    pages = make_pages()
    del pages["parse"]["outputStats"], pages["parse"]["inputStats"]
    assert check(*pages.values())["arrival-rate-by-executed"].operators == ("score",)
    later = make_spout()
    for row in later["executorStats"]:  # type: ignore[union-attr]
        row["uptimeSeconds"] = 300  # type: ignore[index,call-overload]
    said = check(*(make_pages() | {"spout": later}).values(), make_graph())
    assert said["counts-of-different-times"].operators == ("parse",)


@pytest.mark.parametrize(
    ("missing", "codes"),
    [
        ("timeline-count", {"rate-unknown", "service-rate-unknown"}),
        (
            "timeline-split",
            {"rate-unknown", "service-rate-unknown", "arrival-rate-by-executed", "selectivity-assumed"},
        ),
        (
            "timeline-word",
            {"arrival-rate-by-executed", "external-rate-by-entries", "completion-not-measured"},
        ),
        ("logicalplan", {"grouping-custom", "arrival-rate-by-executed"}),
        ("timeline-stmgr", set()),
    ],
)
def test_each_missing_answer_of_heron_is_said(missing: str, codes: set[str]):
    documents = {name: body for name, body in composed.make_documents().items() if name != missing}
    assert set(composed.diagnose(documents)) == codes | {"spouts-left-out"}


def test_rest_missing_latencies_and_failures_are_said():
    documents = composed.make_documents()
    composed.scale(documents, "timeline-count", "__execute-count/split/default", 0.0)
    assert "nothing-executed" in composed.diagnose(documents)
    documents = composed.make_documents()
    del documents["timeline-count"]["timeline"]["__execute-latency/split/default"]
    failed: dict[str, Any] = documents["timeline-word"]["timeline"]["__fail-count/default"][
        "container_1_word_1"
    ]
    failed.update(dict.fromkeys(failed, "3"))
    found = composed.diagnose(documents)
    assert {"service-rate-unknown", "tuples-failed"} <= set(found)
    assert "30 tuples failed" in found["tuples-failed"].detail
