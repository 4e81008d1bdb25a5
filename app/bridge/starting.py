"""Starts a bridge from the options of the command line and the environment."""

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import httpx
from pydantic import JsonValue, TypeAdapter, ValidationError

from app.bridge.displays import JsonLines, LiveTable, PlainLines
from app.bridge.engine_link import EngineLink
from app.bridge.events import Display, Health, Reporter, serving_health
from app.bridge.http_clients import BearerToken, Unanswered, hide_password, open_client, read_secret
from app.bridge.loop import Bridge, BridgePlan
from app.bridge.running import NOT_JUDGED, run_once, run_until_stopped
from app.bridge.service_link import ServiceLink
from app.bridge.states import Terms
from app.bridge.stopping import Stopped, stopping_on_signals
from app.engines.answers import ENGINES, EngineAnswer, EngineName, UnreadableAnswer, read_answers
from app.engines.numbers import read_object, read_text
from app.terminal.commands import Refused
from app.terminal.files import read_document
from app.terminal.options import read_duration, read_factor
from app.terminal.tables import open_console
from app.web.fields import TopologyName

LEAST_INTERVAL, MOST_INTERVAL = 0.1, 3600.0
MOST_STEP = 1000.0
NAMES = ("job_name", "topology_name", "topology", "query", "group")
"""The marks of a reading that name the job."""
FOLLOWED_BY_NAME = frozenset({"flink", "storm", "heron", "spark", "prometheus"})
"""Engines whose jobs are asked for by name; a page of Kafka's statistics has no name."""


class Given(NamedTuple):
    """The options of the command, as the caller wrote them."""

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
    """Runs a bridge to its end; returns the exit code."""
    kind, plan, named = read_engine(given), read_plan(given), read_topology(given)
    with ExitStack() as stack:
        stop = stack.enter_context(stopping_on_signals())
        client = stack.enter_context(open_client(given.url, find_engine_auth(given), given.ca_file))
        engine = EngineLink(kind, client, given.job or None, stop)
        try:
            topology = named or name_only_job(engine)
        except Stopped:
            return NOT_JUDGED
        client = stack.enter_context(open_client(given.service, find_service_auth(given), given.ca_file))
        service = ServiceLink(client, topology, stop)
        health = Health(monotonic, plan.interval_seconds)
        port = stack.enter_context(serving_health(health, given.health_host, given.health_port))
        display = open_display(given, topology)
        stack.callback(display.close)
        reporter = Reporter(display)
        reporter.report("started", describe_start(given, topology), {"health_port": port})
        bridge = Bridge(plan, engine, service, reporter, health)
        try:
            return (run_once if given.once else run_until_stopped)(bridge, stop)
        except BrokenPipeError:  # the reader of the lines has ended, as `head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return NOT_JUDGED


def read_engine(given: Given) -> EngineName:
    """The engine's name, which must be the name of a reader; refuses other names."""
    for known in ENGINES:
        if given.engine == known:
            return known
    raise Refused(f"{given.engine}: unknown engine; known are {', '.join(ENGINES)}")


def read_plan(given: Given) -> BridgePlan:
    """The settings of the bridge, made of the options' numbers."""
    interval = read_duration("--interval", given.interval, LEAST_INTERVAL, MOST_INTERVAL)
    step = read_factor("--max-step", given.max_step, 1.0, MOST_STEP)
    settle = read_duration("--settle", given.settle)
    return BridgePlan(Terms(given.apply, step, settle), interval, read_policy(given))


def read_policy(given: Given) -> dict[str, Any] | None:
    """The policy for a topology that has none; the service checks it."""
    if given.policy is not None and given.t_max is not None:
        raise Refused(
            "--policy and --t-max contradict each other: write t_max_seconds into the policy's goal"
        )
    if given.t_max is not None:
        return {"goal": {"t_max_seconds": read_duration("--t-max", given.t_max, 1e-6)}}
    if given.policy is None:
        return None
    document = read_document(given.policy)
    if not isinstance(document, dict):
        raise Refused(f"{given.policy}: not a policy: write an object with a goal")
    return document


