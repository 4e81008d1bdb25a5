"""The course of a job: pauses and overloads as a fluid, compared with the fluid worked out by hand."""

from math import inf

import pytest

from planner.replays.course import Course, Ground
from planner.targets.target import SojournTarget
from tests.planner.economics.loads import TARGET, survey_row

COUNTS, MANY = (4, 6), (8, 12)


def ground(rate: float, target: float | None = TARGET, correction: float = 1.0) -> Ground:
    limit = None if target is None else SojournTarget(target)
    return Ground(survey_row(rate), limit, correction, 60.0)


def test_what_does_not_change_has_the_modelled_time():
    course = Course(COUNTS, 20.0)
    one = ground(20.0)
    ran = course.run(one, COUNTS)
    assert ran.seconds == pytest.approx(one.find_seconds(COUNTS))
    assert ran.seconds < TARGET
    assert ran.backlog == (0.0, 0.0)
    assert (course.late_seconds, course.changes) == (0.0, 0)
    assert course.processor_hours == pytest.approx(10 / 60)


def test_a_pause_makes_tuples_wait_and_they_are_worked_off():
    course, one = Course(COUNTS, 30.0), ground(20.0)
    ran = course.run(one, MANY)
    # 600 tuples gather in 30 s; (80 − 20) a second are worked off, which takes 10 s.
    waited = 0.5 * 600 * 30 + 0.5 * 600 * 10
    assert ran.seconds == pytest.approx((one.find_seconds(MANY) or inf) + waited / 60 / 20)
    assert (course.changes, course.late_seconds, ran.backlog) == (1, 60.0, (0.0, 0.0))
    course.run(one, MANY)
    assert (course.changes, course.late_seconds) == (1, 60.0)


def test_a_pause_is_late_even_where_the_mean_is_within_the_target():
    course = Course(COUNTS, 5.0)
    course.run(ground(20.0, target=100.0), MANY)
    assert course.late_seconds == 5.0


def test_a_pause_may_be_longer_than_an_interval():
    course, one = Course(COUNTS, 90.0), ground(20.0)
    assert sum(course.run(one, MANY).backlog) == pytest.approx(1200.0)
    # 600 more in 30 s, then 60 a second are worked off in the other 30 s.
    course.run(one, MANY)
    assert course.waiting == 0.0


def test_an_overload_leaves_a_backlog_at_the_busiest_operator():
    course = Course(COUNTS, 20.0)
    # 40 a second is the most: ten a second more gather.
    ran = course.run(ground(50.0), COUNTS)
    assert sorted(ran.backlog) == pytest.approx([0.0, 600.0])
    assert course.late_seconds == 60.0
    course.run(ground(30.0), COUNTS)
    assert course.waiting == pytest.approx(0.0)
    assert course.late_seconds == 120.0


def test_a_correction_stretches_waits_alone():
    plain, slow = ground(30.0), ground(30.0, correction=2.0)
    service = plain.situation.find_lower_bound()
    before, after = plain.find_seconds(COUNTS) or inf, slow.find_seconds(COUNTS) or inf
    assert after - service == pytest.approx(2.0 * (before - service))


def test_without_a_target_or_a_rate_only_pauses_are_late():
    course = Course(COUNTS, 20.0)
    course.run(ground(50.0, target=None), COUNTS)
    course.run(ground(0.0), MANY)
    assert course.late_seconds == 20.0
