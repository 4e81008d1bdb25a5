"""E[T] of jobs on a real Flink as promised, beside what the jobs measured of themselves: where known errors come from.

Twelve jobs run at once: services that all take equally long, exponential ones, and ones of which a few are very long;
tuples dealt in turn or by key; at two loads. The service sees what a bridge sends: samples each 10 s, and counts of the
source each second. `ENGINES_WRITE=1 make bench BENCH=engine_truth` writes planner/situations/engine_errors.py. Install
requirements-engines.lock before.
"""

import os
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Literal

import httpx

from app.bridge.engine_link import EngineLink
from app.bridge.stopping import Stop
from app.database.embedded.embedded_postgres import shared_postgres
from app.engines.answers import EngineAnswer
from migrations.runner import migrate
from planner.situations.engine_errors import ASSUMED, ENGINE_ERRORS, ESTIMATED, KNOWN
from tests.app.processes import start
from tests.engines.flink_cluster import running_flink
from tests.engines.flink_jobs import Exchange, Job, JobPlan, Operator, Tally, compile_jar, start_job, upload
from tests.engines.http_asker import write_answers

Law = Literal["fixed", "exponential", "wild"]
ROOT = Path(__file__).parents[1]
TABLE = ROOT / "planner" / "situations" / "engine_errors.py"
SCVS: dict[Law, float] = {"fixed": 0.0, "exponential": 1.0, "wild": 4.0}
EXCHANGES: tuple[Exchange, ...] = ("rebalance", "hash")
LOADS, FULL_RATE = (0.55, 0.75), 100.0
SETTLING_SECONDS, SAMPLES, SAMPLE_SECONDS, SLOTS = 15.0, 18, 10, 80


@dataclass
class Watched:
    """A job with what was asked of it, and what it had counted of itself before."""

    job: Job
    law: Law
    engine: EngineLink
    before: dict[str, Tally] = field(default_factory=dict)
    samples: list[list[EngineAnswer]] = field(default_factory=list)
    looks: list[EngineAnswer] = field(default_factory=list)

    def begin(self) -> None:
        """The first sample."""
        self.before = self.job.count()
        self.samples.append(self.engine.take_sample())

    def look(self) -> None:
        """Counts the source."""
        self.looks += self.engine.look(self.engine.list_looks(self.samples[0]))

    def find_measured(self) -> float:
        """E[T] since the beginning by the job's own clock."""
        tallies = {name: now.minus(self.before[name]) for name, now in self.job.count().items()}
        return sum(one.sojourn_seconds for one in tallies.values()) / tallies["parse"].services

    def promise(self, client: httpx.Client) -> dict[str, float]:
        """E[T] by the service: of the newest interval alone, of all with counts of the source, and with SCVs said."""
        name = self.job.plan.name
        alone = ask(client, f"{name}-alone", self.store(client, f"{name}-alone", SAMPLES - 1))
        some = ask(client, name, self.store(client, name, 0))
        told = client.get(f"/v1/topologies/{name}").json()
        for operator in told["operators"]:
            operator["service_scv"] = SCVS[self.law]
        body = {part: told[part] for part in ("name", "operators", "edges", "entries")}
        assert client.put(f"/v1/topologies/{name}", json=body).status_code == 200
        return {ASSUMED: alone, ESTIMATED: some, KNOWN: ask(client, name, SAMPLES)}

    def store(self, client: httpx.Client, name: str, first: int) -> int:
        """Posts the intervals from the sample `first` on, each with its looks; returns their number."""
        for then, now in list(pairwise(self.samples))[first:]:
            begin, end = then[-1].at, now[-1].at
            between = [one for one in self.looks if begin and end and one.at and begin <= one.at <= end]
            path = f"/v1/topologies/{name}/snapshots/from/flink?topology=replace"
            stored = client.post(path, json=write_answers([*then, *now, *between]))
            assert stored.status_code == 201, stored.text
        return SAMPLES - first


