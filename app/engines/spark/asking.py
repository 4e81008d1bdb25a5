"""The paths of a Spark driver's UI for one sample of a streaming query, the running application, and its cores."""

from collections.abc import Iterable
from urllib.parse import quote

from pydantic import JsonValue

from app.engines.answers import Asker, EngineAnswer
from app.engines.numbers import read_count, read_list, read_object, read_text

MOST_CORES = 1_000_000


def ask(asker: Asker, job: str | None) -> list[EngineAnswer]:
    """Asks for one sample: the application, its executors, and the gauges of its queries; `job` is the name of
    a query.
    """
    applications = asker.get("/api/v1/applications")
    answers = [applications]
    application = find_application([applications.body])
    if application is not None:
        answers.append(asker.get(f"/api/v1/applications/{quote(application, safe='')}/executors"))
    named = "" if job is None else f"?query={quote(job, safe='')}"
    # Without the slash before the parameters Spark answers with a redirect.
    return [*answers, asker.get(f"/metrics/json/{named}")]


def find_application(bodies: Iterable[JsonValue]) -> str | None:
    """The id of the newest application that still runs, from Spark's list, which has the newest first; None if
    none runs.
    """
    for body in bodies:
        for one in map(read_object, read_list(body)):
            attempts = [read_object(attempt) for attempt in read_list(one.get("attempts"))]
            if any(attempt.get("completed") is False for attempt in attempts):
                return read_text(one.get("id"))
    return None


def count_cores(bodies: Iterable[JsonValue]) -> int | None:
    """The cores of all active executors (a local driver counts as one); None if no answer lists them."""
    listed = [one for body in bodies for one in (body if isinstance(body, list) else [body])]
    known = {}
    for executor in map(read_object, listed):
        name, cores = read_text(executor.get("id")), read_count(executor.get("totalCores"))
        if name is not None and cores is not None and executor.get("isActive") is not False:
            known[name] = cores
    total = sum(known.values())
    return total if 1 <= total <= MOST_CORES else None
