"""Recordings: loads that a change disturbs speak with the measurements of the steady interval before."""

from dataclasses import replace

from planner.decisions.policy import Policy
from planner.replays.recording import Recorded, apply_factors, keep_alike, see_all
from planner.values import InstanceLoad
from tests.planner.economics.loads import TARGET
from tests.planner.replays.recordings import record


def test_a_disturbed_interval_has_the_services_of_the_steady_one_before():
    recording = record([20.0, 20.0, 30.0, 30.0], [(4, 6), (4, 6), (8, 12), (8, 12)], seconds=2.0)
    slow = recording.intervals[2].load
    slow = replace(slow, operators={n: o._replace(service_rate=1.0) for n, o in slow.operators.items()})
    intervals = [*recording.intervals[:2], Recorded(180.0, slow), recording.intervals[3]]
    disturbed = replace(recording, intervals=intervals)
    cleaned = disturbed.loads[2].operators["parse"]
    assert (cleaned.service_rate, cleaned.arrival_rate, cleaned.processors) == (10.0, 30.0, 8)
    # What was measured before the replay is taken as the decisions of then took it.
    assert replace(disturbed, first=3).loads[2].operators["parse"].service_rate == 1.0


def test_shares_of_instances_stay_only_beside_as_many_processors():
    recording = record([20.0] * 3, [(4, 6), (4, 7), (4, 7)])
    shared = (InstanceLoad("a", 0.6), InstanceLoad("b", 0.4))
    intervals = [
        Recorded(
            one.ended,
            replace(
                one.load,
                operators={
                    name: load._replace(instances=shared) for name, load in one.load.operators.items()
                },
            ),
        )
        for one in recording.intervals
    ]
    kept = keep_alike(replace(recording, intervals=intervals), range(3))
    assert [len(one.operators["score"].instances) for one in kept] == [0, 2, 2]
    assert [len(one.operators["parse"].instances) for one in kept] == [2, 2, 2]


def test_factors_are_put_on_their_operators():
    load = record([20.0]).intervals[0].load
    found = apply_factors(load, {"parse": 1.5})
    assert (found.operators["parse"].wait_factor, found.operators["score"].wait_factor) == (1.5, None)


def test_the_history_is_that_of_the_newest_intervals():
    seen = see_all(record([10.0, 20.0, 30.0]), 1, Policy(t_max_seconds=TARGET), most=5)
    assert [one.rate for one in seen.intervals] == [10.0, 20.0]
