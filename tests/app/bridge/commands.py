"""`headgate bridge` in a process of its own, and what it prints."""

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any

from tests.app.processes import HEADGATE, environment, wait_until

INTERVAL = "0.2s"


@dataclass
class RunningBridge:
    """A running bridge, and the events that it has printed."""

    process: subprocess.Popen[str]
    events: list[dict[str, Any]] = field(default_factory=list)

    def wait_for(self, kind: str, count: int = 1) -> dict[str, Any]:
        """The last event of a kind, once there are so many."""

        def find() -> list[dict[str, Any]]:
            found = [one for one in list(self.events) if one["event"] == kind]
            assert len(found) >= count or self.process.poll() is None, self.events
            return found

        wait_until(lambda: len(find()) >= count, f"the bridge tells {kind} {count} times")
        return find()[-1]


def list_arguments(engine_url: str, service_url: str, topology: str, *options: str) -> list[str]:
    """The command with a short interval."""
    return [
        HEADGATE, "bridge", "flink", "--url", engine_url, "--job", "network", "--service", service_url,
        "--topology", topology, "--interval", INTERVAL, "--output", "json", *options,
    ]  # fmt: skip


@contextmanager
def running(arguments: list[str], **variables: str) -> Iterator[RunningBridge]:
    """A bridge that runs until the test ends it."""
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=environment() | variables)
    bridge = RunningBridge(process)

    def listen(stream: IO[str]) -> None:
        with stream:
            for line in stream:
                bridge.events.append(json.loads(line))

    assert process.stdout is not None
    listener = threading.Thread(target=listen, args=[process.stdout], daemon=True)
    listener.start()
    try:
        yield bridge
    finally:
        process.kill()
        process.wait()
        listener.join()


def run(arguments: list[str], **variables: str) -> "subprocess.CompletedProcess[str]":
    """A bridge that ends by itself, without a traceback."""
    ended = subprocess.run(
        arguments, capture_output=True, text=True, timeout=120, check=False, env=environment() | variables
    )
    assert "Traceback" not in ended.stderr, ended.stderr
    return ended
