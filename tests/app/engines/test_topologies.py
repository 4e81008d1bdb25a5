"""app/engines/topologies.py: the engine's graph with the owner's bounds."""

from app.engines.answers import EngineReading
from app.engines.topologies import (
    compare_edges,
    compare_names,
    compare_owned,
    join_topologies,
    keep_known,
    keep_splits,
)
from app.load.bodies.load import LoadBody
from app.load.bodies.topology import Graph

STORED = Graph.model_validate(
    {
        "operators": [
            {
                "name": "parse",
                "max_processors": 8,
                "stateful": True,
                "queueing": "shared",
                "profile": "blob",
                "service_scv": 4.0,
            },
            {"name": "old"},
        ],
        "edges": [{"source": "parse", "target": "old", "selectivity": 2.0}],
        "entries": [{"operator": "parse", "share": 1.0}],
    }
)


def show(selectivity: float) -> Graph:
    return Graph.model_validate(
        {
            "operators": [
                {"name": "parse", "queueing": "round-robin", "max_parallelism": 128},
                {"name": "old", "queueing": None},
                {"name": "new"},
            ],
            "edges": [
                {"source": "parse", "target": "old", "selectivity": selectivity},
                {"source": "parse", "target": "new"},
            ],
            "entries": [{"operator": "parse", "share": 1.05}],
        }
    )


def test_the_owner_keeps_bounds_and_the_engine_says_the_queueing():
    parse, old, new = join_topologies(STORED, show(2.0)).operators
    assert (parse.max_processors, parse.profile, parse.stateful) == (8, "blob", True)
    assert parse.service_scv == 4.0
    assert (parse.queueing, parse.max_parallelism) == ("round-robin", 128)
    assert (old.name, new.name) == ("old", "new")


def test_a_small_change_of_a_selectivity_makes_no_revision_and_a_large_one_does():
    assert join_topologies(STORED, show(2.1)).edges[0].selectivity == 2.0
    assert join_topologies(STORED, show(2.5)).edges[0].selectivity == 2.5
    assert join_topologies(STORED, show(2.0)).entries[0].share == 1.0


def test_joining_again_changes_nothing():
    once = join_topologies(STORED, show(2.5))
    assert join_topologies(once, show(2.6)) == once


def test_other_operators_than_stored_are_named():
    load = LoadBody.model_validate({"external_rate": 1.0, "operators": {"parse": {}, "strange": {}}})
    said = compare_names(STORED, [load])
    assert [(one.code, one.operators) for one in said] == [
        ("operator-not-in-topology", ("strange",)),
        ("operators-not-measured", ("old",)),
    ]
    assert list(keep_known(load, ["parse"]).operators) == ["parse"]


def test_other_edges_than_stored_are_named():
    (said,) = compare_edges(STORED, show(2.0))
    assert said.code == "topology-differs"
    assert "parse -> new is new" in said.detail
    assert compare_edges(STORED, STORED) == ()
    assert compare_edges(STORED, None) == ()


def test_an_owner_learns_which_of_his_words_go_with_an_operator():
    renamed = Graph.model_validate({"operators": [{"name": "read -> parse"}, {"name": "new"}]})
    (said,) = compare_owned(STORED, join_topologies(STORED, renamed))
    assert (said.code, said.operators) == ("owner-words-dropped", ("parse",))
    assert "parse (at most 8 processors, SCV of service times 4.0, profile blob)" in said.detail
    assert compare_owned(STORED, join_topologies(STORED, show(2.0))) == ()


def test_the_owner_knows_how_producers_choose_partitions():
    shown = Graph.model_validate(
        {
            "operators": [
                {
                    "name": "clicks",
                    "queueing": "keyed",
                    "group_assignment": "round-robin",
                    "max_parallelism": 12,
                }
            ]
        }
    )
    for queueing, expected in ((None, "keyed"), ("round-robin", "round-robin")):
        stored = Graph.model_validate({"operators": [{"name": "clicks", "queueing": queueing}]})
        [joined] = join_topologies(stored, shown).operators
        assert (joined.queueing, joined.group_assignment, joined.max_parallelism) == (
            expected,
            "round-robin",
            12,
        )


def read_assumed(arrives: float, served: float, assumed: frozenset[tuple[str, str]]) -> LoadBody:
    """The load of a reading in which parse served 100/s and `old` is assumed to be sent so much, after keep_splits."""
    load = LoadBody.model_validate(
        {
            "external_rate": 100.0,
            "operators": {
                "parse": {"service_rate": 50.0, "served_rate": 100.0},
                "old": {"service_rate": 50.0, "arrival_rate": arrives, "served_rate": served},
            },
        }
    )
    kept = keep_splits(STORED, EngineReading(show(9.0), (load,), assumed=assumed))
    assert kept.topology is not None
    assert kept.topology.edges[0].selectivity == (2.0 if ("parse", "old") in assumed else 9.0)
    return kept.loads[0]


def test_an_assumed_flow_follows_the_selectivity_that_was_stored_before():
    edge = frozenset({("parse", "old")})
    assert read_assumed(900.0, 150.0, edge).operators["old"].arrival_rate == 200.0
    assert read_assumed(900.0, 260.0, edge).operators["old"].arrival_rate == 260.0, "no less than it served"
    assert read_assumed(180.0, 150.0, edge).operators["old"].arrival_rate == 180.0, "no more than was sent"
    assert read_assumed(900.0, 150.0, frozenset()).operators["old"].arrival_rate == 900.0
    assert read_assumed(900.0, 150.0, frozenset({("x", "old")})).operators["old"].arrival_rate == 900.0
