"""A measured day in ten minutes on a real Flink: the bridge with either rule beside DS2, under the same rates.

    sh tools/setup.sh requirements-engines.lock && .venv/bin/python -m benchmarks flink_day

All jobs run at once in one cluster. What was due while a job stood still is sent once it runs again, as from a log.
Every five seconds, twelve minutes of the day, the counters of all are read. late: the intervals whose tuples took
longer than the target in the mean, from when they were due to their end, or in which none ended. processors: the mean
of those that ran. DS2 is set to a utilisation of 0.7, over three intervals.
"""

import json
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from app.database.embedded.embedded_postgres import shared_postgres
from benchmarks.keda import serving
from benchmarks.loop_peers import Ds2
from benchmarks.loop_platform import Job as PeersJob
from benchmarks.loop_platform import Minute, Part
from benchmarks.loop_workloads import read_days
from migrations.runner import migrate
from planner.arrays import Floats
from planner.values import Load, OperatorLoad

if TYPE_CHECKING:
    from tests.engines.flink_jobs import Job, Tally

SECONDS, INTERVALS, SLOTS = 5.0, 120, 160
DAY, MEAN_RATE, TARGET = "taxi_1018", 150.0, 0.15
ROW = (Part("parse", 0.02), Part("score", 0.03), Part("write", 0.01))
COUNTS = (8, 10, 5)
POLICIES: dict[str, dict[str, object]] = {
    "economic": {"rule": "economic"},
    "drs": {"rule": "drs", "cooldown_seconds": 15, "smoothing": {"kind": "window", "size": 2}},
}
PEER = "ds2-0.7"
WARM_UP_SECONDS = 20.0  # services are slower until Java has compiled what runs often
DS2_JOB = PeersJob("row", ROW, ((0, 1, 1.0), (1, 2, 1.0)))


@dataclass
class Watch:
    """One job: what each interval showed of it, and what ran."""

    job: "Job"
    tallies: "dict[str, Tally]" = field(default_factory=dict)
    minutes: list[Minute] = field(default_factory=list)

    def look(self) -> None:
        """Reads what came since the look before."""
        was, self.tallies = self.tallies, self.job.count()
        grown = {
            name: now.minus(was[name]) if name in was and now.services >= was[name].services else now
            for name, now in self.tallies.items()
        }
        counts = tuple(self.job.read_parallelism().values())
        last = grown[ROW[-1].name]
        seconds = last.total_seconds / last.services if last.services else float("inf")
        rates = {
            name: OperatorLoad(
                one.services / one.service_seconds if one.service_seconds else None,
                arrival_rate=one.services / SECONDS,
            )
            for name, one in grown.items()
        }
        self.minutes.append(Minute(Load(grown[ROW[0].name].services / SECONDS, rates), counts, seconds, 0.0))

    def write(self, name: str) -> str:
        """A line of the table."""
        late = np.mean([one.seconds > TARGET for one in self.minutes])
        totals = [sum(one.counts) for one in self.minutes]
        changes = sum(
            before.counts != now.counts for before, now in zip(self.minutes, self.minutes[1:], strict=False)
        )
        took = np.median([one.seconds for one in self.minutes])
        return f"{name:10} {late:8.1%} {np.mean(totals):12.2f} {changes:9d} {took * 1e3:12.0f} ms"


def main() -> None:
    """Prints the table."""
    if find_spec("pyflink") is None:
        print("Flink is not installed: sh tools/setup.sh requirements-engines.lock")
        return
    rates = compress(read_days()[DAY])
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="headgate-flink-day-")))
        folder.chmod(0o755)  # as root, Postgres runs as another user
        for line in run(stack, folder, rates):
            print(line)


def compress(day: Floats) -> list[float]:
    """The mean rate of each interval of the compressed day."""
    found = day.reshape(INTERVALS, -1).mean(axis=1)
    return list(found * MEAN_RATE / found.mean())


def run(stack: ExitStack, folder: Path, rates: Sequence[float]) -> list[str]:
    """All jobs under the rates; returns the table."""
    from tests.engines.bridge_process import start_bridge
    from tests.engines.flink_cluster import running_flink
    from tests.engines.flink_jobs import JobPlan, Operator, compile_jar, start_job, upload

    database = stack.enter_context(shared_postgres(folder))
    migrate(database)
    service = stack.enter_context(serving(database, folder / "log"))
    flink = stack.enter_context(running_flink(folder, SLOTS))
    jar = upload(flink, compile_jar(folder))
    operators = tuple(Operator(one.name, one.service, count) for one, count in zip(ROW, COUNTS, strict=True))
    watches = {
        name: Watch(start_job(flink, jar, JobPlan(name, "rebalance", operators, rates[0], has_replay=True)))
        for name in (*POLICIES, PEER)
    }
    time.sleep(WARM_UP_SECONDS)
    bridges = {}
    for name, policy in POLICIES.items():
        path = folder / f"{name}.json"
        path.write_text(json.dumps({"goal": {"t_max_seconds": TARGET}} | policy))
        bridges[name] = start_bridge(watches[name].job, service.url, path)
    ds2, peer = Ds2(DS2_JOB, 0.7, 3, 0.1, 1, 3), watches[PEER]
    begun = time.monotonic()
    for place, rate in enumerate(rates, 1):
        for one in watches.values():
            one.job.set_rate(rate)
        time.sleep(max(begun + SECONDS * place - time.monotonic(), 0.0))
        for one in watches.values():
            one.look()
        wanted = ds2(peer.minutes)
        if wanted != peer.minutes[-1].counts:
            peer.job.rescale(dict(zip([one.name for one in ROW], wanted, strict=True)))
        show(place, rate, watches.values())
    for bridge in bridges.values():
        bridge.stop()
    heading = f"{'':10} {'late':>8} {'processors':>12} {'changes':>9} {'median E[T]':>15}"
    title = f"{DAY}, {MEAN_RATE:.0f}/s in the mean, target {TARGET * 1e3:.0f} ms, {INTERVALS} intervals"
    return [title, heading, *[one.write(name) for name, one in watches.items()]]


def show(place: int, rate: float, watches: Iterable[Watch]) -> None:
    """A line on what this interval showed."""
    parts = [
        f"{'+'.join(map(str, one.minutes[-1].counts)):>9} {one.minutes[-1].seconds * 1e3:7.0f} ms"
        for one in watches
    ]
    print(f"{place:4d} {rate:6.0f}/s  {'   '.join(parts)}", file=sys.stderr, flush=True)
