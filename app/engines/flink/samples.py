"""Samples of a job: its document with the details and metrics asked at about the same time, in the order of time."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.engines.answers import EngineAnswer, UnreadableAnswer
from app.engines.flink.counters import subtract_counters, went_down
from app.engines.flink.documents import (
    RUNNING,
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
from planner.wording import join_names

HOW = "Send the JSON of GET /jobs/<job id>, twice, some time apart."
NEVER_MS = float("-inf")
LONGEST_LEAD_SECONDS = 5.0
"""A vertex may seem to have counted for this much longer than it has run, because the clocks of two machines
differ.
"""


@dataclass(frozen=True, slots=True)
class JobSample:
    """The state of a job at one time: its document, with the details and metrics of its vertices."""

    job: JobState
    details: Mapping[str, VertexDetail] = field(default_factory=dict)
    metrics: Mapping[str, MetricSums] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AskedJob:
    """What all answers hold about one job: its samples in the order of time, and the cluster.

    `other_jobs` counts the jobs that are left out; `early` counts the documents from before the job ran, or without
    some of its vertices. `looks` are the counters of sources, as often as they were asked.
    """

    samples: Sequence[JobSample]
    cluster: FlinkCluster
    other_jobs: int
    early: int
    looks: Sequence[MetricSums] = ()


def put_together(answers: Sequence[EngineAnswer]) -> AskedJob:
    """The samples of the newest job among the answers; raises UnreadableAnswer if no answer shows a running job."""
    documents = [document for answer in answers if (document := read_document(answer)) is not None]
    jobs = [document for document in documents if isinstance(document, JobState)]
    if not jobs:
        pointer = answers[0].pointer if answers else "#"
        raise UnreadableAnswer(pointer, f"this is not a job of Flink: it has no vertices. {HOW}")
    plans, schedulers = read_plans(answers), read_schedulers(answers)
    jobs = sorted([fill_in(job, plans, schedulers) for job in jobs], key=lambda job: job.at_ms or NEVER_MS)
    running = [job for job in jobs if job.state == RUNNING and job.vertices and is_whole(job)]
    if not running:
        raise UnreadableAnswer(jobs[-1].pointer, explain_unusable(jobs[-1]))
    newest = running[-1].id
    chosen = [job for job in running if job.id == newest]
    early = sum(job.id == newest for job in jobs) - len(chosen)
    others = len({job.id for job in jobs} - {newest})
    looks = [one for one in documents if isinstance(one, MetricSums) and one.job == newest]
    samples = [one for one in documents if not (isinstance(one, MetricSums) and one.is_look)]
    return AskedJob(list(attach(chosen, samples)), join_clusters(documents), others, early, looks)


def is_whole(job: JobState) -> bool:
    """Whether a job's document has each vertex of its plan; the takers of a missing vertex would seem to be sources."""
    return job.inputs.keys() == job.vertices.keys()


def explain_unusable(job: JobState) -> str:
    """A sentence on why a job's document gives no topology, and what to do."""
    if job.state != RUNNING:
        return f"the job is {job.state}, not RUNNING: send its document again when it runs."
    if job.vertices and job.inputs:
        odd = join_names(sorted(job.inputs.keys() ^ job.vertices.keys()))
        return (
            "the plan of the job and the list of its vertices differ, or a vertex has no usable parallelism: "
            f"{odd}. Send the whole document of GET /jobs/<job id>."
        )
    return (
        "the job has no vertices or no plan yet, as in the first second after its start: send its document again "
        "later."
    )


def read_plans(answers: Sequence[EngineAnswer]) -> dict[str, dict[str, tuple[VertexInput, ...]]]:
    """The inputs of each vertex from the answers of `GET /jobs/:id/plan`, by the id of the job."""
    bodies = [read_object(answer.body) for answer in answers]
    plans = [read_object(body.get("plan")) for body in bodies if "vertices" not in body]
    return {str(plan.get("jid")): read_inputs(plan) for plan in plans if plan}


def read_schedulers(answers: Sequence[EngineAnswer]) -> dict[str, str]:
    """The scheduler of each job from the answers of `GET /jobs/overview`, by the id of the job."""
    listed = [one for answer in answers for one in read_list(read_object(answer.body).get("jobs"))]
    jobs = [read_object(one) for one in listed]
    return {str(one.get("jid")): read_text(one.get("schedulerType")) or "" for one in jobs}


def fill_in(
    job: JobState, plans: Mapping[str, Mapping[str, tuple[VertexInput, ...]]], schedulers: Mapping[str, str]
) -> JobState:
    """The job, with the plan and the scheduler from other answers if its own document lacks them."""
    return job._replace(
        inputs=job.inputs or plans.get(job.id, {}), scheduler=job.scheduler or schedulers.get(job.id, "")
    )


