"""The name of a topology in the service: as it was given, else that of the only job of the engine."""

from pydantic import TypeAdapter, ValidationError

from app.bridge.asking import Unanswered
from app.bridge.engine_link import EngineLink
from app.engines.answers import UnreadableAnswer
from app.engines.numbers import read_text
from app.engines.readers import read_answers
from app.http.fields import TopologyName
from app.terminal.refusals import Refused

NAMES = ("job_name", "topology_name", "topology", "query", "group")
"""What engines call the name of a job, in the marks of a reading."""
FOLLOWED_BY_NAME = frozenset({"flink", "storm", "heron", "spark", "prometheus"})
"""Engines that are asked for a job of a name; a page of Kafka's statistics has none."""


def check_name(name: str) -> str:
    """The name, if a topology may have it."""
    try:
        return TypeAdapter(TopologyName).validate_python(name)
    except ValidationError as error:
        why = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise Refused(
            f"{name!r} cannot name a topology: it {why}; give another name with --topology"
        ) from error


def name_only_job(engine: EngineLink) -> str:
    """The name of the only job that the engine runs; from now on the engine is asked for this one."""
    left_out = "--job and --topology are left out"
    try:
        marks = read_answers(engine.engine, engine.look()).marks
    except (Unanswered, UnreadableAnswer) as error:
        raise Refused(
            f"{left_out}, and the engine does not say which job is the only one: {error}"
        ) from error
    name = next((found for key in NAMES if (found := read_text(marks.get(key)))), None)
    if name is None:
        raise Refused(f"{left_out}, and the engine names no job: give --topology, its name in the service")
    if engine.engine in FOLLOWED_BY_NAME:
        engine.job = name
    return check_name(name)