def read_topology(given: Given) -> str | None:
    """The name of the topology in the service; None if it is to be the name of the engine's only job."""
    name = given.topology or given.job  # an empty one is none, as an unset variable of a container gives it
    if name and not given.topology and given.engine == "heron":
        name = name.rpartition("/")[2]  # cluster/role/environ/topology
    return check_name(name) if name else None


def check_name(name: str) -> str:
    """The name, if a topology may have it; raises Refused if it may not."""
    try:
        return TypeAdapter(TopologyName).validate_python(name)
    except ValidationError as error:
        why = error.errors()[0]["msg"].removeprefix("Value error, ")
        detail = f"{name!r} cannot name a topology: it {why}; give another name with --topology"
        raise Refused(detail) from error


def name_only_job(engine: EngineLink) -> str:
    """The name of the only running job; all later questions to the engine are for this job."""
    left_out = "--job and --topology are left out"
    try:
        answers = engine.take_sample()
        name = find_page_name(answers) or find_name(read_answers(engine.engine, answers).marks)
    except (Unanswered, UnreadableAnswer) as error:
        detail = f"{left_out}, and the engine does not show which job to read: {error}"
        raise Refused(detail) from error
    if name is None:
        raise Refused(f"{left_out}, and the engine names no job: give --topology, its name in the service")
    if engine.engine in FOLLOWED_BY_NAME:
        engine.job = name
    return check_name(name)


def find_page_name(answers: Sequence[EngineAnswer]) -> str | None:
    """The name on the page of a Flink job or a Storm topology, which has it before anything is counted; None
    for other pages.
    """
    pages = [read_object(one.body) for one in answers]
    named = [read_text(page.get("name")) for page in pages if "vertices" in page or "bolts" in page]
    return next((name for name in named if name), None)


def find_name(marks: Mapping[str, JsonValue]) -> str | None:
    """The job's name in the marks of a reading; None if the marks have none."""
    return next((found for key in NAMES if (found := read_text(marks.get(key)))), None)


def find_service_auth(given: Given) -> httpx.Auth | None:
    """The key with which the bridge calls the service; None without a key."""
    return _find_token(given.api_key_file, "HEADGATE_API_KEY")


def find_engine_auth(given: Given) -> httpx.Auth | None:
    """The credentials with which the bridge calls the engine: a token, or a user and a password; None without
    credentials.
    """
    token = _find_token(given.engine_token_file, "HEADGATE_ENGINE_TOKEN")
    user = os.environ.get("HEADGATE_ENGINE_USER")
    if token is not None or not user:
        return token
    file = given.engine_password_file
    password = read_secret(file) if file else os.environ.get("HEADGATE_ENGINE_PASSWORD", "")
    return httpx.BasicAuth(user, password)


def _find_token(file: Path | None, variable: str) -> BearerToken | None:
    """The token from a file, or from an environment variable; raises Refused if the file cannot be read."""
    if file is not None:
        read_secret(file)
    token = file or os.environ.get(variable)
    return BearerToken(token) if token else None


def open_display(given: Given, topology: str) -> Display:
    """The display of events: a live table on a terminal, lines elsewhere, or JSON if the options ask for it."""
    if given.output == "json":
        return JsonLines(sys.stdout)
    if given.output == "lines" or not sys.stdout.isatty():
        return PlainLines(sys.stdout)
    return LiveTable(open_console(), f"headgate bridge {given.engine}: {topology}")


def describe_start(given: Given, topology: str) -> str:
    """A sentence with the engine, the topology, the service and the interval, and whether the bridge changes
    the engine.
    """
    what = "decisions are applied" if given.apply else "decisions are shown only, nothing is changed"
    engine, service = hide_password(given.url), hide_password(given.service)
    return f"{given.engine} at {engine} -> topology {topology} at {service}, every {given.interval}; {what}"
