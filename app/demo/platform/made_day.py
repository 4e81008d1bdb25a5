"""The platform of the demo: the load of its day, minute by minute, and the way it applies decisions."""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from app.deciding.decisions.schemas import DecisionAnswer
from app.deciding.outcomes.schemas import OutcomeBody
from app.deciding.outcomes.service import store_outcome
from app.settings import Settings
from planner.situations.situation import scale_load, survey_load
from planner.values import DEFAULT_MODEL, Edge, Entry, Load, Operator, OperatorLoad, Topology

MINUTES = 1440
STEP_AT, SLOW, SPIKE, SILENT = 600, range(780, 900), range(1080, 1092), range(960, 1010)
"""Minutes of the day in which the rate steps up, `score` is slow, the rate is doubled, and nothing is measured."""
SEED = 7
FULL = 0.95
"""The part of the capacity from which on a queue grows too slowly for a minute to see its mean wait."""
TOPOLOGY = Topology(
    (
        Operator("parse", queueing="round-robin"),
        Operator("score", queueing="round-robin"),
        Operator("join", stateful=True, queueing="keyed", max_parallelism=64),
        Operator("store", queueing="round-robin"),
    ),
    (
        Edge("parse", "score", 1.6),
        Edge("parse", "join", 0.3),
        Edge("score", "join", 0.5),
        Edge("join", "store"),
    ),
    (Entry("parse"),),
)
SERVICE_RATES = {"parse": 60.0, "score": 34.0, "join": 45.0, "store": 80.0}
SERVICE_SCVS = {"parse": 0.6, "score": 1.4, "join": 1.0, "store": 0.8}
MEASURED_VMS, VM_RATE, VM_LOSS = (2, 4, 8, 12, 16, 20, 24), 27.0, 0.2
"""VMs whose throughput was measured; each VM serves VM_RATE, less VM_LOSS for each other one."""
BEGIN_WITH = {"parse": 6, "score": 14, "join": 6, "store": 4}


@dataclass(frozen=True, slots=True)
class Minute:
    """The rate and the events of one minute."""

    external_rate: float
    service_rates: Mapping[str, float]
    is_measured: bool


def tell_day() -> list[Minute]:
    """Every minute of the day; the result is always the same."""
    draw = random.Random(SEED)  # noqa: S311 - a demo
    minutes = []
    for at in range(MINUTES):
        wave = 180.0 + 60.0 * math.sin(2.0 * math.pi * (at / MINUTES - 0.25))
        step = 1.35 if at >= STEP_AT else 1.0
        spike = 1.9 if at in SPIKE else 1.0
        rate = wave * step * spike * (1.0 + 0.03 * draw.gauss(0.0, 1.0))
        slow = {"score": 0.72} if at in SLOW else {}
        rates = {
            name: mu * slow.get(name, 1.0) * (1.0 + 0.01 * draw.gauss(0.0, 1.0))
            for name, mu in SERVICE_RATES.items()
        }
        minutes.append(Minute(rate, rates, at not in SILENT))
    return minutes


def tell_throughputs() -> list[tuple[int, float]]:
    """Pairs of a number of VMs and its sustained throughput (external tuples per second), two for each number."""
    draw = random.Random(SEED)  # noqa: S311 - a demo
    return [
        (vms, vms * (VM_RATE - VM_LOSS * (vms - 1)) * (1.0 + 0.03 * draw.gauss(0.0, 1.0)))
        for vms in MEASURED_VMS
        for _ in range(2)
    ]


