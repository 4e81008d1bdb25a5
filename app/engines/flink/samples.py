"""Answers put together: one sample for each document of the job, and the intervals between samples."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from app.engines.answers import EngineAnswer, UnreadableAnswer
from app.engines.diagnostics import say
from app.engines.flink.counters import subtract_counters, went_down
from app.engines.flink.documents import (
    Document,
    FlinkCluster,
    JobState,
    MetricSums,
    VertexDetail,
    VertexInput,
    read_document,
    read_inputs,
    to_milliseconds,
)
from app.engines.numbers import read_list, read_object, read_text
from planner.values import Diagnostic

HOW = "Send the JSON of GET /jobs/<job id>, twice, some time apart."
NEVER_MS = float("-inf")
LONGEST_LEAD_SECONDS = (
    5.0  # how much longer than since its start a vertex may have counted: clocks of two machines
)


@dataclass(frozen=True, slots=True)
class JobSample:
    """What was known of the job at one time: its document, and what was asked beside it."""

    job: JobState
    details: Mapping[str, VertexDetail] = field(default_factory=dict)
    metrics: Mapping[str, MetricSums] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AskedJob:
    """All that the answers hold: samples in order of time, and the cluster."""

    samples: Sequence[JobSample]
    cluster: FlinkCluster
    diagnostics: Sequence[Diagnostic]


def put_together(answers: Sequence[EngineAnswer]) -> AskedJob:
    """The samples of the newest job among the answers; raises UnreadableAnswer where no job runs in any."""
    documents = [document for answer in answers if (document := read_document(answer)) is not None]
    jobs = [document for document in documents if isinstance(document, JobState)]
    if not jobs:
        pointer = answers[0].pointer if answers else "#"
        raise UnreadableAnswer(pointer, f"this is no job of Flink: it has no vertices. {HOW}")
    plans = read_plans(answers)
    schedulers = read_schedulers(answers)
    jobs = sorted([fill_in(job, plans, schedulers) for job in jobs], key=lambda job: job.at_ms or NEVER_MS)
    running = [job for job in jobs if job.vertices and job.inputs and job.state == "RUNNING"]
    if not running:
        raise UnreadableAnswer(jobs[-1].pointer, describe_not_running(jobs[-1]))
    newest = running[-1]
    chosen = [job for job in running if job.id == newest.id]
    diagnostics = list(note_left_out(jobs, chosen, newest))
    return AskedJob(list(attach(chosen, documents)), join_clusters(documents), diagnostics)


def describe_not_running(job: JobState) -> str:
    """Why nothing can be read of a job, and what to do."""
    if job.state != "RUNNING":
        return f"the job is {job.state}, not RUNNING: send its document again when it runs."
    return (
        "the job has no vertices or no plan yet, as in the first second after its start: send it again later."
    )


def note_left_out(
    jobs: Sequence[JobState], chosen: Sequence[JobState], newest: JobState
) -> Iterable[Diagnostic]:
    """What of the answers is not used."""
    others = {job.id for job in jobs if job.id != newest.id}
    if others:
        yield say(
            "other-job",
            f"The answers are of {len(others) + 1} jobs: only the newest, {newest.id}, is read. A job that was "
            "started anew has another id, and its counters begin at 0.",
        )
    early = sum(1 for job in jobs if job.id == newest.id) - len(chosen)
    if early:
        yield say(
            "job-not-running",
            f"{early} of the job's documents are left out: the job did not run, or had no vertices yet.",
        )


def read_plans(answers: Sequence[EngineAnswer]) -> dict[str, dict[str, tuple[VertexInput, ...]]]:
    """The plans of `GET /jobs/:id/plan` by the id of their job."""
    plans: dict[str, dict[str, tuple[VertexInput, ...]]] = {}
    for answer in answers:
        body = read_object(answer.body)
        plan = read_object(body.get("plan"))
        if "vertices" not in body and plan:
            plans[str(plan.get("jid"))] = read_inputs(plan)
    return plans


def read_schedulers(answers: Sequence[EngineAnswer]) -> dict[str, str]:
    """The schedulers in `GET /jobs/overview` by the id of their job."""
    listed = [one for answer in answers for one in read_list(read_object(answer.body).get("jobs"))]
    jobs = [read_object(one) for one in listed]
    return {str(one.get("jid")): read_text(one.get("schedulerType")) or "" for one in jobs}


def fill_in(
    job: JobState, plans: Mapping[str, Mapping[str, tuple[VertexInput, ...]]], schedulers: Mapping[str, str]
) -> JobState:
    """The job with what was asked by itself, where its own document does not have it."""
    return job._replace(
        inputs=job.inputs or plans.get(job.id, {}), scheduler=job.scheduler or schedulers.get(job.id, "")
    )


def join_clusters(documents: Sequence[Document]) -> FlinkCluster:
    """What all answers say of the cluster; the last one wins."""
    joined = FlinkCluster()
    for one in documents:
        if isinstance(one, FlinkCluster):
            known = {name: value for name, value in one._asdict().items() if value is not None}
            joined = joined._replace(**known)
    return joined


def attach(jobs: Sequence[JobState], documents: Sequence[Document]) -> Iterable[JobSample]:
    """Each document of the job with the details and metrics that were asked nearest to it."""
    details: list[dict[str, VertexDetail]] = [{} for _ in jobs]
    metrics: list[dict[str, MetricSums]] = [{} for _ in jobs]
    for document in documents:
        if isinstance(document, VertexDetail):
            at_ms = document.at_ms
            details[find_nearest(jobs, at_ms)][document.vertex] = document
        elif isinstance(document, MetricSums) and document.job == jobs[0].id:
            came = metrics[find_nearest_answer(jobs, document.came_at)]
            came[document.vertex] = join_metrics(came.get(document.vertex), document)
    for job, its_details, its_metrics in zip(jobs, details, metrics, strict=True):
        yield JobSample(job, its_details, its_metrics)


def join_metrics(first: MetricSums | None, second: MetricSums) -> MetricSums:
    """The metrics of two answers on one vertex; the later one wins."""
    return second if first is None else second._replace(values={**first.values, **second.values})


def find_nearest(jobs: Sequence[JobState], at_ms: float | None) -> int:
    """The place of the job's document nearest in time; the last one where the time is not known."""
    return nearest([job.at_ms for job in jobs], at_ms)


