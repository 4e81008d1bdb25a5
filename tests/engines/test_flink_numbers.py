"""Is Headgate's E[T] true on a real Flink? Ten jobs at once: two exchanges, three loads, two shapes."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import httpx

from app.engines.answers import EngineAnswer
from app.load.bodies.answers import EstimateAnswer
from tests.engines.flink_jobs import Exchange, Job, JobPlan, Operator, StartJob, Tally
from tests.engines.http_asker import sample, write_answers

EVEN = (Operator("parse", 0.020, 4), Operator("score", 0.030, 6), Operator("write", 0.010, 2))
WIDENING = (Operator("parse", 0.010, 2, copies=2), Operator("score", 0.015, 6), Operator("write", 0.020, 8))
FULL_RATE = 200.0  # tuples/s at which the processors of either shape are all busy
EXCHANGES: tuple[Exchange, ...] = ("rebalance", "hash")
CASES = [
    (exchange, operators, load)
    for exchange in EXCHANGES
    for operators, load in ((EVEN, 0.4), (EVEN, 0.6), (EVEN, 0.8), (WIDENING, 0.6), (WIDENING, 0.75))
]
SETTLING_SECONDS, MEASURED_SECONDS = 15.0, 90.0
MOST_ERROR, MOST_SERVICE_ERROR = 0.15, 0.05


class Look(NamedTuple):
    """One look at a job: its own counters, and what the engine answers."""

    tallies: dict[str, Tally]
    answers: list[EngineAnswer]


class Measured(NamedTuple):
    """What a job measured of itself between two looks, beside what Headgate says."""

    exchange: Exchange
    tallies: dict[str, Tally]
    promised: EstimateAnswer

    @property
    def seconds(self) -> float:
        """E[T]: all time of all tuples in all operators, per tuple from outside."""
        entered = next(iter(self.tallies.values())).services
        return sum(tally.sojourn_seconds for tally in self.tallies.values()) / entered

    @property
    def error(self) -> float:
        """Of the promise."""
        assert self.promised.expected_sojourn_seconds is not None
        return self.promised.expected_sojourn_seconds / self.seconds - 1.0

    def list_rates(self) -> list[tuple[float, float]]:
        """For each operator: its service rate by the job's clock, and as read."""
        pairs = zip(self.tallies.values(), self.promised.operators, strict=True)
        return [(tally.services / tally.service_seconds, one.service_rate) for tally, one in pairs]

    def write(self) -> str:
        """A line of the table."""
        one = self.promised
        assert one.expected_sojourn_seconds is not None
        processors = "+".join(str(operator.processors) for operator in one.operators)
        rates = "  ".join(f"{true:6.2f} {read:6.2f}" for true, read in self.list_rates())
        return (
            f"{self.exchange:10}{one.external_rate:6.1f}/s  {processors:7}"
            f"{max(operator.utilisation for operator in one.operators):6.2f}"
            f"{self.seconds * 1e3:9.1f} ms{one.expected_sojourn_seconds * 1e3:9.1f} ms{self.error:+7.1%}   {rates}"
        )


HEAD = (
    "exchange    external  processors  rho  E[T] measured  promised  error   "
    "service rates of each operator, true and read"
)


def look(job: Job) -> Look:
    """Asks the job's counters, and Flink as the bridge does."""
    return Look(job.count(), sample("flink", job.flink.url, job.plan.name))


def promise(client: httpx.Client, name: str, answers: list[EngineAnswer]) -> EstimateAnswer:
    """What the service says of E[T] once it has read these answers."""
    path = f"/v1/topologies/{name}"
    stored = client.post(f"{path}/snapshots/from/flink?topology=replace", json=write_answers(answers))
    assert stored.status_code == 201, stored.text
    estimated = client.post(f"{path}/estimate", json={})
    assert estimated.status_code == 200, estimated.text
    return EstimateAnswer.model_validate_json(estimated.text)


def measure(jobs: list[Job], client: httpx.Client) -> list[Measured]:
    """All jobs over the same time: it is the sum of the waits that is measured, and they need little processor."""
    with ThreadPoolExecutor(len(jobs)) as pool:
        time.sleep(SETTLING_SECONDS)
        earlier = list(pool.map(look, jobs))
        time.sleep(MEASURED_SECONDS)
        later = list(pool.map(look, jobs))
    return [
        Measured(
            job.plan.exchange,
            {name: now.tallies[name].minus(then.tallies[name]) for name in now.tallies},
            promise(client, job.plan.name, [*then.answers, *now.answers]),
        )
        for job, then, now in zip(jobs, earlier, later, strict=True)
    ]


def test_the_promised_time_and_the_service_rates_are_true(
    start: StartJob, client: httpx.Client, report: Callable[[str], None]
) -> None:
    jobs = [
        start(JobPlan(f"numbers-{place}", exchange, operators, FULL_RATE * load))
        for place, (exchange, operators, load) in enumerate(CASES)
    ]
    measured = measure(jobs, client)
    for line in ("", HEAD, *(one.write() for one in measured)):
        report(line)
    assert sum(abs(one.error) <= MOST_ERROR for one in measured) >= 9
    assert all(
        abs(read / true - 1.0) <= MOST_SERVICE_ERROR for one in measured for true, read in one.list_rates()
    )
