"""The paths of Heron's tracker for one sample of a topology."""

from collections.abc import Iterator, Sequence
from urllib.parse import urlencode

from pydantic import JsonValue

from app.engines.answers import Asker, EngineAnswer, RunningJob, choose_job
from app.engines.numbers import read_list, read_object, read_text
from app.engines.spouts_and_bolts.heron.components import BACK_PRESSURE, STREAM_MANAGER
from app.engines.spouts_and_bolts.heron.documents import (
    IDENTITY,
    HeronAnswers,
    list_instances,
    sort_documents,
)

MINUTES = 10
MOST_NAMES = 50
"""The most metric names in a path, so that servers accept its length."""


def ask(asker: Asker, job: str | None) -> list[EngineAnswer]:
    """Asks for the logical and the physical plan, and the metrics of every component, for the last ten minutes.

    `job` is a topology's name, or cluster/role/environ/name. The ten minutes end with the time of the logical plan's
    answer.
    """
    places = list_places(asker.get("/topologies").body)
    jobs = [RunningJob(identity, place["topology"]) for identity, place in places.items()]
    chosen = choose_job(jobs, job, "Give one with --job.", kind="topology")
    place = [(key, value) for key, value in places[chosen.id].items() if value]
    where = urlencode(place)
    plans = [asker.get(f"/topologies/logicalplan?{where}"), asker.get(f"/topologies/physicalplan?{where}")]
    answers, at = list(plans), plans[0].at
    for component, names in list_metrics(sort_documents(plans)):
        asked = [*place, ("component", component), *[("metricname", name) for name in names]]
        if at is None:
            span = [("interval", str(60 * MINUTES))]
        else:
            ends = int(at.timestamp())
            span = [("starttime", str(ends - 60 * (MINUTES + 1))), ("endtime", str(ends))]
        document = "metrics" if at is None else "metricstimeline"
        answers.append(asker.get(f"/topologies/{document}?{urlencode([*asked, *span])}"))
    return answers


def list_places(listed: JsonValue) -> dict[str, dict[str, str]]:
    """The topologies that run, by cluster/role/environ/name; trackers may not know the role."""
    clusters = read_object(read_object(listed).get("result", listed))
    places = [
        (cluster, "" if role in {"null", "None"} else role, environ, name)
        for cluster, roles in clusters.items()
        for role, environs in read_object(roles).items()
        for environ, names in read_object(environs).items()
        for one in read_list(names)
        if (name := read_text(one))
    ]
    return {"/".join(place): dict(zip(IDENTITY, place, strict=True)) for place in places}


def list_metrics(found: HeronAnswers) -> Iterator[tuple[str, Sequence[str]]]:
    """The components of the plan, each with the names of the metrics to ask for."""
    for name, node in read_object(found.logical.get("spouts")).items():
        streams = list_outputs(node)
        names = [f"{base}/{one}" for one in streams for base in SPOUT]
        yield from cut(name, names)
    held = []
    for name, node in read_object(found.logical.get("bolts")).items():
        inputs = [read_object(one) for one in read_list(read_object(node).get("inputs"))]
        scopes = [f"{one.get('component_name')}/{one.get('stream_name')}" for one in inputs]
        names = [f"{base}/{one}" for one in scopes for base in BOLT]
        names += [f"__emit-count/{one}" for one in list_outputs(node)]
        yield from cut(name, names)
        held += [BACK_PRESSURE + one for one in list_instances(found.physical, name)]
    yield from cut(STREAM_MANAGER, held)


SPOUT = ("__emit-count", "__ack-count", "__fail-count", "__complete-latency")
BOLT = ("__execute-count", "__execute-latency")


def list_outputs(node: JsonValue) -> list[str]:
    """The streams that a component declares in the logical plan."""
    listed = read_list(read_object(node).get("outputs"))
    return [name for one in listed if (name := read_text(read_object(one).get("stream_name")))]


def cut(component: str, names: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Pairs of a component and a group of its metrics' names; each group is small enough for the path of a request."""
    for first in range(0, len(names), MOST_NAMES):
        yield component, names[first : first + MOST_NAMES]