def ask(client: httpx.Client, name: str, intervals: int) -> float:
    """E[T] by the service, of so many intervals smoothed."""
    smoothing = {"kind": "window", "size": intervals}
    answer = client.post(f"/v1/topologies/{name}/estimate", json={"smoothing": smoothing}).json()
    print("   ", [one for one in answer["evidence"]["measured"] if "estimated" in one])
    return float(answer["expected_sojourn_seconds"])


@contextmanager
def running_jobs() -> Iterator[list[Watched]]:
    """The jobs, once they have run for a while."""
    with (
        tempfile.TemporaryDirectory(prefix="headgate-flink-") as folder,
        running_flink(Path(folder), SLOTS) as flink,
    ):
        jar, stop, found = upload(flink, compile_jar(flink.folder)), Stop(), []
        with httpx.Client(base_url=flink.url, timeout=60) as client:
            for law in SCVS:
                for exchange in EXCHANGES:
                    for load in LOADS:
                        operators = (
                            Operator("parse", 0.020, 2, law=law),
                            Operator("score", 0.030, 3, law=law),
                            Operator("write", 0.01, 1, law=law),
                        )
                        plan = JobPlan(f"{law}-{exchange}-{load:g}", exchange, operators, FULL_RATE * load)
                        found.append(
                            Watched(
                                start_job(flink, jar, plan), law, EngineLink("flink", client, plan.name, stop)
                            )
                        )
            time.sleep(SETTLING_SECONDS)
            yield found
        stop.close()


def watch(jobs: list[Watched]) -> list[float]:
    """Samples and looks of all jobs over the same time; E[T] of each by its own clock."""
    with ThreadPoolExecutor(len(jobs)) as pool:
        list(pool.map(Watched.begin, jobs))
        begin = time.monotonic()
        for second in range(1, SAMPLES * SAMPLE_SECONDS + 1):
            time.sleep(max(begin + second - time.monotonic(), 0.0))
            list(pool.map(Watched.look, jobs))
            if second % SAMPLE_SECONDS == 0:
                for one, answers in zip(
                    jobs, pool.map(lambda one: one.engine.take_sample(), jobs), strict=True
                ):
                    one.samples.append(answers)
        return list(pool.map(Watched.find_measured, jobs))


@contextmanager
def serving(database_url: str) -> Iterator[httpx.Client]:
    """A client of a service on this database."""
    migrate(database_url)
    service = start([], database_url=database_url)
    with httpx.Client(base_url=service.url, timeout=120) as client:
        yield client
    service.stop()


def main() -> None:
    """Prints a row for each job, and the mean errors; writes them where that is asked."""
    errors: dict[str, list[float]] = {known: [] for known in ENGINE_ERRORS["flink"].errors}
    with running_jobs() as jobs:
        measured = watch(jobs)
    with tempfile.TemporaryDirectory(prefix="headgate-") as folder:
        Path(folder).chmod(0o755)  # as root, Postgres runs as another user
        with shared_postgres(Path(folder)) as url, serving(url) as client:
            for one, seconds in zip(jobs, measured, strict=True):
                promised = one.promise(client)
                for known, found in promised.items():
                    errors[known].append(found / seconds - 1.0)
                cells = "".join(
                    f"{found * 1e3:8.1f} ms{found / seconds - 1.0:+8.1%}" for found in promised.values()
                )
                print(f"{one.job.plan.name:26}{seconds * 1e3:8.1f} ms{cells}", flush=True)
    means = {known: round(mean(map(abs, listed)), 3) for known, listed in errors.items()}
    print(f"mean |error|: {means}")
    if os.environ.get("ENGINES_WRITE"):
        write_table(means, len(jobs))


def write_table(errors: dict[str, float], jobs: int) -> None:
    """Replaces the row of Flink in the table that answers take known errors from."""
    text = TABLE.read_text()
    old = ENGINE_ERRORS["flink"]
    for known, error in errors.items():
        text = text.replace(f'"{known}": {old.errors[known]!r}', f'"{known}": {error!r}')
    TABLE.write_text(text.replace(f"jobs={old.jobs},", f"jobs={jobs},"))
    print(f"Written: {TABLE}")


if __name__ == "__main__":
    main()