def measure(minute: Minute, running: Mapping[str, int], waiting: float, noise: float) -> tuple[Load, float]:
    """The load that a platform would measure in this minute, and how many external tuples wait at its end.

    `waiting` did at its beginning. `noise` is the factor of the measured E[T].
    """
    operators = {
        name: OperatorLoad(
            minute.service_rates[name],
            service_scv=SERVICE_SCVS[name],
            arrival_scv=1.0,
            processors=running[name],
        )
        for name in SERVICE_RATES
    }
    load = Load(minute.external_rate, operators)
    counts = [running[one.name] for one in TOPOLOGY.operators]
    # An estimate would also compute its evidence, which doubles the time, for 1,440 minutes.
    situation = survey_load(TOPOLOGY, load, DEFAULT_MODEL)
    most = minute.external_rate / max(situation.stations.find_utilisations(counts))
    left = max(0.0, waiting + 60.0 * (minute.external_rate - most))
    # No queue becomes endless in a minute: what cannot be served waits, and is served after that.
    calm = scale_load(situation, min(minute.external_rate, FULL * most))
    seen = calm.sum_sojourns(calm.wait_seconds(counts)) + (waiting + left) / 2.0 / most
    return Load(minute.external_rate, operators, measured_sojourn_seconds=seen * noise), left


LATE, IN_PART, IGNORED, REFUSED, UNREPORTED = {4}, {6}, {2}, {8}, {10}
"""The numbers of the changes, from 1, that are not simply applied at once and reported."""
LATE_MINUTES = 4
REFUSAL = "The cluster has no processors left for this job."


@dataclass
class Platform:
    """The running processors, a change that takes effect later, and a change whose outcome is not yet reported.

    `waiting` are the external tuples that could not be served yet.
    """

    counts: dict[str, int]
    waiting: float = 0.0
    changes: int = 0
    due: tuple[datetime, dict[str, int]] | None = None
    unreported: DecisionAnswer | None = None
    applied_at: datetime | None = None
    seen: list[Load] = field(default_factory=list)

    def begin_minute(self, begin: datetime) -> Mapping[str, int]:
        """The processors that run in the minute that begins now."""
        if self.due is not None and begin >= self.due[0]:
            self.applied_at, self.counts = self.due
            self.due, self.seen = None, []
        return self.counts

    def live(self, minute: Minute, begin: datetime, noise: float) -> Load:
        """What is measured of the minute that begins now."""
        load, self.waiting = measure(minute, self.begin_minute(begin), self.waiting, noise)
        if minute.is_measured:
            self.seen.append(load)
        return load

    def take(self, session: Session, settings: Settings, decision: DecisionAnswer, at: datetime) -> None:
        """Applies, delays, refuses or changes a decision, as the day's script requires."""
        if decision.action == "hold":
            return
        self.changes += 1
        wanted = dict(decision.processors.recommended)
        if self.changes in REFUSED:
            body = OutcomeBody(state="refused", detail=REFUSAL)
            store_outcome(session, UUID(str(decision.id)), body, settings)
        if self.changes in REFUSED | IGNORED:
            return
        if self.changes in IN_PART:
            self.due = (at, keep_one_change(self.counts, wanted))
            return
        late = timedelta(minutes=LATE_MINUTES if self.changes in LATE else 0)
        self.due = (at + late, wanted)
        self.unreported = None if self.changes in UNREPORTED else decision

    def report(self, session: Session, settings: Settings) -> None:
        """Stores the outcome of the last change: its mean E[T] per external tuple, as a platform would measure it."""
        if self.unreported is None or self.due is not None or not self.seen:
            return
        times = [(one.measured_sojourn_seconds or 0.0, one.external_rate) for one in self.seen]
        measured = sum(seconds * rate for seconds, rate in times) / sum(rate for _, rate in times)
        body = OutcomeBody(state="applied", applied_at=self.applied_at, measured_seconds=measured)
        store_outcome(session, UUID(str(self.unreported.id)), body, settings)
        self.unreported = None


def keep_one_change(running: Mapping[str, int], wanted: Mapping[str, int]) -> dict[str, int]:
    """The running processors, changed for the first operator of the decision only."""
    changed = next((name for name, count in wanted.items() if running[name] != count), None)
    return {name: wanted[name] if name == changed else count for name, count in running.items()}
