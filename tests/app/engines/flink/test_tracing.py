"""app/engines/flink/tracing.py: what flows on each edge, where Flink counts a record once however many take it."""

import pytest

from app.engines.answers import list_answers
from app.engines.flink.graph import JobFlows, find_shape
from app.engines.flink.intervals import measure
from app.engines.flink.samples import put_together
from app.engines.flink.tracing import find_rest, list_assumed, trace
from tests.app.engines.flink.recorded import Json, codes, list_selectivities, load, read, vertex


def trace_since_start(body: Json) -> tuple[JobFlows, dict[str, str]]:
    """The flows since the start, and the ids of vertices by their names."""
    sample = put_together(list_answers(body)).samples[-1]
    interval = measure(None, sample)
    assert interval is not None
    shape = find_shape(sample.job, interval)
    return trace(interval, shape), {name: one for one, name in shape.names.items()}


def test_a_record_that_two_take_is_counted_once():
    """In the recorded job parse emits 2 records for each, and score and audit both take both."""
    document = load("fork-asked-at-once")[1]
    parse, score, audit = (vertex(document, name)["metrics"] for name in ("parse", "score", "audit"))
    assert parse["write-records"] == pytest.approx(2 * parse["read-records"], rel=0.01)
    assert score["read-records"] == pytest.approx(parse["write-records"], rel=0.01)
    assert audit["read-records"] == pytest.approx(parse["write-records"], rel=0.01)
    reading = read(load("fork"))
    edges = list_selectivities(reading)
    assert edges["parse", "score"] == pytest.approx(2.0, rel=0.01)
    assert edges["parse", "audit"] == pytest.approx(2.0, rel=0.01)


def test_what_two_senders_send_to_one_is_known_by_each():
    """merge takes what score and audit send, 2 + 2 for each record of parse."""
    reading = read(load("fork"))
    edges = list_selectivities(reading)
    assert edges["score", "merge"] == pytest.approx(1.0, rel=0.01)
    assert edges["audit", "merge"] == pytest.approx(1.0, rel=0.01)
    merge = reading.loads[-1].operators["merge"]
    assert merge.arrival_rate == pytest.approx(merge.served_rate, rel=0.01)


def test_every_subtask_gets_a_broadcast_record():
    reading = read(load("fork"))
    edges = list_selectivities(reading)
    assert edges["merge", "Sink: watch"] == pytest.approx(3.0, rel=0.01)
    assert reading.topology is not None
    watch = next(one for one in reading.topology.operators if one.name == "Sink: watch")
    assert (watch.min_processors, watch.max_processors) == (3, 3)
    assert "broadcast" in codes(reading)


def test_takers_that_work_all_the_time_are_offered_the_whole_stream():
    """Under 400 records per second score and audit take 242 and 474 of the 603 that parse sends to both."""
    reading = read(load("fork-overload"))
    edges = list_selectivities(reading)
    assert edges["parse", "score"] == pytest.approx(2.0, rel=0.01)
    assert edges["parse", "audit"] == pytest.approx(2.0, rel=0.01)
    assert {"split-assumed", "overloaded"} <= codes(reading)


def test_a_source_that_full_buffers_hold_back_lets_in_what_its_taker_serves():
    """The source of 150 records per second sent one in 15 s, while parse took 79 per second out of its buffers."""
    first, second = [one["body"] for one in load("hot-key-blocked")["answers"] if "plan" in one["body"]]
    sent = [vertex(one, "Source: clicks")["metrics"]["write-records"] for one in (first, second)]
    assert sent[1] - sent[0] == 1
    (measured,) = read(load("hot-key-blocked")).loads
    parse = measured.operators["parse"]
    assert measured.external_rate == parse.arrival_rate == parse.served_rate == pytest.approx(79.0, abs=0.1)
    assert parse.back_pressured_share == pytest.approx(0.59, abs=0.01)
    assert "at-capacity" in codes(read(load("hot-key-blocked")))


def test_takers_that_together_take_all_divide_it_though_one_works_all_the_time():
    """Side outputs: score takes 70% and audit 30% of what parse sends."""
    document = load("fork-asked-at-once")[1]
    parse, score, audit = (vertex(document, name)["metrics"] for name in ("parse", "score", "audit"))
    score["read-records"] = round(0.7 * parse["write-records"])
    audit["read-records"] = round(0.3 * parse["write-records"])
    score["accumulated-busy-time"] += score["accumulated-idle-time"]
    score["accumulated-idle-time"] = 0
    flows, ids = trace_since_start(document)
    sent = flows.edges[ids["parse"], ids["score"]], flows.edges[ids["parse"], ids["audit"]]
    assert sent[0] == pytest.approx(7.0 / 3.0 * (sent[1] or 0.0), rel=0.01)


def overload(document: Json, sent: dict[str, float], busy: str = "score") -> Json:
    """The document with these parts of what parse sends taken, and one vertex without idle time."""
    parse = vertex(document, "parse")["metrics"]
    for name, part in sent.items():
        vertex(document, name)["metrics"]["read-records"] = round(part * parse["write-records"])
    metrics = vertex(document, busy)["metrics"]
    metrics["accumulated-busy-time"] += metrics["accumulated-idle-time"]
    metrics["accumulated-idle-time"] = 0
    return document


