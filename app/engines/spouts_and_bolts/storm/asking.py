"""The paths of Storm's UI for one sample of a topology."""

from contextlib import suppress
from urllib.parse import quote

from httpx import HTTPStatusError
from pydantic import JsonValue

from app.engines.answers import Asker, EngineAnswer, RunningJob, choose_job
from app.engines.numbers import read_object, read_objects, read_text
from app.engines.spouts_and_bolts.storm.fields import Page, is_system

SUMMARY = "/api/v1/topology/summary"
WINDOW = "window=600"


def ask(asker: Asker, job: str | None) -> list[EngineAnswer]:
    """Asks for the page of a topology, its graph, and the pages of its components; `job` is the topology's name or id.

    The pages are asked without sys=true, so that emitted and transferred count the topology's own streams alone.
    """
    topology = choose_job(
        list_topologies(asker.get(SUMMARY).body), job, "Give one with --job.", kind="topology"
    )
    root = f"/api/v1/topology/{quote(topology.id, safe='')}"
    answers = [asker.get(f"{root}?{WINDOW}")]
    names = list_components(read_object(answers[0].body))
    with suppress(HTTPStatusError):  # component pages show the edges too
        answers.append(asker.get(f"{root}/visualization?{WINDOW}"))
    return answers + [asker.get(f"{root}/component/{quote(name, safe='')}?{WINDOW}") for name in names]


def list_topologies(summary: JsonValue) -> list[RunningJob]:
    """The topologies that run, from Storm's summary page."""
    rows = read_objects(read_object(summary).get("topologies"))
    named = [(read_text(row.get("id")), read_text(row.get("name"))) for row in rows]
    return [RunningJob(identity, name or identity) for identity, name in named if identity]


def list_components(page: Page) -> list[str]:
    """The spouts and bolts on the topology's page, without Storm's own components."""
    rows = [(row, f"{kind}Id") for kind in ("spout", "bolt") for row in read_objects(page.get(f"{kind}s"))]
    return [name for row, key in rows if (name := read_text(row.get(key))) and not is_system(name)]
