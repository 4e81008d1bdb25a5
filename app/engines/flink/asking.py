"""The addresses of Flink's REST interface for one sample of a job, in their order."""

from collections.abc import Iterable
from urllib.parse import quote

from pydantic import JsonValue

from app.engines.answers import Asker, EngineAnswer, RunningJob, choose_job
from app.engines.flink.buffers import OF_BUFFERS
from app.engines.flink.counters import OF_METRICS
from app.engines.flink.documents import METRIC_PREFIX, RUNNING
from app.engines.numbers import read_list, read_number, read_object, read_text

JOBS = "/jobs/overview"
MOST_QUESTIONS = 10
OF_SOURCES = (".numRecordsOut", ".pendingRecords")


def ask(asker: Asker, job: str | None) -> list[EngineAnswer]:
    """One sample of the job of this name or id.

    A question about metrics is answered with what was fetched before, and starts a fetch, which takes some hundredths
    of a second. So the job's document is asked first for the fetch alone, and again for its numbers, until they are
    new; then the rest, which is of the same fetch. Flink starts no fetch within metrics.fetcher.update-interval of the
    one before: then the numbers stay as they are.
    """
    overview = asker.get(JOBS)
    found = find_job(overview, job)
    document = asker.get(f"/jobs/{found}")
    answers = [overview, asker.get("/overview"), asker.get("/jobmanager/config")]
    answers.append(ask_until_new(asker, f"/jobs/{found}", document))
    addresses = {
        f"/jobs/{found}/vertices/{vertex}": is_source for vertex, is_source in list_vertices(document)
    }
    answers += [asker.get(address) for address in addresses]
    for address, is_source in addresses.items():
        if is_source:
            answers += ask_source(asker, address)
        else:
            answers.append(asker.get(f"{address}/subtasks/metrics?get={','.join(OF_BUFFERS)}"))
    return answers


def ask_until_new(asker: Asker, address: str, before: EngineAnswer) -> EngineAnswer:
    """Asks for the job's document until its counters differ from those in `before`, or the number of tries is
    used up.
    """
    for _ in range(MOST_QUESTIONS - 1):
        answer = asker.get(address)
        if list_counters(answer) != list_counters(before):
            return answer
    return asker.get(address)


def list_counters(document: EngineAnswer) -> list[JsonValue]:
    """The metrics of all vertices in a job's document, to tell whether Flink has fetched new ones."""
    return [read_object(one).get("metrics") for one in read_list(read_object(document.body).get("vertices"))]


def find_job(overview: EngineAnswer, wanted: str | None) -> str:
    """The id of the running job with a name or id, the newest if several match; raises UnreadableAnswer if
    none does.
    """
    listed = [read_object(one) for one in read_list(read_object(overview.body).get("jobs"))]
    running = [
        RunningJob(jid, read_text(one.get("name")) or jid, read_number(one.get("start-time")) or 0.0)
        for one in listed
        if one.get("state") == RUNNING and (jid := read_text(one.get("jid"))) is not None
    ]
    return choose_job(running, wanted, "Name one of them, or give its id.").id


def list_vertices(document: EngineAnswer) -> Iterable[tuple[str, bool]]:
    """The ids of the vertices in a job's document, each with whether the vertex is a source."""
    body = read_object(document.body)
    nodes = [read_object(one) for one in read_list(read_object(body.get("plan")).get("nodes"))]
    fed = {read_text(node.get("id")) for node in nodes if read_list(node.get("inputs"))}
    for one in read_list(body.get("vertices")):
        vertex = read_text(read_object(one).get("id"))
        if vertex is not None:
            yield vertex, vertex not in fed


def list_looks(sample: Iterable[EngineAnswer]) -> list[str]:
    """The addresses of a sample's questions about counters of sources: a look between two samples asks no others."""
    return [one.path for one in sample if f"/subtasks/metrics?get={METRIC_PREFIX}" in one.path]


def ask_source(asker: Asker, address: str) -> Iterable[EngineAnswer]:
    """The counters of source operators. Their names are asked first: for one unknown name Flink answers with an
    empty list.
    """
    names = asker.get(f"{address}/subtasks/metrics")
    known = {read_text(read_object(one).get("id")) or "" for one in read_list(names.body)}
    wanted = [name for name in sorted(known) if name.startswith(METRIC_PREFIX) and name.endswith(OF_SOURCES)]
    if wanted:
        counters = [name for name in OF_METRICS.values() if name in known]
        yield asker.get(f"{address}/subtasks/metrics?get={quote(','.join([*wanted, *counters]), safe=',')}")
