"""app/engines/spouts_and_bolts/graph_and_load.py: the topology and the load of a measured interval."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from app.engines.spouts_and_bolts.components import Component
from app.engines.spouts_and_bolts.flows import MeasuredInterval, Offered
from app.engines.spouts_and_bolts.graph_and_load import build_graph, build_operator_load
from app.load.bodies.load import OperatorLoadBody
from app.load.bodies.topology import Graph
from tests.app.engines.spouts_and_bolts.heron import composed
from tests.app.engines.spouts_and_bolts.storm.ui_pages import (
    BOLTS,
    JsonObject,
    make_component_page,
    measure,
    read_components,
    read_table,
)
from tests.app.engines.spouts_and_bolts.storm.wired_pages import (
    make_graph,
    make_input,
    make_pages,
    make_spout,
)


def build(found: MeasuredInterval[Component]) -> Graph:
    graph = build_graph(found)
    assert graph is not None
    return graph


def build_storm(*bodies: JsonObject) -> Graph:
    return build(measure(*bodies).interval)


@pytest.mark.parametrize(
    ("graph", "operators", "selectivity"),
    [
        (build_storm(*make_pages().values(), make_graph()), ["parse", "score"], 2.0),
        (build(composed.measure(composed.make_documents())), ["split", "count"], 5.0),
    ],
)
def test_bolts_are_operators_and_spouts_are_not(graph: Graph, operators: list[str], selectivity: float):
    assert [operator.name for operator in graph.operators] == operators
    assert [(edge.source, edge.target, edge.selectivity) for edge in graph.edges] == [
        (*operators, selectivity)
    ]
    assert [(entry.operator, entry.share) for entry in graph.entries] == [(operators[0], 1.0)]


@pytest.mark.parametrize(
    ("grouping", "queueing", "most"),
    [
        ("shuffle", "round-robin", 8),
        ("local_or_shuffle", "round-robin", 8),
        ("SHUFFLE", "round-robin", 8),
        ("none", "random", 8),
        ("fields", "keyed", 8),
        ("all", "random", 8),
        ("global", "keyed", 1),
        ("direct", None, 8),
        ("custom_serialized", None, 8),
    ],
)
def test_storms_groupings_make_queues(grouping: str, queueing: str | None, most: int):
    score = build_storm(*make_pages().values(), make_graph(score=grouping)).operators[1]
    assert (score.queueing, score.max_parallelism) == (queueing, most)


@pytest.mark.parametrize(
    ("grouping", "queueing", "most"),
    [
        ("SHUFFLE", "round-robin", None),
        ("LOWEST", "keyed", 1),
        ("ALL", "random", 2),
        ("NONE", "random", None),
        ("CUSTOM", None, None),
    ],
)
def test_herons_groupings_make_queues_and_limits(grouping: str, queueing: str | None, most: int | None):
    count = build(composed.measure(composed.edit_grouping(grouping))).operators[1]
    assert (count.queueing, count.max_parallelism) == (queueing, most)


def test_the_largest_stream_gives_the_queueing():
    pages = make_pages()
    pages["score"]["inputStats"] = [
        {"component": "parse", "stream": "default", "executed": 119_000},
        {"component": "spout", "stream": "errors", "executed": 1000},
    ]
    graph = make_graph()
    graph["score"] = {":inputs": [make_input("spout", "shuffle", "errors"), make_input("parse", "fields")]}
    assert build_storm(*pages.values(), graph).operators[1].queueing == "keyed"


def test_an_unmeasured_selectivity_is_1():
    documents = composed.make_documents()
    del documents["timeline-split"]
    assert build(composed.measure(documents)).edges[0].selectivity == 1.0


def test_bolts_that_nobody_is_seen_to_feed_are_entries_with_their_share():
    graph = build_storm(*[make_component_page(bolt) for bolt in BOLTS])
    assert not graph.edges
    assert sum(entry.share for entry in graph.entries) == pytest.approx(1.0)
    with_spout = build_storm(make_spout(61_200), make_component_page("pi"))
    assert with_spout.entries[0].share == pytest.approx(393.6696143 / 102.0)


def test_an_entry_of_nothing_has_no_share():
    row: JsonObject = {"id": "[1-1]", "uptime": "1m 0s", "executed": 0}
    graph = build_storm(make_component_page("blob"), make_component_page("pi") | {"executorStats": [row]})
    assert [entry.operator for entry in graph.entries] == ["blob"]


def load_of(page: JsonObject) -> OperatorLoadBody:
    bolt = read_components(page)[str(page["id"])]
    return build_operator_load(bolt, Offered(bolt.executed_rate, is_sent=False))


@pytest.mark.parametrize("bolt", BOLTS)
def test_utilisation_is_the_mean_capacity_that_storm_printed(bolt: str):
    """Within 1% for every bolt of the real run; fileWrite prints one digit only."""
    load = load_of(make_component_page(bolt))
    capacities = [float(row["Capacity (last 10m)"]) for row in read_table(bolt)]
    assert load.arrival_rate is not None
    assert load.service_rate is not None
    assert load.processors == len(capacities)
    mean = sum(capacities) / len(capacities)
    assert load.arrival_rate / load.service_rate / load.processors == pytest.approx(
        mean, rel=0.01, abs=0.0005
    )


@st.composite
def draw_executors(draw: st.DrawFn) -> list[JsonObject]:
    """Executors with the capacity that Storm computes for them, StatsUtil.computeAggCapacity."""
    rows: list[JsonObject] = []
    for task in range(draw(st.integers(1, 8))):
        executed, uptime = 20 * draw(st.integers(0, 5000)), draw(st.integers(30, 100_000))
        latency = draw(st.integers(1000, 500_000)) / 1000.0
        rows.append(
            {
                "id": f"[{task}-{task}]",
                "uptimeSeconds": uptime,
                "executed": executed,
                "executeLatency": f"{latency:.3f}" if executed else "0",
                "capacity": f"{executed * latency / (1000 * min(uptime, 600)):.3f}",
            }
        )
    return rows


@given(rows=draw_executors())
def test_utilisation_is_storms_capacity_for_any_executors(rows: list[JsonObject]):
    load = load_of({"id": "x", "window": "600", "componentType": "bolt", "executorStats": list(rows)})
    capacities = [float(str(row["capacity"])) for row in rows]
    rates = [int(str(row["executed"])) / min(int(str(row["uptimeSeconds"])), 600) for row in rows]
    assert load.arrival_rate == pytest.approx(sum(rates))
    if any(rates):
        assert load.service_rate is not None
        counts = [int(str(row["executed"])) for row in rows]
        busy = [
            count * float(str(row["executeLatency"])) / 1000 for count, row in zip(counts, rows, strict=True)
        ]
        assert load.service_rate == pytest.approx(sum(counts) / sum(busy))
    if len({str(row["uptimeSeconds"]) for row in rows}) == 1 and any(rates):
        mean = sum(capacities) / len(rows)
        assert sum(rates) / (load.service_rate or 0.0) / len(rows) == pytest.approx(mean, abs=0.0006)
        assert sum(one.share for one in load.instances) == pytest.approx(1.0)


def test_shares_are_those_of_executed_tuples_and_idle_executors_have_none():
    blob = load_of(make_component_page("blob"))
    assert (blob.processors, len(blob.instances)) == (40, 38)
    assert sum(one.share for one in blob.instances) == pytest.approx(1.0)
    assert blob.instances[0].instance == "[26-26] 10.3.0.22:6711"


def test_an_executor_that_does_not_say_leaves_all_shares_unknown():
    page = make_component_page("pi")
    rows = page["executorStats"]
    assert isinstance(rows, list)
    page["executorStats"] = [*rows[1:], {"id": "[63-63]"}]
    load = load_of(page)
    assert (load.instances, load.arrival_rate, load.processors) == ([], None, 4)


def test_executors_of_one_name_or_too_many_for_a_load_have_no_shares():
    row: JsonObject = {"uptime": "1m 0s", "executed": 60, "executeLatency": "1.000"}
    page: JsonObject = {"id": "x", "window": "600", "componentType": "bolt"}
    twins: list[JsonValue] = [{**row, "id": "a\t"}, {**row, "id": "a\n"}]
    assert not load_of(page | {"executorStats": twins}).instances
    many: list[JsonValue] = [{**row, "id": f"[{task}-{task}]"} for task in range(10_001)]
    load = load_of(page | {"executorStats": many})
    assert (load.instances, load.processors) == ([], 10_001)


def test_a_bolt_of_heron_has_rates_processors_and_shares():
    count = composed.measure(composed.make_documents()).components["count"]
    load = build_operator_load(count, Offered(120.0, is_sent=True))
    assert (load.arrival_rate, load.served_rate, load.processors) == (120.0, 100.0, 2)
    assert load.service_rate == pytest.approx(1 / 0.007)
    assert [one.share for one in load.instances] == [pytest.approx(0.6), pytest.approx(0.4)]


def test_an_instance_that_executed_nothing_has_no_share():
    count = composed.measure(composed.make_documents()).components["count"]
    (one, rate), (other, _) = count.instances
    load = build_operator_load(
        replace(count, instances=((one, rate), (other, 0.0))), Offered(60.0, is_sent=False)
    )
    assert [(share.instance, share.share) for share in load.instances] == [(one, 1.0)]
    assert load.processors == 2


def test_unknown_stays_unknown():
    documents = composed.make_documents()
    del documents["timeline-count"]
    count = composed.measure(documents).components["count"]
    load = build_operator_load(count, Offered(None, is_sent=False))
    assert (load.arrival_rate, load.served_rate, load.service_rate, load.instances) == (None, None, None, [])
