"""Which paths of a Spark driver's UI say what a streaming query does."""

from urllib.parse import quote

from app.engines.answers import Asker, EngineAnswer
from app.engines.spark.cores import find_application


def ask(asker: Asker, job: str | None) -> list[EngineAnswer]:
    """One sample: the application, its executors, and the gauges of its queries; `job` is the name of one query."""
    applications = asker.get("/api/v1/applications")
    answers = [applications]
    application = find_application([applications.body])
    if application is not None:
        answers.append(asker.get(f"/api/v1/applications/{quote(application, safe='')}/executors"))
    named = "" if job is None else f"?query={quote(job, safe='')}"
    return [
        *answers,
        asker.get(f"/metrics/json/{named}"),
    ]  # without the last slash Spark answers with a redirect
