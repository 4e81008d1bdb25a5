"""Keys: names, lengths and permissions in the setting and the file, and the file read again at SIGHUP."""

import json
import signal
from hashlib import sha256
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from app.settings import Settings
from app.web.callers.keys import KeyRing, UnusableKeys, parse_api_keys, read_keys_file
from tests.app.processes import StartService, find_workers, refuse_to_serve, wait_until

ALPHA, BETA = "alpha" * 4, "beta" * 4
BASE64 = "3q2+7wAAAAAAAAAAAAAAAA=="


def test_keys_are_compared_whole():
    ring = KeyRing(Settings(api_keys=SecretStr(f" {ALPHA} , reader={BETA}:read ,, {BASE64}")))
    assert [(key.name, key.may_store) for key in ring.known] == [
        ("key-1", True),
        ("reader", False),
        ("key-3", True),
    ]
    for sent, key in zip((ALPHA, BETA, BASE64), ring.known, strict=True):
        assert ring.find(sent) is key
    for wrong in ("", ALPHA[:-1], ALPHA + "a", f"{BETA}:read", f"reader={BETA}", "\ud800", BASE64[:-1]):
        assert ring.find(wrong) is None


@pytest.mark.parametrize(
    "listed", ["ci=short-secret-15", f"{ALPHA},short-secret-15", "ci=short-secret-15:read"]
)
def test_a_short_secret_is_refused_at_the_start_without_being_printed(listed: str, postgres_url: str):
    ended = refuse_to_serve("--port", "0", database_url=postgres_url, api_keys=listed)
    assert ended.returncode == 2
    assert ("key-2" if ALPHA in listed else "(ci)") in ended.stderr
    assert "16 characters" in ended.stderr
    assert "short-secret" not in ended.stderr


def test_two_keys_of_one_name_are_refused():
    with pytest.raises(UnusableKeys, match="two keys have the name ci"):
        parse_api_keys(f"ci={ALPHA},ci={BETA}")


def test_a_file_has_secrets_or_their_digests(tmp_path: Path):
    file = tmp_path / "keys"
    digest = sha256(BETA.encode()).hexdigest()
    file.write_text(f"# of the platform\n\nci={ALPHA}\n  reader=sha256:{digest}:read\n")
    assert [(key.name, key.may_store) for key in read_keys_file(file)] == [("ci", True), ("reader", False)]
    ring = KeyRing(Settings(api_keys_file=file))
    assert ring.find(BETA) is ring.known[1]
    for wrong in (f"ci={ALPHA}\n{BETA}\n", f"a b={ALPHA}", "ci=short", f"ci={ALPHA}\nci={BETA}", "# none"):
        file.write_text(wrong)
        ring.read_again()
        assert [key.name for key in ring.known] == ["ci", "reader"], wrong
    with pytest.raises(UnusableKeys, match="No such file"):
        read_keys_file(tmp_path / "absent")


@pytest.mark.parametrize(("workers", "processes"), [(1, 1), (2, 3)])
def test_every_process_reads_the_file_again_at_sighup(
    start_service: StartService, database_url: str, tmp_path: Path, workers: int, processes: int
):
    """The workers, and their supervisor, which asks for keys where it answers of their health."""
    file = tmp_path / "keys"
    file.write_text(f"old={ALPHA}\n")
    service = start_service(
        "--workers",
        str(workers),
        database_url=database_url,
        api_keys_file=str(file),
        simulation_processes="0",
    )
    wait_until(lambda: len(find_workers(service)) == workers, "all workers serve")

    def ask(key: str) -> int:
        return httpx.get(f"{service.url}/metrics", headers={"Authorization": f"Bearer {key}"}).status_code

    def count(said: str) -> int:
        return sum(said in json.loads(line)["message"] for line in list(service.lines))

    assert ask(ALPHA) == 200
    file.write_text(f"new={BETA}\n")
    service.process.send_signal(signal.SIGHUP)
    wait_until(lambda: count("read again: new") == processes, "all know the new key")
    assert {(ask(ALPHA), ask(BETA)) for _ in range(8)} == {(401, 200)}
    file.write_text("new=short\n")
    service.process.send_signal(signal.SIGHUP)
    wait_until(lambda: count("the old ones stay") == processes, "all say that the file is broken")
    assert {(ask(ALPHA), ask(BETA)) for _ in range(2)} == {(401, 200)}
    assert service.stop() == 0
    assert not any(BETA in line or "new=short" in line for line in service.lines)
