"""The day of the demo has what a page should show, and is the same each time."""

from app.pages.demo_platform import BEGIN_WITH, MINUTES, SILENT, SLOW, SPIKE, STEP_AT, measure, tell_day


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


def test_what_cannot_keep_up_is_measured_to_take_long_and_not_for_ever():
    minute = tell_day()[SPIKE[3]]
    measured = measure(minute, dict.fromkeys(BEGIN_WITH, 1), 1.0).measured_sojourn_seconds
    assert measured == 20.0
    plenty = measure(minute, dict.fromkeys(BEGIN_WITH, 60), 1.0).measured_sojourn_seconds
    assert plenty is not None
    assert plenty < 1.0
