"""The change of a running job: what to PUT to Flink so that it runs the recommended processors."""

from collections.abc import Mapping

from pydantic import JsonValue

from app.engines.numbers import read_count, read_object, read_text
from app.engines.patches import Counts, EnginePatch

FORMAT = "flink"
ADAPTIVE = "adaptive"
REACTIVE = "Reactive"
"""The scheduler in the marks of a job that takes all slots of the cluster (scheduler-mode: reactive)."""
LOWER_BOUND = 1
"""The lower bound of each vertex: with the wanted parallelism as lower bound, Flink would stop the job and wait
while slots are missing.
"""
JOB = "<job id>"
VERIFY = (
    "Flink answers {} even if it cannot run all processors: read GET /jobs/<job id> again, and compare the "
    "parallelism of each vertex."
)
COST = (
    "The job restarts from its last checkpoint, within a second if it has little state; without checkpoints the "
    "records under way are lost. Flink makes the next change only after "
    "jobmanager.adaptive-scheduler.executing.cooldown-after-rescaling, 30 s unless configured."
)


def make_patch(counts: Counts, marks: Mapping[str, JsonValue]) -> EnginePatch:
    """PUT /jobs/:id/resource-requirements with every vertex of the job: Flink refuses a part of them.

    Without the adaptive scheduler there is no method: Flink answers 500, and only a restart changes the parallelism.
    """
    wanted, placeholders = find_parallelism(counts, marks)
    job = read_text(marks.get("job"))
    placeholders = [*placeholders, *([JOB] if job is None else [])]
    refusal = describe_refusal(marks)
    if refusal is not None:
        return EnginePatch(FORMAT, notes=(refusal,))
    return EnginePatch(
        FORMAT,
        method="PUT",
        path=f"/jobs/{job or JOB}/resource-requirements",
        body={
            vertex: {"parallelism": {"lowerBound": LOWER_BOUND, "upperBound": parallelism}}
            for vertex, parallelism in wanted.items()
        },
        notes=tuple(make_notes(wanted, counts, marks)),
        placeholders=tuple(placeholders),
    )


def find_parallelism(counts: Counts, marks: Mapping[str, JsonValue]) -> tuple[dict[str, int], list[str]]:
    """The wanted parallelism of every vertex (unchanged if nothing else is wanted), and placeholders for unknown
    vertices.
    """
    wanted = {
        vertex: count
        for vertex, now in read_object(marks.get("parallelism")).items()
        if (count := read_count(now)) is not None and count >= 1
    }
    vertices, placeholders = read_object(marks.get("vertices")), list[str]()
    for operator, count in counts.items():
        vertex = read_text(vertices.get(operator))
        if vertex is None:
            vertex = f"<vertex id of {operator}>"
            placeholders.append(vertex)
        wanted[vertex] = max(count, 1)
    return wanted, placeholders


def count_slots(parallelism: Mapping[str, int], groups: Mapping[str, JsonValue]) -> int:
    """The slots that a job takes: for each slot sharing group, the parallelism of its widest vertex."""
    widest: dict[str, int] = {}
    for vertex, count in parallelism.items():
        group = str(groups.get(vertex) or "")
        widest[group] = max(widest.get(group, 0), count)
    return sum(widest.values())


def describe_refusal(marks: Mapping[str, JsonValue]) -> str | None:
    """The reason why a running job cannot be changed; None if it can, or if the scheduler is not known."""
    scheduler = read_text(marks.get("scheduler"))
    if scheduler is None or scheduler.lower() == ADAPTIVE:
        return None
    if scheduler == REACTIVE:
        return (
            "This cluster runs in reactive mode: the job takes all slots, and Flink refuses to set its "
            "parallelism. Add or remove task managers, or leave out scheduler-mode and restart the cluster."
        )
    return (
        f"This job runs under the {scheduler} scheduler, which cannot change a running job: Flink would answer "
        "500. Set jobmanager.scheduler: adaptive and restart the job, or start it with "
        "pipeline.jobvertex-parallelism-overrides from a savepoint."
    )


def make_notes(wanted: Mapping[str, int], counts: Counts, marks: Mapping[str, JsonValue]) -> list[str]:
    """The notes of a patch: what the change of parallelism needs, such as slots, and what it costs."""
    notes = [VERIFY, COST]
    needed, total = (
        count_slots(wanted, read_object(marks.get("slot_groups"))),
        read_count(marks.get("slots_total")),
    )
    free, used = read_count(marks.get("slots_available")), read_count(marks.get("slots_used"))
    if free is not None and used is not None and needed > free + used:
        notes.insert(
            0,
            f"This needs {needed} slots (the most of one vertex: tasks of different vertices share slots); the job has "
            f"{used}, and {free} of the cluster's {total or free + used} are free: Flink would run fewer. Add task "
            "managers first.",
        )
    if read_text(marks.get("scheduler")) is None:
        notes.append(
            "The job's scheduler is not known: this request works only with the adaptive scheduler "
            "(schedulerType)."
        )
    missing = sorted(set(read_object(marks.get("vertices"))) - set(counts))
    if missing:
        notes.append(f"{', '.join(missing)} keep the parallelism that they had when the job was last read.")
    return notes
