"""Starts a bridge from what the command line and the environment say."""

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import httpx

from app.bridge.asking import Bearer, BearerFile, hide_password, open_client, read_secret
from app.bridge.engine_link import EngineLink
from app.bridge.events import Display
from app.bridge.health import Health, serving_health
from app.bridge.lines import JsonLines, PlainLines
from app.bridge.loop import Bridge, BridgePlan
from app.bridge.naming import check_name, name_only_job
from app.bridge.running import NOT_JUDGED, run_once, run_until_stopped
from app.bridge.service_link import ServiceLink
from app.bridge.states import Terms
from app.bridge.stopping import Stopped, stopping_on_signals
from app.bridge.telling import Teller
from app.engines.answers import ENGINES, EngineName
from app.terminal.commands import Refused
from app.terminal.files import read_document
from app.terminal.options import read_duration, read_factor

LEAST_INTERVAL, MOST_INTERVAL = 0.1, 3600.0
MOST_STEP = 1000.0
CALM: dict[str, Any] = {"smoothing": {"kind": "window", "size": 4}, "least_gain": 0.15}
"""Terms of the policy of --t-max: without them the noise of single intervals moves processors between operators."""


class Given(NamedTuple):
    """The options as they were written."""

    engine: str
    url: str
    job: str | None
    service: str
    topology: str | None
    interval: str
    apply: bool
    max_step: str
    once: bool
    policy: Path | None
    t_max: str | None
    settle: str
    output: str
    ca_file: Path | None
    api_key_file: Path | None
    engine_token_file: Path | None
    engine_password_file: Path | None
    health_port: int | None
    health_host: str


def start(given: Given) -> int:
    """Runs a bridge to its end; the answer is the exit code."""
    kind, plan, named = read_engine(given), read_plan(given), read_topology(given)
    with ExitStack() as stack:
        stop = stack.enter_context(stopping_on_signals())
        engine = EngineLink(
            kind,
            stack.enter_context(open_client(given.url, find_engine_auth(given), given.ca_file)),
            given.job or None,
            stop.check,
        )
        try:
            topology = named or name_only_job(engine)
        except Stopped:
            return NOT_JUDGED
        client = stack.enter_context(open_client(given.service, find_service_auth(given), given.ca_file))
        service = ServiceLink(client, topology, stop.check)
        health = Health(monotonic, plan.interval_seconds)
        port = stack.enter_context(serving_health(health, given.health_host, given.health_port))
        display = open_display(given, topology)
        stack.callback(display.close)
        teller = Teller(display)
        teller.tell("started", describe_start(given, topology), {"health_port": port})
        bridge = Bridge(plan, engine, service, teller, health)
        try:
            return (run_once if given.once else run_until_stopped)(bridge, stop)
        except BrokenPipeError:  # who read our lines has ended, as `head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return NOT_JUDGED


def read_engine(given: Given) -> EngineName:
    """The kind of the engine."""
    for known in ENGINES:
        if given.engine == known:
            return known
    raise Refused(f"{given.engine}: no such engine; there are {', '.join(ENGINES)}")


def read_plan(given: Given) -> BridgePlan:
    """The numbers of the options."""
    interval = read_duration("--interval", given.interval, LEAST_INTERVAL, MOST_INTERVAL)
    step = read_factor("--max-step", given.max_step, 1.0, MOST_STEP)
    settle = read_duration("--settle", given.settle)
    return BridgePlan(Terms(given.apply, step, settle), interval, read_policy(given))


def read_policy(given: Given) -> dict[str, Any] | None:
    """The policy that a topology without one gets; the service checks it."""
    if given.policy is not None and given.t_max is not None:
        raise Refused(
            "--policy and --t-max contradict each other: write t_max_seconds into the policy's goal"
        )
    if given.t_max is not None:
        return {"goal": {"t_max_seconds": read_duration("--t-max", given.t_max, 1e-6)}, **CALM}
    if given.policy is None:
        return None
    document = read_document(given.policy)
    if not isinstance(document, dict):
        raise Refused(f"{given.policy}: is no policy: write an object with a goal")
    return document


def read_topology(given: Given) -> str | None:
    """The name of the topology in the service; None: that of the only job."""
    name = given.topology or given.job  # an empty one is none, as an unset variable of a container gives it
    if name and not given.topology and given.engine == "heron":
        name = name.rpartition("/")[2]  # cluster/role/environ/topology
    return check_name(name) if name else None


def find_service_auth(given: Given) -> httpx.Auth | None:
    """The key of the service."""
    key = os.environ.get("HEADGATE_API_KEY")
    if given.api_key_file is not None:
        read_secret(given.api_key_file)
        return BearerFile(given.api_key_file)
    return Bearer(key) if key else None


def find_engine_auth(given: Given) -> httpx.Auth | None:
    """The credentials of the engine: a token, or a user and a password."""
    token, user = os.environ.get("HEADGATE_ENGINE_TOKEN"), os.environ.get("HEADGATE_ENGINE_USER")
    if given.engine_token_file is not None:
        read_secret(given.engine_token_file)
        return BearerFile(given.engine_token_file)
    if token:
        return Bearer(token)
    if not user:
        return None
    file = given.engine_password_file
    return httpx.BasicAuth(
        user, read_secret(file) if file else os.environ.get("HEADGATE_ENGINE_PASSWORD", "")
    )


def open_display(given: Given, topology: str) -> Display:
    """A live table on a terminal, lines elsewhere."""
    if given.output == "json":
        return JsonLines(sys.stdout)
    if given.output == "lines" or not sys.stdout.isatty():
        return PlainLines(sys.stdout)
    from app.bridge.live_table import LiveTable
    from app.terminal.commands import open_console

    return LiveTable(open_console(), f"headgate bridge {given.engine}: {topology}")


def describe_start(given: Given, topology: str) -> str:
    """What a bridge is about to do."""
    what = "applies what is decided" if given.apply else "shows what is decided and changes nothing"
    engine, service = hide_password(given.url), hide_password(given.service)
    return f"{given.engine} at {engine} -> topology {topology} at {service}, every {given.interval}; {what}"
