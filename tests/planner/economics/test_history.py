"""Changes, their costs, and what is kept of a promise."""

from dataclasses import replace

import pytest

from planner.economics.history import USUAL_LATE, USUAL_PAUSE, History, SeenInterval
from tests.planner.economics.loads import see_row


def write_history(*parts: tuple[int, float, int]) -> History:
    """Parts of (processors, measured seconds, intervals)."""
    seen = [
        SeenInterval(20.0, (processors,), seconds)
        for processors, seconds, count in parts
        for _ in range(count)
    ]
    return replace(see_row([]), intervals=seen)


def test_a_change_is_where_processors_differ():
    history = write_history((3, 0.4, 5), (4, 0.4, 5))
    assert history.changes == [5]
    assert history.since_change == 4


def test_intervals_of_a_change_and_of_its_backlog_are_not_steady():
    history = write_history((3, 0.4, 5), (4, 5.0, 2), (4, 0.4, 8))
    assert [place for place in range(15) if not history.is_steady(place)] == [5, 6, 7, 8]


def test_intervals_after_a_change_that_made_nothing_late_are_steady_at_once():
    history = write_history((3, 0.4, 5), (4, 0.4, 5))
    assert [place for place in range(10) if not history.is_steady(place)] == [5]


def test_the_debt_is_the_late_minutes_beyond_those_allowed():
    kept = write_history((3, 0.4, 90), (3, 0.7, 10)).find_kept(0.97)
    assert kept.late_minutes == 10
    assert kept.debt == pytest.approx(10 - 3)
    assert kept.share == pytest.approx(0.9)


def test_a_share_has_the_interval_of_its_stretches_and_its_beginning():
    history = write_history((3, 0.4, 90), (3, 0.7, 10))
    unknown = [replace(one, seconds=None) for one in history.intervals[:20]]
    kept = replace(history, intervals=[*unknown, *history.intervals[20:]]).find_kept(0.97)
    assert (kept.minutes, kept.ago, kept.share) == (80.0, 80.0, 0.875)
    # Wilson's interval of 14 among 16, worked out by hand.
    assert kept.bounds == pytest.approx((0.6398, 0.9650), abs=1e-3)


def test_nothing_measured_keeps_an_unknown_share():
    kept = see_row([1.0] * 5, seconds=None).find_kept(0.97)
    assert kept.share is None
    assert kept.debt == 0


def test_a_change_costs_the_usual_until_changes_were_seen():
    cost = write_history((3, 0.4, 50)).find_change_cost(0.7)
    assert (cost.late, cost.pause_seconds, cost.changes) == (USUAL_LATE, USUAL_PAUSE, 0)


def test_the_cost_of_a_change_is_learned_from_past_changes():
    parts = [(3 + turn % 2, seconds, count) for turn in range(12) for seconds, count in ((9.0, 2), (0.4, 20))]
    cost = write_history((9, 0.4, 20), *parts).find_change_cost(0.7)
    assert cost.changes == 12
    assert cost.late == pytest.approx((3 * USUAL_LATE + 12 * 2) / 15)


def test_a_change_out_of_an_overload_says_nothing_of_what_a_change_costs():
    assert (
        write_history((3, 0.4, 9), (3, 9.0, 5), (5, 9.0, 2), (5, 0.4, 9)).find_change_cost(0.7).changes == 0
    )


def test_the_pause_is_found_from_how_long_tuples_waited_after_it():
    """At 20 tuples/s and a utilisation of 0.5, tuples that came in a pause of 12 s wait 12²/(2·0.5) tuple-seconds/s."""
    longer = 12.0**2 / (2.0 * 0.5) / 60.0
    history = write_history((3, 0.4, 5), (4, 0.4 + longer, 1), (4, 0.4, 9))
    assert history.find_pause(5, range(5, 8), 0.5) == pytest.approx(12.0)


def test_a_pause_is_unknown_where_times_were_not_measured():
    assert see_row([1.0] * 9, seconds=None).find_pause(3, range(3, 6), 0.5) is None


def test_what_is_kept_is_judged_by_minutes_of_the_clock():
    """Every second minute is late; counted from the newest interval, most minutes would hold some of a late one."""
    step, minute = 5.0, 12
    seen = [SeenInterval(20.0, (3,), 0.9 if place // minute % 2 else 0.1) for place in range(minute * 21)]
    target = 0.3
    shares = []
    for end in range(minute * 20, minute * 21):
        kept = History.gather(seen[:end], step, target, end * step, USUAL_PAUSE).find_kept(0.9)
        shares.append(kept.share)
        assert kept.minutes == 20
        assert kept.ago == pytest.approx(20 + end % minute * step / 60)
    assert shares == [0.5] * minute
    assert History.gather(seen[: minute * 20 + 7], step, target, 0.0, USUAL_PAUSE).find_kept(0.9).share != 0.5


@pytest.mark.parametrize(
    ("step", "pause", "unit"),
    [
        (60.0, 3.0, 60.0),
        (300.0, 3.0, 60.0),
        (5.0, 3.0, 9.0),
        (5.0, 0.5, 5.0),
        (5.0, 90.0, 60.0),
        (45.0, 1.0, 45.0),
    ],
)
def test_a_unit_is_three_pauses_long_at_least_an_interval_and_at_most_a_minute(
    step: float, pause: float, unit: float
):
    seen = [SeenInterval(20.0, (3,), 0.4)] * 48
    history = History.gather(seen, step, 0.6, pause_seconds=pause)
    assert history.unit_seconds == unit
    assert history.size == max(1, round(unit / step))
    assert history.step_seconds == pytest.approx(history.size * step)
    assert len(history.intervals) == 48 // history.size
    kept = history.find_kept(0.97)
    assert kept.minutes == pytest.approx(48 * step / 60)


def test_short_pauses_that_were_seen_make_the_unit_shorter():
    """Pauses of 2 s at a utilisation of 0.7: the tuples of one interval wait 2²/(2·0.3·5) s longer."""
    longer = 2.0**2 / (2.0 * 0.3) / 5.0
    parts = [
        (4 + turn % 2, seconds, count)
        for turn in range(5)
        for seconds, count in ((0.4 + longer, 1), (0.4, 20))
    ]
    seen = write_history((3, 0.4, 20), *parts).intervals
    guessed = History.gather(seen[:20], 5.0, 9.0)
    assert guessed.unit_seconds == 15.0
    learned = History.gather(seen, 5.0, 9.0)
    assert learned.unit_seconds == pytest.approx(3.0 * (5.0 * 2.0**5) ** (1 / 6))
    assert (learned.size, learned.steps_after_change) == (1, 4)


def test_a_lasting_longer_time_after_giving_up_processors_is_no_pause():
    history = write_history((5, 0.4, 9), (4, 0.55, 9))
    assert history.find_pause(9, range(9, 12), 0.7) == 0.0
