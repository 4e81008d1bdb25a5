"""app/engines/kafka/loads.py: rates by two samples of offsets."""

from typing import Any

import pytest

from app.engines.kafka.loads import GroupLoads, make_group_loads
from app.engines.kafka.samples import make_lag_samples, read_rows
from tests.app.engines.kafka.made import row


def measure(*lists: list[Any], seconds: float = 10.0, is_committed: bool = False) -> GroupLoads:
    """The loads of lists that were asked for so many seconds apart."""
    rows = [one for place, listed in enumerate(lists) for one in read_rows(listed, 100.0 + seconds * place)]
    rows = [one._replace(state=one.state._replace(is_committed=is_committed)) for one in rows]
    return make_group_loads("g", make_lag_samples(rows))


def test_offered_and_served_are_told_apart():
    found = measure([row(0, 0, 100), row(1, 0, 0, "m-2")], [row(0, 100, 300), row(1, 200, 200, "m-2")])
    load = found.loads[0]
    measured = load.operators["g"]
    assert (load.external_rate, load.window_seconds) == (40.0, 10.0)
    assert (measured.arrival_rate, measured.served_rate) == (40.0, 30.0)
    assert (measured.backlog_tuples, measured.processors) == (200.0, 2)


def test_the_service_rate_is_what_a_consumer_reads_that_falls_behind():
    found = measure([row(0, 0, 100), row(1, 0, 0, "m-2")], [row(0, 100, 300), row(1, 200, 200, "m-2")])
    assert found.loads[0].operators["g"].service_rate == 10.0  # of m-1; m-2 keeps up
    assert (found.busy, found.members) == (1, 2)


def test_a_consumer_that_works_off_a_backlog_is_busy_too():
    found = measure([row(0, 0, 500)], [row(0, 300, 600)])
    assert found.loads[0].operators["g"].service_rate == 30.0


def test_commits_hide_what_was_read_since_then():
    """The position may be 5 s old: a lag that seems to grow from nothing, by 5 s of messages, is none."""
    falling_behind = [row(0, 0, 900)], [row(0, 400, 2000)]
    assert measure(*falling_behind, is_committed=True).loads[0].operators["g"].service_rate == 40.0
    keeping_up = [row(0, 0, 20)], [row(0, 400, 600)]
    assert measure(*keeping_up).loads[0].operators["g"].service_rate == 40.0
    assert measure(*keeping_up, is_committed=True).loads[0].operators["g"].service_rate is None
    short = measure(*falling_behind, seconds=9.0, is_committed=True)
    assert short.loads[0].operators["g"].service_rate is None


@pytest.mark.parametrize(
    "after",
    [row(0, 200, 300), row(0, 250, 300), row(0, 195, 300), row(0, 0, 300)],
    ids=["steady", "catching up", "growing by chance", "nothing read"],
)
def test_a_lag_that_does_not_grow_shows_no_service_rate(after: dict[str, Any]):
    assert measure([row(0, 0, 100)], [after]).loads[0].operators["g"].service_rate is None


def test_a_lag_from_nothing_shows_no_service_rate():
    """The consumer may have waited for messages in the first part of the interval."""
    assert measure([row(0, 100, 100)], [row(0, 150, 300)]).loads[0].operators["g"].service_rate is None


def test_shares_are_those_of_members():
    found = measure([row(0, 0, 0), row(1, 0, 0, "m-2")], [row(0, 300, 300), row(1, 100, 100, "m-2")])
    shares = {one.instance: one.share for one in found.loads[0].operators["g"].instances}
    assert shares == {"m-1": 0.75, "m-2": 0.25}


def test_a_member_that_gets_nothing_leaves_shares_unknown():
    found = measure([row(0, 0, 0), row(1, 0, 0, "m-2")], [row(0, 300, 300), row(1, 0, 0, "m-2")])
    assert found.loads[0].operators["g"].instances == []


def test_partitions_that_moved_have_no_member_all_the_time():
    found = measure([row(0, 0, 100), row(1, 0, 0, "m-2")], [row(0, 100, 300, "m-2"), row(1, 200, 200, "m-1")])
    measured = found.loads[0].operators["g"]
    assert found.changed_members
    assert (measured.service_rate, measured.instances, measured.processors) == (None, [], 2)


def test_a_partition_whose_end_is_unknown_leaves_no_load():
    unknown = row(1, 0, 0) | {"log_end_offset": -1, "lag": None}
    found = measure([row(0, 0, 100), row(1, 0, 0)], [row(0, 100, 300), unknown])
    assert (found.loads, found.incomplete) == ([], 1)
    later = measure(
        [row(0, 0, 100), row(1, 0, 0)], [row(0, 100, 300), unknown], [row(0, 300, 500), row(1, 0, 0)]
    )
    assert later.loads[0].window_seconds == 20.0


def test_a_position_that_is_unknown_or_went_back_leaves_served_unknown():
    unknown = measure([row(0, 0, 100)], [row(0, 0, 300) | {"current_offset": -1, "lag": -1}])
    assert unknown.loads[0].operators["g"].served_rate is None
    assert unknown.loads[0].operators["g"].backlog_tuples is None
    assert unknown.moved_back == set()
    back = measure([row(0, 50, 100)], [row(0, 40, 300)])
    assert back.loads[0].operators["g"].served_rate is None
    assert back.moved_back == {("clicks", 0)}
    assert back.loads[0].external_rate == 20.0


def test_a_topic_made_anew_leaves_no_load():
    found = measure([row(0, 100, 100)], [row(0, 5, 10)])
    assert (found.loads, found.recreated) == ([], {("clicks", 0)})


@pytest.mark.parametrize("seconds", [0.5, 1e6])
def test_samples_too_near_or_far_apart_leave_no_load(seconds: float):
    found = measure([row(0, 0, 100)], [row(0, 100, 300)], seconds=seconds)
    assert (found.loads, found.too_close) == ([], 1)


def test_members_that_are_not_known_are_not_counted():
    found = measure([row(0, 0, 100, None)], [row(0, 100, 300, None)])
    measured = found.loads[0].operators["g"]
    assert (measured.processors, measured.service_rate) == (None, None)
