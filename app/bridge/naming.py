"""The name of a topology in the service: as it was given, else that of the only job of the engine."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue, TypeAdapter, ValidationError

from app.bridge.asking import Unanswered
from app.bridge.engine_link import EngineLink
from app.engines.answers import EngineAnswer, UnreadableAnswer, read_answers
from app.engines.numbers import read_object, read_text
from app.terminal.commands import Refused
from app.web.fields import TopologyName

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


def find_page_name(answers: Sequence[EngineAnswer]) -> str | None:
    """The name on the page of a job in Flink, or of a topology in Storm, also where it has counted nothing yet."""
    pages = [read_object(one.body) for one in answers]
    named = [read_text(page.get("name")) for page in pages if "vertices" in page or "bolts" in page]
    return next((name for name in named if name), None)


def find_mark(marks: Mapping[str, JsonValue]) -> str | None:
    """The name that a reading has."""
    return next((found for key in NAMES if (found := read_text(marks.get(key)))), None)


def name_only_job(engine: EngineLink) -> str:
    """The name of the only job that the engine runs; from now on the engine is asked for this one."""
    left_out = "--job and --topology are left out"
    try:
        answers = engine.look()
        name = find_page_name(answers) or find_mark(read_answers(engine.engine, answers).marks)
    except (Unanswered, UnreadableAnswer) as error:
        raise Refused(
            f"{left_out}, and the engine does not say which job is the only one: {error}"
        ) from error
    if name is None:
        raise Refused(f"{left_out}, and the engine names no job: give --topology, its name in the service")
    if engine.engine in FOLLOWED_BY_NAME:
        engine.job = name
    return check_name(name)
