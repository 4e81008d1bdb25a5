"""A merge patch of a FlinkDeployment: the parallelism of every vertex as Flink's Kubernetes operator takes it."""

import json
import shlex
from collections.abc import Mapping

from pydantic import JsonValue

from app.engines.flink.patch import find_parallelism
from app.engines.kubernetes.names import MERGE_PATCH, NAMESPACE
from app.engines.patches import Counts, EnginePatch

OVERRIDES = "pipeline.jobvertex-parallelism-overrides"
DEPLOYMENT = "<FlinkDeployment>"
UNKNOWN_VERTICES = (
    "Flink was never read for these operators, so their vertex ids are not known: put in the `id` of each vertex from "
    "GET /jobs/<job id>."
)
NOTES = (
    (
        "With jobmanager.scheduler: adaptive (Flink 1.18 or newer) the operator rescales the running job; otherwise it "
        "restarts the job by its upgradeMode, from a savepoint or the last state."
    ),
    (
        "The patch replaces the whole list of overrides, so it names every vertex. job.autoscaler.enabled must be "
        "false: Flink's autoscaler writes the same entry."
    ),
    (
        "After a restart the adaptive scheduler of some versions begins at parallelism.default in spite of the "
        "overrides (FLINK-38770, seen with 2.2.1): read the job again, and change the entry once more."
    ),
    (
        "Slots: the largest parallelism of all vertices, while slots are shared. In standalone mode raise "
        "spec.taskManager.replicas first."
    ),
)


def make_patch(counts: Counts, marks: Mapping[str, JsonValue]) -> EnginePatch:
    """The overrides of all vertices; a vertex that was never read is named by its operator."""
    wanted, unknown = find_parallelism(counts, marks)
    overrides = ",".join(f"{vertex}:{parallelism}" for vertex, parallelism in wanted.items())
    body: dict[str, JsonValue] = {"spec": {"flinkConfiguration": {OVERRIDES: overrides}}}
    return EnginePatch(
        format="flink-operator",
        method="PATCH",
        path=f"/apis/flink.apache.org/v1beta1/namespaces/{NAMESPACE}/flinkdeployments/{DEPLOYMENT}",
        content_type=MERGE_PATCH,
        body=body,
        command=f"kubectl patch flinkdeployment '{DEPLOYMENT}' --type=merge -p {shlex.quote(json.dumps(body))}",
        notes=(UNKNOWN_VERTICES, *NOTES) if unknown else NOTES,
        placeholders=(NAMESPACE, DEPLOYMENT, *unknown),
    )
