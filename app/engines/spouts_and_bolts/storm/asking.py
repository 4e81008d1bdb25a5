"""Which paths of Storm's UI to ask for one sample of a topology."""

from urllib.parse import quote

from httpx import HTTPStatusError
from pydantic import JsonValue

from app.engines.answers import Asker, EngineAnswer, UnreadableAnswer
from app.engines.numbers import read_list, read_object, read_text
from app.engines.spouts_and_bolts.storm.fields import Page, is_system

SUMMARY = "/api/v1/topology/summary"
WINDOW = "window=600"


def ask(asker: Asker, job: str | None) -> list[EngineAnswer]:
    """The page of a topology, its graph, and the pages of its components; `job` is its name or id.

    The pages are asked without sys=true, so that emitted and transferred count the topology's own streams alone.
    """
    topology_id = choose_topology(asker.get(SUMMARY).body, job)
    root = f"/api/v1/topology/{quote(topology_id, safe='')}"
    page = asker.get(f"{root}?{WINDOW}")
    graph = ask_graph(asker, f"{root}/visualization?{WINDOW}")
    names = list_components(read_object(page.body))
    components = [asker.get(f"{root}/component/{quote(name, safe='')}?{WINDOW}") for name in names]
    return [page, *graph, *components]


def ask_graph(asker: Asker, path: str) -> list[EngineAnswer]:
    """Who subscribes to what; nothing where the UI answers with an error, since component pages show the edges too."""
    try:
        return [asker.get(path)]
    except HTTPStatusError:
        return []


def choose_topology(summary: JsonValue, job: str | None) -> str:
    """The id of the topology with this name or id; without a name, that of the only one."""
    rows = [read_object(one) for one in read_list(read_object(summary).get("topologies"))]
    known = {identity: read_text(row.get("name")) for row in rows if (identity := read_text(row.get("id")))}
    found = [identity for identity, name in known.items() if job is None or job in {identity, name}]
    if len(found) == 1:
        return found[0]
    names = ", ".join(sorted({name or identity for identity, name in known.items()})) or "none"
    if job is not None and not found:
        raise UnreadableAnswer("#", f"no topology {job!r} runs: choose one of these: {names}.")
    if job is not None:
        raise UnreadableAnswer("#", f"several topologies are named {job!r}: give an id: {', '.join(found)}.")
    raise UnreadableAnswer("#", f"{len(found)} topologies run: name one with --job: {names}.")


def list_components(page: Page) -> list[str]:
    """Spouts and bolts of the topology's page, Storm's own left out."""
    found = []
    for field, key in (("spouts", "spoutId"), ("bolts", "boltId")):
        for row in read_list(page.get(field)):
            name = read_text(read_object(row).get(key))
            found += [name] if name and not is_system(name) else []
    return found