def find_nearest_answer(jobs: Sequence[JobState], came_at: datetime | None) -> int:
    """The same by the times when the answers came: metrics have no time of the engine."""
    came = [to_milliseconds(job.came_at) for job in jobs]
    return nearest(came if None not in came else [job.at_ms for job in jobs], to_milliseconds(came_at))


def nearest(times: Sequence[float | None], at_ms: float | None) -> int:
    """The place of the nearest time, the last one of equals."""
    last = len(times) - 1
    if at_ms is None:
        return last
    return min(range(last, -1, -1), key=lambda place: abs((times[place] or NEVER_MS) - at_ms))


def find_reset(earlier: JobSample, later: JobSample) -> str | None:
    """Why the counters of two samples cannot be subtracted; None where they can."""
    old, new = earlier.job, later.job
    if (old.started_ms, old.running_ms) != (new.started_ms, new.running_ms):
        return "the job was started anew"
    if old.vertices.keys() != new.vertices.keys():
        return "its vertices changed"
    reasons = (find_vertex_reset(vertex, earlier, later) for vertex in new.vertices)
    return next((reason for reason in reasons if reason is not None), None)


def find_vertex_reset(vertex: str, earlier: JobSample, later: JobSample) -> str | None:
    """Why the counters of one vertex cannot be subtracted; None where they can."""
    before, after = earlier.job.vertices[vertex], later.job.vertices[vertex]
    if before.parallelism != after.parallelism:
        return f"the parallelism of {after.name} changed from {before.parallelism} to {after.parallelism}"
    if before.started_ms != after.started_ms:
        return f"{after.name} was started anew"
    if went_down(after.counters, before.counters):
        return f"a counter of {after.name} went down"
    if has_new_attempt(earlier.details.get(vertex), later.details.get(vertex)):
        return f"{after.name} has a new attempt"
    return None


def has_new_attempt(before: VertexDetail | None, after: VertexDetail | None) -> bool:
    """Whether a subtask was started again between two documents of a vertex."""
    if before is None or after is None:
        return False
    attempts = [[one.attempt for one in detail.subtasks] for detail in (before, after)]
    return attempts[0] != attempts[1]


def find_impossible_clock(sample: JobSample) -> str | None:
    """A vertex that has counted for longer than it runs: its metrics are from before a rescale."""
    job = sample.job
    for one in job.vertices.values():
        counted = one.counters.find_seconds(one.parallelism)
        if counted is None or one.started_ms is None or job.at_ms is None:
            continue
        if counted > (job.at_ms - one.started_ms) / 1000.0 + LONGEST_LEAD_SECONDS:
            return one.name
    return None


def find_moved_seconds(earlier: JobSample, later: JobSample) -> float | None:
    """The time that tasks counted between two samples; None where none of them counts time."""
    old, new = earlier.job.vertices, later.job.vertices
    moved = (
        subtract_counters(after.counters, old[vertex].counters).find_seconds(after.parallelism)
        for vertex, after in new.items()
        if vertex in old
    )
    return max((seconds for seconds in moved if seconds is not None), default=None)


def has_moved(earlier: JobSample, later: JobSample) -> bool:
    """Whether any counter differs."""
    old, new = earlier.job.vertices, later.job.vertices
    return any(old[vertex].counters != new[vertex].counters for vertex in new if vertex in old)
