"""app/engines/topologies.py: the engine's graph with the owner's bounds."""

from app.engines.topologies import compare_edges, compare_names, compare_owned, join_topologies, keep_known
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