def join_clusters(documents: Sequence[Document]) -> FlinkCluster:
    """The slots and options of the cluster, joined from all answers; if two answers differ, the last one counts."""
    joined = FlinkCluster()
    for one in documents:
        if isinstance(one, FlinkCluster):
            known = {name: value for name, value in one._asdict().items() if value is not None}
            joined = joined._replace(**known)
    return joined


def attach(jobs: Sequence[JobState], documents: Sequence[Document]) -> Iterable[JobSample]:
    """Yields each document of the job as a sample, with the details and metrics that came nearest in time."""
    details: list[dict[str, VertexDetail]] = [{} for _ in jobs]
    metrics: list[dict[str, MetricSums]] = [{} for _ in jobs]
    times = [job.at_ms for job in jobs]
    came = [to_milliseconds(job.came_at) for job in jobs]
    for document in documents:
        if isinstance(document, VertexDetail):
            details[find_nearest(times, document.at_ms)][document.vertex] = document
        elif isinstance(document, MetricSums) and document.job == jobs[0].id:
            # Metrics have no time of the engine: the times when the answers came are compared.
            place = find_nearest(times if None in came else came, to_milliseconds(document.came_at))
            known = metrics[place].get(document.vertex)
            values = document.values if known is None else {**known.values, **document.values}
            metrics[place][document.vertex] = document._replace(values=values)
    for job, its_details, its_metrics in zip(jobs, details, metrics, strict=True):
        yield JobSample(job, its_details, its_metrics)


def find_nearest(times: Sequence[float | None], at_ms: float | None) -> int:
    """The index of the time nearest to `at_ms`, the last of equal ones; the last index of all if `at_ms` is unknown."""
    last = len(times) - 1
    if at_ms is None:
        return last
    return min(range(last, -1, -1), key=lambda place: abs((times[place] or NEVER_MS) - at_ms))


def find_reset(earlier: JobSample, later: JobSample) -> str | None:
    """The reason why the counters of two samples cannot be subtracted; None if they can be."""
    old, new = earlier.job, later.job
    if (old.started_ms, old.running_ms) != (new.started_ms, new.running_ms):
        return "the job was restarted"
    if old.vertices.keys() != new.vertices.keys():
        return "the vertices of the job changed"
    reasons = (find_vertex_reset(vertex, earlier, later) for vertex in new.vertices)
    return next((reason for reason in reasons if reason is not None), None)


def find_vertex_reset(vertex: str, earlier: JobSample, later: JobSample) -> str | None:
    """The reason why the counters of one vertex cannot be subtracted between two samples; None if they can be."""
    before, after = earlier.job.vertices[vertex], later.job.vertices[vertex]
    if before.parallelism != after.parallelism:
        return f"the parallelism of {after.name} changed from {before.parallelism} to {after.parallelism}"
    if before.started_ms != after.started_ms:
        return f"{after.name} was restarted"
    if went_down(after.counters, before.counters):
        return f"a counter of {after.name} went down"
    details = [one.details[vertex] for one in (earlier, later) if vertex in one.details]
    attempts = [[one.attempt for one in detail.subtasks] for detail in details]
    return f"{after.name} has a new attempt" if len(attempts) == 2 and attempts[0] != attempts[1] else None


def find_impossible_clock(sample: JobSample) -> str | None:
    """The name of a vertex whose counters cover more time than it has run: its metrics are from before a rescale."""
    job = sample.job
    for one in job.vertices.values():
        counted = one.counters.find_seconds(one.parallelism)
        if counted is None or one.started_ms is None or job.at_ms is None:
            continue
        if counted > (job.at_ms - one.started_ms) / 1000.0 + LONGEST_LEAD_SECONDS:
            return one.name
    return None


def find_moved_seconds(earlier: JobSample, later: JobSample) -> float | None:
    """The seconds that the tasks' own counters advanced between two samples; None if no task counts time."""
    old, new = earlier.job.vertices, later.job.vertices
    moved = (
        subtract_counters(after.counters, old[vertex].counters).find_seconds(after.parallelism)
        for vertex, after in new.items()
        if vertex in old
    )
    return max((seconds for seconds in moved if seconds is not None), default=None)


def has_moved(earlier: JobSample, later: JobSample) -> bool:
    """Whether any counter of the job differs between two samples."""
    old, new = earlier.job.vertices, later.job.vertices
    return any(old[vertex].counters != new[vertex].counters for vertex in new if vertex in old)