def test_what_an_idle_taker_took_tells_what_the_overloaded_one_is_sent():
    """Side outputs: audit is sent 70% and took all of it, score keeps up with 10% of the other 30%."""
    document = overload(load("fork-asked-at-once")[1], {"audit": 0.7, "score": 0.1})
    flows, ids = trace_since_start(document)
    assert flows.edges[ids["parse"], ids["audit"]] == pytest.approx(
        7.0 / 3.0 * (flows.edges[ids["parse"], ids["score"]] or 0.0), rel=0.01
    )
    assert list_assumed(flows) == frozenset()
    found = codes(read(document))
    assert "split-computed" in found
    assert "split-assumed" not in found


def test_an_idle_taker_that_took_all_tells_that_each_is_sent_all():
    document = overload(load("fork-asked-at-once")[1], {"audit": 1.0, "score": 0.3})
    flows, ids = trace_since_start(document)
    sent = [flows.edges[ids["parse"], ids[name]] or 0.0 for name in ("score", "audit")]
    assert sent[0] == pytest.approx(sent[1], rel=0.01)
    assert find_rest(ids["parse"], [ids["score"], ids["audit"]], flows) is None
    assert list_assumed(flows) == {("parse", "score")}


def test_a_taker_that_served_more_than_the_rest_is_not_sent_the_rest():
    """What idle and overloaded took is more than was sent, so records go to both."""
    document = overload(load("fork-asked-at-once")[1], {"audit": 0.7, "score": 0.6})
    flows, ids = trace_since_start(document)
    assert find_rest(ids["parse"], [ids["score"], ids["audit"]], flows) is None


def test_a_taker_with_other_senders_takes_the_rest():
    """audit also feeds the sink: what the sink takes beyond merge's copies comes from audit."""
    document = load("fork-asked-at-once")[1]
    ids = {one["name"]: one["id"] for one in document["vertices"]}
    sink = next(one for one in document["plan"]["nodes"] if one["id"] == ids["Sink: watch"])
    sink["inputs"][0]["ship_strategy"] = "REBALANCE"
    sink["inputs"].append({"id": ids["audit"], "ship_strategy": "REBALANCE"})
    merge, audit = vertex(document, "merge")["metrics"], vertex(document, "audit")["metrics"]
    extra = audit["write-records"] // 2
    vertex(document, "Sink: watch")["metrics"]["read-records"] = merge["write-records"] + extra
    flows, ids = trace_since_start(document)
    to_sink, to_merge = (flows.edges[ids["audit"], ids[name]] for name in ("Sink: watch", "merge"))
    assert to_sink == pytest.approx(0.5 * 57.8, rel=0.1)
    assert to_merge == pytest.approx(57.8, rel=0.1)


def test_an_unknown_count_leaves_the_offered_rate_unknown():
    document = load("job")
    vertex(document, "parse")["metrics"]["write-records-complete"] = False
    flows, ids = trace_since_start(document)
    # score has no other sender: what it took is the least that was sent.
    assert flows.edges[ids["parse"], ids["score"]] == pytest.approx(78.9, abs=0.1)
    vertex(document, "score")["metrics"]["read-records-complete"] = False
    flows, ids = trace_since_start(document)
    assert flows.find_offered(ids["score"]) is None


def test_a_source_before_a_busy_vertex_is_counted_in_records_of_its_own():
    """`Source: numbers -> enrich` makes three of each record: 120 that count takes are 40 of the source."""
    body = load("chain")
    for one in body["answers"]:
        for count in (
            (part for part in one["body"].get("vertices", []) if part.get("name") == "count")
            if isinstance(one["body"], dict)
            else ()
        ):
            metrics = count["metrics"]
            metrics["accumulated-busy-time"] += metrics["accumulated-idle-time"]
            metrics["accumulated-idle-time"] = 0
    reading = read(body)
    assert "at-capacity" in codes(reading)
    assert reading.loads[-1].external_rate == pytest.approx(40.0, rel=0.01)


def test_what_two_forked_senders_send_to_one_is_split_by_what_they_send():
    """score and audit both feed merge and the sink."""
    document = load("fork-asked-at-once")[1]
    ids = {one["name"]: one["id"] for one in document["vertices"]}
    node = next(one for one in document["plan"]["nodes"] if one["id"] == ids["Sink: watch"])
    node["inputs"] = [{"id": ids[name], "ship_strategy": "REBALANCE"} for name in ("score", "audit")]
    merge = vertex(document, "merge")["metrics"]
    merge["read-records"] //= 2
    flows, ids = trace_since_start(document)
    to_merge = [flows.edges[ids[name], ids["merge"]] or 0.0 for name in ("score", "audit")]
    assert sum(to_merge) == pytest.approx(
        merge["read-records"] / 30.5, rel=0.1
    )  # each counts from its own start
    assert to_merge[0] == pytest.approx(to_merge[1], rel=0.05)
    assert "split-assumed" in codes(read(document))
