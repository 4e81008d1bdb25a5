"""SIGKILL of the service: all that was answered is stored, and nothing is stored in part."""

import signal
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
from pydantic import JsonValue

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from tests.app.load.snapshots.test_routes import read_all
from tests.app.processes import StartService, wait_until

MINUTE_ZERO = datetime(2026, 1, 1, tzinfo=UTC)
LIST_LENGTH = 20


@dataclass
class Writer:
    """Writes all there is to write until the service is gone, and keeps what was answered."""

    url: str
    name: str
    written: int = 0
    topologies: list[str] = field(default_factory=list)
    revision: int = 1
    lists: list[int] = field(default_factory=list)
    plans: dict[str, bytes | None] = field(default_factory=dict)
    """For each Idempotency-Key that was sent, the answer, or None if it was cut off."""

    def run(self) -> None:
        with suppress(httpx.TransportError), httpx.Client(base_url=self.url, timeout=60) as client:
            while True:
                self.create(client, f"{self.name}-{self.written}")
                self.change(client)
                self.measure(client, self.written)
                self.plan(client, f"{self.name}-{self.written}")
                self.written += 1

    def create(self, client: httpx.Client, name: str) -> None:
        assert client.post("/v1/topologies", json=FPD | {"name": name}).status_code == 201
        self.topologies.append(name)

    def change(self, client: httpx.Client) -> None:
        body = FPD | {"name": f"{self.name}-0", "revision": self.revision}
        self.revision = client.put(f"/v1/topologies/{self.name}-0", json=body).json()["revision"]

    def measure(self, client: httpx.Client, number: int) -> None:
        body = [snapshot(number * LIST_LENGTH + position) for position in range(LIST_LENGTH)]
        answer = client.post(f"/v1/topologies/{self.name}-0/snapshots", json=body)
        assert (answer.status_code, answer.json()["stored"]) == (201, LIST_LENGTH)
        self.lists.append(number)

    def plan(self, client: httpx.Client, key: str) -> None:
        self.plans[key] = None
        answer = self.send_plan(client, key)
        assert answer.status_code == 201, answer.text
        self.plans[key] = answer.content

    def send_plan(self, client: httpx.Client, key: str) -> httpx.Response:
        address = f"/v1/topologies/{self.name}-0/plans/min-latency"
        return client.post(address, json={"k_max": 22}, headers={"Idempotency-Key": key})


def snapshot(minute: int) -> dict[str, JsonValue]:
    return FPD_LOAD | {"observed_at": (MINUTE_ZERO + timedelta(minutes=minute)).isoformat()}


def test_what_was_answered_survives_a_kill_and_nothing_is_half_there(
    start_service: StartService, tmp_path: Path
):
    service = start_service(data_dir=str(tmp_path))
    writers = [Writer(service.url, f"writer{number}") for number in range(4)]
    threads = [threading.Thread(target=writer.run) for writer in writers]
    for thread in threads:
        thread.start()
    wait_until(lambda: all(writer.written >= 3 for writer in writers), "all have written")
    service.stop(signal.SIGKILL)
    for thread in threads:
        thread.join()

    again = start_service(data_dir=str(tmp_path))
    with httpx.Client(base_url=again.url, timeout=60) as client:
        listed = read_all(client, "/v1/topologies?limit=1000")
        names = {str(one["name"]) for one in listed}
        assert names >= {name for writer in writers for name in writer.topologies}
        for one in listed:
            assert one["operators"] == len(FPD["operators"])  # type: ignore[arg-type]  # a list
            assert_every_revision_is_there(client, one)
        for writer in writers:
            assert_writes_are_whole(client, writer)
            assert_repeats_store_once(client, writer)
    assert again.stop() == 0
    assert not (tmp_path / "postgres" / "data" / "postmaster.pid").exists()


def assert_every_revision_is_there(client: httpx.Client, summary: dict[str, object]) -> None:
    address = f"/v1/topologies/{summary['name']}"
    newest = client.get(address).json()
    assert newest["revision"] == summary["revision"]
    for revision in {1, newest["revision"] // 2 + 1, newest["revision"]}:
        read = client.get(address, params={"revision": revision}).json()
        assert (read["revision"], read["edges"]) == (revision, FPD["edges"])


def assert_writes_are_whole(client: httpx.Client, writer: Writer) -> None:
    revision = client.get(f"/v1/topologies/{writer.name}-0").json()["revision"]
    assert revision in {
        writer.revision,
        writer.revision + 1,
    }  # the last one may have been cut off before its answer
    stored = read_all(client, f"/v1/topologies/{writer.name}-0/snapshots?limit=1000")
    moments = [datetime.fromisoformat(str(one["observed_at"])) for one in stored]
    minutes = {round((moment - MINUTE_ZERO) / timedelta(minutes=1)) for moment in moments}
    whole = {minute // LIST_LENGTH for minute in minutes}
    assert whole >= set(writer.lists)
    assert minutes == {number * LIST_LENGTH + position for number in whole for position in range(LIST_LENGTH)}


def assert_repeats_store_once(client: httpx.Client, writer: Writer) -> None:
    """A plan that was answered before the kill is answered again; one that was cut off is stored now, if not before."""
    for key, answered in writer.plans.items():
        repeated = writer.send_plan(client, key)
        assert repeated.status_code == 201, repeated.text
        if answered is not None:
            assert (repeated.content, repeated.headers["Idempotency-Replayed"]) == (answered, "true")
    plans = read_all(client, f"/v1/topologies/{writer.name}-0/plans?limit=1000")
    assert len(plans) == len(writer.plans)
