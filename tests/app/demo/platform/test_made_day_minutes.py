"""The day of the demo has what a page should show, and is the same each time."""

from app.demo.platform.made_day import BEGIN_WITH, MINUTES, SILENT, SLOW, SPIKE, STEP_AT, measure, tell_day


def test_the_day_is_the_same_each_time():
    assert tell_day() == tell_day()
    assert len(tell_day()) == MINUTES


def test_the_day_has_a_step_a_spike_a_slow_operator_and_a_gap():
    day = tell_day()
    mean = [sum(day[at + i].external_rate for i in range(10)) / 10 for at in range(MINUTES - 10)]
    assert mean[STEP_AT] > 1.25 * mean[STEP_AT - 10]
    assert day[SPIKE[3]].external_rate > 1.6 * day[SPIKE[0] - 5].external_rate
    assert day[SLOW[5]].service_rates["score"] < 0.8 * day[SLOW[0] - 5].service_rates["score"]
    assert [at for at, minute in enumerate(day) if not minute.is_measured] == list(SILENT)


def test_what_cannot_be_served_waits_and_is_served_later():
    """E[T] grows as long as too much comes, by other steps each minute, and falls as soon as enough runs."""
    minute, few, plenty = tell_day()[SPIKE[3]], dict.fromkeys(BEGIN_WITH, 14), dict.fromkeys(BEGIN_WITH, 60)
    waiting, times = 0.0, []
    for running in (few, few, few, plenty, plenty):
        load, left = measure(minute, running, waiting, 1.0)
        times.append(load.measured_sojourn_seconds or 0.0)
        assert left == 0.0 or left > waiting or running is plenty
        waiting = left
    assert times[0] < times[1] < times[2]
    assert times[3] < times[2]
    assert times[4] < times[3] < 60.0
    steady, left = measure(minute, plenty, 0.0, 1.0)
    assert (left, times[4]) == (0.0, steady.measured_sojourn_seconds)
    assert times[4] < 1.0


def test_no_time_stands_twice_in_a_day_that_two_overloads_make_long():
    day, waiting, times = tell_day(), 0.0, []
    for at in (*range(STEP_AT - 5, STEP_AT + 40), *range(SPIKE[0], SPIKE[-1] + 10)):
        load, waiting = measure(day[at], BEGIN_WITH, waiting, 1.0)
        times.append(load.measured_sojourn_seconds)
    assert len(set(times)) == len(times)
    assert max(one or 0.0 for one in times) > 60.0, "a cap would be seen"
