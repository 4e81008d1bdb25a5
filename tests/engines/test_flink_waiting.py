"""Operators that wait for something else than processors, and a source that sends in bursts, on a real Flink."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from threading import Event, Thread

import httpx
import pytest

from app.bridge.engine_link import EngineLink
from app.bridge.stopping import Stop
from app.engines.answers import EngineAnswer, EngineReading, read_answers
from tests.engines.flink_cluster import Flink
from tests.engines.flink_jobs import Job, JobPlan, Operator, StartJob, Tally, start_waiting
from tests.engines.http_asker import sample, write_answers

SETTLING_SECONDS, MEASURED_SECONDS, BURSTY_SECONDS = 5.0, 15.0, 100
SLOW, FAST, STAY_SECONDS = 15.0, 85.0, 1.5
BURSTY_FACTOR = 2.0
"""100 s show bursts of seconds roughly: drawn anew, E[T] by such counts scatters by 27% around the measured one."""
LINE = (Operator("parse", 0.008, 1), Operator("score", 0.012, 1))


def take_two(job: Job) -> list[EngineAnswer]:
    """Two samples of a job, some time apart."""
    time.sleep(SETTLING_SECONDS)
    first = sample("flink", job.flink.url, job.plan.name)
    time.sleep(MEASURED_SECONDS)
    return [*first, *sample("flink", job.flink.url, job.plan.name)]


def list_said(reading: EngineReading) -> dict[str, tuple[str, ...]]:
    """The operators of each diagnostic."""
    return {one.code: one.operators for one in reading.diagnostics}


@pytest.fixture
def waiting(flink: Flink, jar: str, request: pytest.FixtureRequest) -> Iterator[Job]:
    """The job of Waiting.java at a rate, with so many instances that call."""
    rate, calls = request.param
    job = start_waiting(flink, jar, f"waiting-{calls}", rate, calls)
    yield job
    job.cancel()


@pytest.mark.parametrize("waiting", [(15.0, 3)], indirect=True)
def test_each_operator_that_waits_is_said_and_calls_keep_their_processors(
    waiting: Job, client: httpx.Client, report: Callable[[str], None]
) -> None:
    answers = take_two(waiting)
    reading = read_answers("flink", answers)
    said = list_said(reading)
    report(f"waiting: {said}")
    (calls,) = said["asynchronous-calls"]
    assert {"windows", "timers", "batching-sink"} <= said.keys()
    assert all(len(said[code]) == 1 for code in ("windows", "timers", "batching-sink"))
    path = f"/v1/topologies/{waiting.plan.name}"
    stored = client.post(f"{path}/snapshots/from/flink?topology=replace", json=write_answers(answers))
    assert stored.status_code == 201, stored.text
    plan = client.post(f"{path}/plans/min-processors", json={"t_max_seconds": 60.0})
    assert plan.status_code == 201, plan.text
    assert plan.json()["processors"][calls] == 3
    assert "capacity-unjudged" in [one["code"] for one in plan.json()["diagnostics"]]


@pytest.mark.parametrize("waiting", [(60.0, 1)], indirect=True)
def test_calls_that_hold_their_senders_back_are_full_although_idle(
    waiting: Job, report: Callable[[str], None]
) -> None:
    reading = read_answers("flink", take_two(waiting))
    (calls,) = list_said(reading)["asynchronous-calls"]
    load = reading.loads[-1].operators[calls]
    report(f"full: {list_said(reading)} {load.service_rate} of 20/s, back pressure of senders")
    assert load.unjudged is True


@contextmanager
def bursting(job: Job) -> Iterator[None]:
    """The source sends now slowly, now fast, for times drawn at random."""
    ended, random = Event(), Random(3)

    def change() -> None:
        rates = (SLOW, FAST)
        place = 0
        while not ended.wait(random.expovariate(1.0 / STAY_SECONDS)):
            place = 1 - place
            job.set_rate(rates[place])

    thread = Thread(target=change, daemon=True)
    thread.start()
    yield
    ended.set()
    thread.join()


def test_looks_each_second_tell_what_bursts_cost(
    flink: Flink, start: StartJob, client: httpx.Client, report: Callable[[str], None]
) -> None:
    job = start(JobPlan("bursty", "rebalance", LINE, FAST))
    stop = Stop()
    with bursting(job), httpx.Client(base_url=flink.url, timeout=60) as asked:
        engine = EngineLink("flink", asked, "bursty", stop)
        time.sleep(SETTLING_SECONDS)
        before, first = job.count(), engine.take_sample()
        looks: list[EngineAnswer] = []
        begin = time.monotonic()
        for second in range(1, BURSTY_SECONDS):
            time.sleep(max(begin + second - time.monotonic(), 0.0))
            looks += engine.look(engine.list_looks(first))
        now, last = job.count(), engine.take_sample()
    stop.close()
    tallies: dict[str, Tally] = {name: now[name].minus(before[name]) for name in now}
    measured = sum(one.sojourn_seconds for one in tallies.values()) / tallies["parse"].services
    path, found = "/v1/topologies/bursty", {}
    for name, answers in (("without", [*first, *last]), ("with", [*first, *last, *looks])):
        stored = client.post(f"{path}/snapshots/from/flink?topology=replace", json=write_answers(answers))
        assert stored.status_code == 201, stored.text
        answer = client.post(f"{path}/estimate", json={}).json()
        found[name] = answer["expected_sojourn_seconds"]
        report(
            f"bursty, {name} looks: {found[name] * 1e3:.0f} ms of {measured * 1e3:.0f} ms {answer['evidence']}"
        )
    assert found["without"] < measured / BURSTY_FACTOR
    assert measured / BURSTY_FACTOR < found["with"] < measured * BURSTY_FACTOR
