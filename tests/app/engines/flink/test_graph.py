"""app/engines/flink/graph.py: vertices as operators, exchanges as queueing, sources as entries."""

import pytest

from app.load.bodies.topology import Graph, OperatorBody
from tests.app.engines.flink.recorded import STEADY, Json, codes, later, load, read, set_input, vertex


def draw(body: Json) -> Graph:
    topology = read(body).topology
    assert topology is not None
    return topology


def find(graph: Graph, name: str) -> OperatorBody:
    return next(one for one in graph.operators if one.name == name)


@pytest.mark.parametrize(
    ("strategy", "queueing"),
    [
        ("FORWARD", "round-robin"),
        ("REBALANCE", "round-robin"),
        ("RESCALE", "round-robin"),
        ("BROADCAST", "round-robin"),
        ("HASH", "keyed"),
        ("CUSTOM", "keyed"),
        ("GLOBAL", "keyed"),
        ("SHUFFLE", "random"),
        ("NEWFANGLED", "round-robin"),
    ],
)
def test_the_exchange_before_a_vertex_is_its_queueing(strategy: str, queueing: str):
    job = set_input(load("job"), "score", strategy)
    assert find(draw(job), "score").queueing == queueing
    assert ("exchange-unknown" in codes(read(job))) == (strategy == "NEWFANGLED")


def test_queueings_of_recorded_exchanges():
    """shuffle, rescale, global, rebalance in one job; keyBy and broadcast in another."""
    assert [(one.name, one.queueing) for one in draw(load("exchanges")).operators] == [
        ("a", "random"),
        ("b", "round-robin"),
        ("c (3d9231)", "keyed"),
        ("c (5c51e5)", "round-robin"),
        ("Sink: out", "round-robin"),
    ]
    assert find(draw(load("fork")), "score").queueing == "keyed"


def test_equal_parallelism_makes_forward_of_rebalance_and_the_same_queueing():
    """Flink deals records in turn as soon as parallelisms differ, so a plan that changes them meets round-robin."""
    forward = draw(load("job27-apart"))
    assert (
        vertex(load("job27-apart"), "Sink: out")["parallelism"]
        == vertex(load("job27-apart"), "parse")["parallelism"]
    )
    assert find(forward, "Sink: out").queueing == find(forward, "parse").queueing == "round-robin"


def test_only_one_subtask_works_after_a_global_exchange():
    reading = read(load("exchanges"))
    assert reading.topology is not None
    assert find(reading.topology, "c (3d9231)").max_parallelism == 1
    assert reading.loads[-1].operators["c (3d9231)"].instances[0].share == 1.0
    assert "one-subtask-takes-all" in codes(reading)


def test_a_keyed_vertex_is_taken_to_have_state():
    assert [one.stateful for one in draw(load("fork")).operators] == [False, True, False, False, False]


def test_the_maximum_parallelism_is_that_of_each_vertex():
    job = load("job")
    vertex(job, "score")["maxParallelism"] = 16
    assert [one.max_parallelism for one in draw(job).operators] == [128, 16, 128]
    vertex(job, "score")["maxParallelism"] = -1
    assert [one.max_parallelism for one in draw(job).operators] == [128, None, 128]


def test_a_legacy_source_is_no_operator_and_its_takers_are_entries():
    """clicks sends its whole stream to a and to the second c: two shares of 1."""
    graph = draw(load("exchanges"))
    assert "Source: clicks" not in [one.name for one in graph.operators]
    assert {one.operator: one.share for one in graph.entries} == {
        "a": pytest.approx(1.0, rel=0.01),
        "c (5c51e5)": pytest.approx(1.0, rel=0.01),
    }
    assert "source-left-out" in codes(read(load("exchanges")))


def test_a_source_with_busy_time_is_an_operator_and_an_entry():
    graph = draw(load("job27-apart"))
    assert [(one.operator, one.share) for one in graph.entries] == [("Source: arrivals", 1.0)]
    assert graph.edges[0].source == "Source: arrivals"


def test_the_queueing_is_that_of_the_input_with_most_records():
    """A stream of rules, broadcast, beside the stream that is hashed: whichever is listed first."""
    job = set_input(load("job"), "score", "HASH")
    inputs = next(one for one in job["plan"]["nodes"] if one["id"] == vertex(job, "score")["id"])["inputs"]
    rules = {"id": vertex(job, "Sink: out")["id"], "ship_strategy": "BROADCAST"}
    vertex(job, "Sink: out")["metrics"]["write-records"] = 3
    for listed in ([rules, *inputs], [*inputs, rules]):
        inputs[:] = listed
        assert find(draw(job), "score").queueing == "keyed"
        inputs.remove(rules)


def test_a_legacy_source_that_holds_its_whole_chain_stays_the_operator():
    body = load("job27-chained")
    body["vertices"][0]["metrics"]["accumulated-busy-time"] = "NaN"
    assert [one.name for one in draw(body).operators] == ["Source: arrivals -> parse -> Sink: out"]


def test_a_vertex_that_has_inputs_now_is_no_source_whatever_the_plan_said_before():
    """The document of the interval lacks an input and the busy time of parse; a later one has both."""
    job = load("job")
    second, third = later(job, 20.0, **STEADY), later(job, 20.5, **STEADY)
    del second["plan"]["nodes"][1]["inputs"]
    vertex(second, "parse")["metrics"]["accumulated-busy-time"] = "NaN"
    assert "parse" in [one.name for one in draw([job, second, third]).operators]


def test_a_selectivity_beyond_all_bounds_is_not_measured():
    job = load("job")
    vertex(job, "parse")["metrics"] |= {"read-records": 1, "write-records": 1e14}
    reading = read(job)
    assert "selectivity-assumed" in codes(reading)
    assert reading.topology is not None
    assert reading.topology.edges[0].selectivity == 1.0
