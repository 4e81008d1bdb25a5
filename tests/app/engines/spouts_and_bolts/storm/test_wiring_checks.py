"""app/engines/spouts_and_bolts/storm/wiring_checks.py: unknown edges and groupings, and what groupings mean."""

import pytest

from app.engines.spouts_and_bolts.storm.pages import sort_answers
from app.engines.spouts_and_bolts.storm.samples import measure_sample
from app.engines.spouts_and_bolts.storm.wiring_checks import check_wiring
from planner.values import Diagnostic
from tests.app.engines.spouts_and_bolts.storm.ui_pages import BOLTS, JsonObject, answer, make_component_page
from tests.app.engines.spouts_and_bolts.storm.wired_pages import (
    make_executor,
    make_graph,
    make_input,
    make_pages,
    make_spout,
)


def check(*bodies: JsonObject) -> dict[str, Diagnostic]:
    pages = sort_answers(answer(*bodies))
    return {one.code: one for one in check_wiring(measure_sample(pages.samples[0], pages.graph))}


def test_a_topology_with_all_pages_needs_no_word():
    assert not check(*make_pages().values(), make_graph())


def test_bolts_without_edges_are_named():
    said = check(*[make_component_page(bolt) for bolt in BOLTS])
    assert set(said) == {"edges-unknown", "external-rate-by-entries"}
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
    assert [
        one for one in check(*make_pages().values(), make_graph(score=grouping)) if "grouping" in one
    ] == ([code] if code else [])


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
    assert check(*pages.values(), make_graph())["selectivity-assumed"].operators == ("parse",)


def test_arrival_rates_that_are_served_rates_are_said():
    pages = make_pages()
    del pages["parse"]["outputStats"], pages["parse"]["inputStats"]
    assert check(*pages.values())["arrival-rate-by-executed"].operators == ("score",)
    later = make_spout()
    for row in later["executorStats"]:  # type: ignore[union-attr]
        row["uptimeSeconds"] = 300  # type: ignore[index,call-overload]
    said = check(*(make_pages() | {"spout": later}).values(), make_graph())
    assert said["counts-of-different-times"].operators == ("parse",)
