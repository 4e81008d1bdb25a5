"""app/engines/prometheus/loads.py: which times give a load, and what is in it."""

import pytest

from app.engines.prometheus.loads import Reason, make_loads
from app.engines.prometheus.moments import Moment, Values


def at(second: float, values: Values, window: float = 60.0, jobs: frozenset[str] = frozenset()) -> Moment:
    """One operator and an external rate of 5 at a time."""
    return Moment(second, {window}, {"external_rate": 5.0}, {"a": values}, set(jobs))


def test_windows_do_not_overlap():
    moments = [at(second, {"arrival_rate": 1.0}) for second in range(100, 300, 20)]
    read = make_loads(moments, is_asked=False)
    ends = [load.observed_at.timestamp() + load.window_seconds for load in read.loads if load.observed_at]
    assert ends == [100, 160, 220, 280]
    assert len(read.left.times["overlapping-windows"]) == 6


@pytest.mark.parametrize(
    ("moment", "reason"),
    [
        (at(100, {"arrival_rate": 1.0}, window=0.0), "window-unknown"),
        (at(10, {"arrival_rate": 1.0}), "window-unknown"),
        (at(100, {"arrival_rate": 1.0}, jobs=frozenset("ab")), "two-jobs"),
        (Moment(100, {60.0}, {}, {"a": {"served_rate": 1.0}}), "external-rate-unknown"),
        (Moment(100, {60.0, 15.0}, {"external_rate": 1.0}, {"a": {"served_rate": 1.0}}), "windows-differ"),
    ],
)
def test_a_time_that_cannot_be_used_says_why(moment: Moment, reason: Reason):
    read = make_loads([moment], is_asked=False)
    assert (read.loads, dict(read.left.times)) == ([], {reason: [moment.at]})


def test_a_gap_stays_a_gap():
    read = make_loads([at(100, {"served_rate": None}), at(160, {"served_rate": 2.0})], is_asked=False)
    assert [load.operators["a"].served_rate for load in read.loads] == [2.0]


@pytest.mark.parametrize(("busy", "arrival"), [(3.0, 40.0), (3.9, None), (None, None)])
def test_what_a_busy_operator_was_offered_is_unknown(busy: float | None, arrival: float | None):
    read = make_loads(
        [at(100, {"served_rate": 40.0, "busy_processors": busy, "processors": 4.0})], is_asked=False
    )
    measured = read.loads[0].operators["a"]
    assert (measured.served_rate, measured.arrival_rate) == (40.0, arrival)
    assert read.left.saturated == ({"a"} if busy == 3.9 else set())


def test_what_others_were_offered_beside_a_busy_operator_is_unknown_too():
    """Those behind it get less than they would, and those before it are held back."""
    moment = at(100, {"served_rate": 40.0, "busy_processors": 4.0, "processors": 4.0})
    moment.operators["b"] = {"served_rate": 40.0, "busy_processors": 1.0, "processors": 4.0}
    read = make_loads([moment], is_asked=False)
    assert [one.arrival_rate for one in read.loads[0].operators.values()] == [None, None]
    assert read.left.saturated == {"a"}


@pytest.mark.parametrize(
    ("values", "rate"),
    [
        ({"served_rate": 40.0, "busy_processors": 2.0}, 20.0),
        ({"arrival_rate": 40.0, "busy_processors": 2.0}, 20.0),
        ({"arrival_rate": 40.0, "service_seconds": 0.0001}, 10_000.0),
        ({"arrival_rate": 40.0, "service_rate": 25.0, "busy_processors": 2.0}, 25.0),
        ({"served_rate": 40.0, "busy_processors": 0.0}, None),
        ({"served_rate": 0.0, "busy_processors": 1.0}, None),
        ({"served_rate": 40.0}, None),
    ],
)
def test_the_service_rate_is_that_of_a_busy_processor(values: Values, rate: float | None):
    measured = make_loads([at(100, values)], is_asked=False).loads[0].operators["a"]
    assert measured.service_rate == (None if rate is None else pytest.approx(rate))


@pytest.mark.parametrize(
    ("count", "processors"), [(4.0, 4), (3.5, None), (0.0, None), (None, None), (1e12, None)]
)
def test_processors_are_whole(count: float | None, processors: int | None):
    read = make_loads([at(100, {"arrival_rate": 1.0, "processors": count})], is_asked=False)
    assert read.loads[0].operators["a"].processors == processors


def test_other_roles_go_where_they_belong():
    values: Values = {
        "arrival_rate": 1.0,
        "processors": 4.0,
        "back_pressured_processors": 1.0,
        "backlog_tuples": 7.0,
    }
    moment = at(100, values | {"wait_seconds": 0.25})
    moment.total["sojourn_seconds"] = 0.5
    load = make_loads([moment], is_asked=False).loads[0]
    measured = load.operators["a"]
    assert (measured.back_pressured_share, measured.backlog_tuples, measured.measured_wait_seconds) == (
        0.25,
        7.0,
        0.25,
    )
    assert load.measured_sojourn_seconds == 0.5


def test_a_job_that_is_one_chain_sends_nothing():
    chain = Moment(100, {60.0}, operators={"Source:_a": {"served_rate": 0.0, "sent_rate": 0.0}})
    read = make_loads([chain], is_asked=False)
    assert read.left.chained
    assert read.loads == []


def test_how_services_vary_is_read_from_an_scv_or_from_buckets():
    moment = at(100, {"arrival_rate": 1.0, "service_scv": 2.5})
    bounds = {0.1: 2.0, 0.05: 1.0, 0.2: 2.5, 0.4: 2.5, float("inf"): 3.0}
    moment.buckets["a"] = bounds
    measured = make_loads([moment], is_asked=False).loads[0].operators["a"]
    assert measured.service_scv == 2.5
    found = [(one.upper_seconds, one.count) for one in measured.service_histogram]
    assert found == [(0.05, 60), (0.1, 60), (0.2, 30), (0.4, 0), (0.8, 30)]
    for useless in ({0.1: 0.0}, {0.001: 1.0, 0.1: 2.0}):
        moment.buckets["a"] = useless
        assert not make_loads([moment], is_asked=False).loads[0].operators["a"].service_histogram
    absurd = make_loads([at(100, {"arrival_rate": 1.0, "service_scv": 1e12})], is_asked=False)
    assert absurd.loads[0].operators["a"].service_scv is None
