"""The compressed day: its wave, a slow operator that a change mends, and a lost node."""

import pytest

from app.demo.platform.live_job import (
    BEGIN_AT,
    DAY_SECONDS,
    LOST,
    LOST_AT,
    SLOW,
    SLOW_FACTOR,
    STEP_SECONDS,
    LiveJob,
    external_rate,
    service_rate,
)
from app.demo.platform.made_day import BEGIN_WITH
from planner.values import Load

ENOUGH = {"parse": 7, "score": 30, "join": 11, "store": 6}


def run_to(job: LiveJob, seconds: float) -> Load:
    load = job.run(1.0)
    while job.now < seconds:
        load = job.run(1.0)
    return load


def test_a_slow_operator_is_a_bottleneck_until_more_processors_run():
    assert SLOW.start - BEGIN_AT <= 30, "whoever starts the demo sees it soon"
    job = LiveJob(1)
    slow = run_to(job, 60.0)
    assert slow.operators["score"].service_rate == pytest.approx(34.0 * SLOW_FACTOR, rel=0.1)
    assert (slow.operators["score"].backlog_tuples or 0.0) > 300
    assert (slow.measured_sojourn_seconds or 0.0) > 2.0
    job.change(ENOUGH)
    mended = run_to(job, 120.0)
    assert (mended.operators["score"].backlog_tuples or 0.0) < 50
    assert (mended.measured_sojourn_seconds or 0.0) < 0.35
    assert {name: one.processors for name, one in mended.operators.items()} == ENOUGH


def test_a_lost_node_takes_processors_once():
    job = LiveJob(1, ENOUGH, begin_at=LOST_AT - BEGIN_AT - 10.0)
    run_to(job, LOST_AT - BEGIN_AT + 60.0)
    assert job.counts == ENOUGH | {name: ENOUGH[name] - lost for name, lost in LOST.items()}


def test_each_day_is_like_the_one_before_and_the_load_multiplies_it():
    assert external_rate(100.0) == external_rate(100.0 + DAY_SECONDS)
    assert service_rate("join", 50.0) == service_rate("join", 50.0 + DAY_SECONDS)
    single, double = (LiveJob(1, ENOUGH).run(factor).external_rate for factor in (1.0, 2.0))
    assert double == pytest.approx(2.0 * single, rel=0.1)
    first, again = (LiveJob(5, BEGIN_WITH).run(1.0) for _ in range(2))
    assert first == again
    assert STEP_SECONDS * first.external_rate == int(STEP_SECONDS * first.external_rate)
