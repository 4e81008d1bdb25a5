"""The day of the demo, minute by minute: a wave, a step, a slow dependency, a spike, and a gap in what is measured."""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass

from planner.situations.situation import survey_load
from planner.values import DEFAULT_MODEL, Edge, Entry, Load, Operator, OperatorLoad, Topology

MINUTES = 1440
STEP_AT, SLOW, SPIKE, SILENT = 600, range(780, 900), range(1080, 1092), range(960, 1010)
"""Minutes of the day: where the rate steps up, `score` is slow, the rate is doubled, and nothing is measured."""
SEED = 7
MOST_WAITING_SECONDS = 20.0
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
    """What happens in one minute."""

    external_rate: float
    service_rates: Mapping[str, float]
    is_measured: bool


def tell_day() -> list[Minute]:
    """Every minute of the day, the same each time."""
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
    """Numbers of VMs and the external tuples per second that they sustained: two measurements of each."""
    draw = random.Random(SEED)  # noqa: S311 - a demo
    return [
        (vms, vms * (VM_RATE - VM_LOSS * (vms - 1)) * (1.0 + 0.03 * draw.gauss(0.0, 1.0)))
        for vms in MEASURED_VMS
        for _ in range(2)
    ]


def measure(minute: Minute, running: Mapping[str, int], noise: float) -> Load:
    """The load that a platform would measure in this minute; `noise` is the factor of the measured E[T]."""
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
    # An estimate would explain itself, too, which takes as long again, 1,440 times.
    situation = survey_load(TOPOLOGY, load, DEFAULT_MODEL)
    waits = situation.wait_seconds([running[one.name] for one in TOPOLOGY.operators])
    # What cannot keep up is seen to take long, not for ever.
    seen = min(situation.sum_sojourns(waits) * noise, MOST_WAITING_SECONDS)
    return Load(minute.external_rate, operators, measured_sojourn_seconds=seen)
