"""Bridges in this process, between a stand-in engine with a clock of its own and the real service."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from app.bridge.engine_link import EngineLink
from app.bridge.events import Event, Health, Reporter
from app.bridge.loop import Bridge, BridgePlan, Result
from app.bridge.service_link import ServiceLink
from app.bridge.states import Terms
from app.bridge.stopping import Stop
from tests.app.bridge.flink_stand_in import FlinkStandIn, serving

INTERVAL_SECONDS = 15.0
POLICY = {
    "goal": {"t_max_seconds": 0.005, "t_min_seconds": 0.0025},
    "cooldown_seconds": 0.0,
    "look_ahead": False,
}


class HandClock:
    """A clock that a test moves; it begins now."""

    def __init__(self) -> None:
        self.now = time.time()

    def __call__(self) -> float:
        return self.now


@dataclass
class Told:
    """Every event that a bridge told."""

    events: list[Event] = field(default_factory=list)

    def show(self, event: Event) -> None:
        self.events.append(event)

    def close(self) -> None:
        pass

    def list_kinds(self) -> list[str]:
        return [event.kind for event in self.events]

    def find(self, kind: str) -> Event:
        """The last event of a kind."""
        return [event for event in self.events if event.kind == kind][-1]


@dataclass
class Stage:
    """An engine, a bridge, and what it told; `service_url` is what new bridges speak to."""

    engine: FlinkStandIn
    engine_url: str
    service_url: str
    topology: str
    clock: HandClock
    clients: ExitStack
    told: Told = field(default_factory=Told)
    stop: Stop = field(default_factory=Stop)
    policy: dict[str, Any] | None = field(default_factory=lambda: dict(POLICY))

    def make_bridge(self, **options: Any) -> Bridge:
        """A bridge as it is after a start."""
        terms = Terms(**({"apply": True, "max_step": 2.0} | options))
        engine = EngineLink("flink", self.open(self.engine_url), "network", self.stop, self.clock)
        service = ServiceLink(self.open(self.service_url), self.topology, self.stop)
        plan = BridgePlan(terms, INTERVAL_SECONDS, self.policy)
        return Bridge(plan, engine, service, Reporter(self.told), Health(time.monotonic, INTERVAL_SECONDS))

    def open(self, url: str) -> httpx.Client:
        return self.clients.enter_context(httpx.Client(base_url=url, timeout=60))

    def turn(self, bridge: Bridge, count: int = 1) -> list[Result]:
        """So many intervals; the engine's clock moves, nobody waits."""
        results = []
        for _ in range(count):
            self.clock.now += INTERVAL_SECONDS
            results.append(bridge.turn())
        return results


@contextmanager
def staged(service_url: str, topology: str) -> Iterator[Stage]:
    """An engine that has run for a while."""
    clock = HandClock()
    engine = FlinkStandIn(clock)
    clock.now += 60.0
    with serving(engine) as url, ExitStack() as clients:
        yield Stage(engine, url, service_url, topology, clock, clients)
