"""app/engines/flink/notes.py: what edges, exchanges and entries do not show."""

from tests.app.engines.flink.recorded import codes, load, read, set_input, vertex


def test_inputs_of_several_exchanges_are_said():
    job = set_input(load("job"), "score", "HASH")
    nodes = {one["id"]: one for one in job["plan"]["nodes"]}
    source = vertex(job, "Source: arrivals")["id"]
    nodes[vertex(job, "score")["id"]]["inputs"].append({"id": source, "ship_strategy": "BROADCAST"})
    reading = read(job)
    assert "mixed-exchanges" in codes(reading)
    assert reading.topology is not None
    score = next(one for one in reading.topology.operators if one.name == "score")
    assert score.max_processors is None


def test_where_nothing_was_counted_selectivities_and_entries_are_assumed():
    job = load("job")
    for one in job["vertices"]:
        one["metrics"] = {}
    reading = read(job)
    assert reading.topology is not None
    assert [one.selectivity for one in reading.topology.edges] == [1.0, 1.0]
    assert [one.share for one in reading.topology.entries] == [1.0]
    assert {"selectivity-assumed", "entries-assumed", "no-load"} <= codes(reading)
