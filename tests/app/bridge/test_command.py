"""`headgate bridge` in a process of its own, between a stand-in engine and the real service."""

import re
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import get_args

import httpx
import pytest
import typer
import yaml
from typer.testing import CliRunner

from app.bridge.command import ENGINES
from app.bridge.events import EventKind
from app.command_line import cli
from app.engines.answers import EngineName
from tests.app.bridge.bridges import POLICY
from tests.app.bridge.commands import list_arguments, run, running
from tests.app.bridge.flink_stand_in import FlinkStandIn, serving
from tests.app.processes import Service, wait_until

ROOT = Path(__file__).parents[3]
GUIDE = (ROOT / "docs" / "guides" / "bridge.md").read_text()
SOURCES = "".join(path.read_text() for path in (ROOT / "app" / "bridge").glob("*.py"))


@pytest.fixture
def engine() -> FlinkStandIn:
    """An engine whose clock goes six times as fast: Flink's counters need a second or more for rates."""
    began = time.time()
    return FlinkStandIn(lambda: began + 6.0 * (time.time() - began))


@pytest.fixture
def engine_url(engine: FlinkStandIn) -> Iterator[str]:
    with serving(engine) as url:
        yield url


@pytest.fixture
def policy(tmp_path: Path) -> str:
    file = tmp_path / "policy.yaml"
    file.write_text(yaml.safe_dump(POLICY))
    return str(file)


def test_every_engine_is_offered():
    assert "|".join(get_args(EngineName)) == ENGINES


def test_the_guide_has_every_option_variable_and_event():
    command = typer.main.get_command(cli).commands["bridge"]  # type: ignore[attr-defined]
    options = {
        name for one in command.params for name in one.opts + one.secondary_opts if name.startswith("--")
    }
    assert options <= set(re.findall(r"--[a-z-]+", GUIDE))
    for name in get_args(EventKind):
        assert f"`{name}`" in GUIDE, name
    for name in re.findall(r"HEADGATE_\w+", SOURCES):
        assert f"`{name}`" in GUIDE, name


def test_once_ends_with_0_where_nothing_is_to_do_and_with_1_where_a_change_is_wanted(
    engine: FlinkStandIn, engine_url: str, service: Service, name: str, policy: str
):
    arguments = list_arguments(engine_url, service.url, name, "--once", "--policy", policy)
    ended = run(arguments)
    assert ended.returncode == 0, ended.stdout
    assert '"action": "hold"' in ended.stdout
    engine.rate = 3900.0
    ended = run(arguments)
    assert ended.returncode == 1, ended.stdout
    assert '"event": "wanted"' in ended.stdout
    assert engine.asked == []


def test_once_applies_and_waits_until_it_runs(
    engine: FlinkStandIn, engine_url: str, service: Service, name: str, policy: str
):
    engine.rate = 3900.0
    ended = run(list_arguments(engine_url, service.url, name, "--once", "--apply", "--policy", policy))
    assert ended.returncode == 0, ended.stdout
    assert [one["parse"] for one in engine.asked] == [6]
    assert '"event": "discarded"' in ended.stdout


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_0(number: signal.Signals, service: Service, name: str):
    with serving(FlinkStandIn()) as gone:
        pass
    with running(list_arguments(gone, service.url, name, "--interval", "1h")) as bridge:
        bridge.wait_for("away")
        bridge.process.send_signal(number)
        assert bridge.process.wait(timeout=30) == 0
    assert bridge.events[-1]["event"] == "ended"


def test_an_engine_that_goes_away_is_told_once_and_followed_when_it_is_back(
    engine: FlinkStandIn, service: Service, name: str, policy: str
):
    with ExitStack() as stack:
        engine_stack = stack.enter_context(ExitStack())
        url = engine_stack.enter_context(serving(engine))
        options = ["--apply", "--policy", policy, "--health-port", "0"]
        bridge = stack.enter_context(running(list_arguments(url, service.url, name, *options)))
        bridge.wait_for("decided")
        assert httpx.get(f"http://127.0.0.1:{bridge.events[0]['health_port']}/readyz").status_code == 200
        engine_stack.close()
        bridge.wait_for("away")
        engine.rate = 3900.0
        stack.enter_context(serving(engine, int(url.rpartition(":")[2])))
        wait_until(lambda: engine.running["parse"] == 6, "the bridge follows")
        assert [one["event"] for one in bridge.events].count("away") == 1
        assert [one["event"] for one in bridge.events].count("back") == 1


def test_a_bridge_that_is_killed_leaves_nothing_half_done_and_the_next_one_goes_on(
    engine: FlinkStandIn, engine_url: str, service: Service, name: str, policy: str
):
    engine.rate = 3900.0
    arguments = list_arguments(engine_url, service.url, name, "--apply", "--policy", policy)
    with running(arguments) as bridge:
        bridge.wait_for("applied")
        bridge.process.kill()
    with running(arguments) as bridge:
        assert bridge.wait_for("proved")["kept"] is True
        bridge.wait_for("decided")
    assert [one["parse"] for one in engine.asked] == [6]


def test_a_wrong_option_ends_with_2_and_a_sentence():
    for options, why in (
        (["--interval", "fast"], "--interval fast"),
        (["--max-step", "0.5x"], "--max-step"),
        (["--topology", "a/b"], "slash"),
        (["--policy", "/none.yaml"], "cannot be read"),
    ):
        ended = CliRunner().invoke(
            cli, list_arguments("http://engine", "http://service", "fpd", *options)[1:]
        )
        assert ended.exit_code == 2
        assert why in ended.stderr
