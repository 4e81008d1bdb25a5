"""app/engines/spouts_and_bolts/heron/loads.py: the load of bolts."""

import pytest

from app.engines.spouts_and_bolts.heron.loads import build_operator_load, find_completion
from app.engines.spouts_and_bolts.heron.streams import HeronArrivals
from tests.app.engines.spouts_and_bolts.heron.composed import make_documents, measure


def test_a_bolt_has_rates_processors_and_shares():
    count = measure(make_documents())[0]["count"]
    load = build_operator_load(count, HeronArrivals(120.0, is_sent=True))
    assert (load.arrival_rate, load.served_rate, load.processors) == (120.0, 100.0, 2)
    assert load.service_rate == pytest.approx(1 / 0.007)
    assert [one.share for one in load.instances] == [pytest.approx(0.6), pytest.approx(0.4)]


def test_an_instance_that_executed_nothing_has_no_share():
    documents = make_documents()
    points = documents["timeline-count"]["timeline"]["__execute-count/split/default"]["container_2_count_5"]
    points.update(dict.fromkeys(points, "0.000000"))
    load = build_operator_load(measure(documents)[0]["count"], HeronArrivals(60.0, is_sent=False))
    assert [(one.instance, one.share) for one in load.instances] == [("container_1_count_4", 1.0)]
    assert load.processors == 2


def test_unknown_stays_unknown():
    documents = make_documents()
    del documents["timeline-count"]
    load = build_operator_load(measure(documents)[0]["count"], HeronArrivals(None, is_sent=False))
    assert (load.arrival_rate, load.served_rate, load.service_rate, load.instances) == (None, None, None, [])


def test_the_completion_time_is_that_of_acknowledged_tuples():
    documents = make_documents()
    assert find_completion(measure(documents)[0]) == pytest.approx(0.08)
    del documents["timeline-word"]["timeline"]["__ack-count/default"]
    assert find_completion(measure(documents)[0]) is None
