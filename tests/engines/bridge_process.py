"""`headgate bridge` in a process of its own, and what it tells."""

import json
import signal
import subprocess
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tests.app.processes import HEADGATE, environment
from tests.engines.flink_cluster import wait_for
from tests.engines.flink_jobs import Job

INTERVAL = "5s"


@dataclass
class BridgeProcess:
    """A running bridge, and the events that it has told, oldest first."""

    process: subprocess.Popen[str]
    events: list[dict[str, Any]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    listeners: list[threading.Thread] = field(default_factory=list)

    def count(self, *kinds: str) -> int:
        """How many events of these kinds it has told."""
        return sum(1 for event in list(self.events) if event["event"] in kinds)

    def wait_for_more(self, kinds: Iterable[str], number: int, seconds: float) -> None:
        """Waits until it has told so many more events of these kinds."""
        kinds = tuple(kinds)
        wanted = self.count(*kinds) + number
        wait_for(
            lambda: self.count(*kinds) >= wanted,
            f"the bridge tells {number} of {kinds}: {self.tell_last()}",
            seconds,
        )

    def tell_last(self) -> str:
        """The newest events, for a message."""
        lines = [f"{event['event']}: {event['detail']}" for event in list(self.events)[-25:]]
        return "\n".join([*lines, *self.errors[-8:]])

    def stop(self, with_signal: signal.Signals = signal.SIGTERM) -> int:
        """Ends it; returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(with_signal)
        code = self.process.wait(timeout=60)
        for listener in self.listeners:
            listener.join()
        return code


def start_bridge(job: Job, service: str, policy: Path, *, interval: str = INTERVAL) -> BridgeProcess:
    """A bridge that applies what is decided."""
    named = ["--job", job.plan.name, "--service", service, "--policy", str(policy), "--interval", interval]
    process = subprocess.Popen(
        [HEADGATE, "bridge", "flink", "--url", job.flink.url, *named, "--apply", "--output", "json"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    bridge = BridgeProcess(process)

    def hear(stream: IO[str]) -> None:
        with stream:
            for line in stream:
                bridge.events.append(json.loads(line))

    def hear_errors(stream: IO[str]) -> None:
        with stream:
            bridge.errors.extend(stream)

    assert process.stdout is not None
    assert process.stderr is not None
    bridge.listeners = [
        threading.Thread(target=hear, args=[process.stdout], daemon=True),
        threading.Thread(target=hear_errors, args=[process.stderr], daemon=True),
    ]
    for listener in bridge.listeners:
        listener.start()
    return bridge
