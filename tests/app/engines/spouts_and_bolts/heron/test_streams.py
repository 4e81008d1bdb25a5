"""app/engines/spouts_and_bolts/heron/streams.py: arrivals, entries and the external rate."""

import copy

from app.engines.spouts_and_bolts.heron.streams import find_arrivals, find_entries, find_external, find_sent
from tests.app.engines.spouts_and_bolts.heron.composed import edit_grouping, make_documents, measure


def test_a_subscriber_gets_every_tuple_once_and_under_all_once_for_each_instance():
    for grouping, sent in (
        ("FIELDS", 100.0),
        ("SHUFFLE", 100.0),
        ("LOWEST", 100.0),
        ("ALL", 200.0),
        ("CUSTOM", None),
    ):
        components = measure(edit_grouping(grouping))[0]
        count = components["count"]
        assert find_sent(count, count.inputs[0], components) == sent


def test_what_was_sent_and_not_executed_is_offered():
    """split sends 100/s, and count executes half of it."""
    documents = copy.deepcopy(make_documents())
    for points in documents["timeline-count"]["timeline"]["__execute-count/split/default"].values():
        points.update({at: str(float(value) / 2) for at, value in points.items()})
    components = measure(documents)[0]
    assert find_arrivals(components["count"], components, 10) == (100.0, True)
    assert find_arrivals(components["split"], components, 10) == (20.0, False)


def test_one_export_more_or_less_is_no_backlog():
    documents = copy.deepcopy(make_documents())
    for points in documents["timeline-split"]["timeline"]["__emit-count/default"].values():
        points.update({at: str(float(value) * 1.09) for at, value in points.items()})
    components = measure(documents)[0]
    assert find_arrivals(components["count"], components, 10) == (100.0, False)


def test_entries_are_fed_by_spouts():
    components = measure(make_documents())[0]
    arrivals = {name: find_arrivals(one, components, 10) for name, one in components.items() if one.is_bolt}
    entries = find_entries(components, arrivals)
    assert entries == {"split": 20.0}
    assert find_external(components, entries) == (20.0, True)


def test_a_bolt_that_nobody_is_seen_to_feed_is_an_entry():
    """Without the spout's metrics and the plans, who feeds split is known by its name alone."""
    names = {"timeline-split", "timeline-count"}
    components = measure({name: body for name, body in make_documents().items() if name in names})[0]
    arrivals = {name: find_arrivals(one, components, 10) for name, one in components.items()}
    entries = find_entries(components, arrivals)
    assert entries == {"split": 20.0}
    assert find_external(components, entries) == (20.0, False)
