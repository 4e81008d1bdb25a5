"""Patches for Kubernetes, KEDA and Flink's Kubernetes operator.

- a `scale` for the Deployment of each operator: a merge patch of its subresource, for kubectl 1.24 or newer
- a merge patch of a FlinkDeployment: the parallelism of every vertex
- a ScaledObject of KEDA for each operator, which asks this service for its processors (metrics-api scaler)
"""

import json
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from pydantic import JsonValue

from app.engines.flink.patch import find_parallelism
from app.engines.patches import Counts, EnginePatch

MOST_LETTERS = 54
"""A label has at most 63 characters, and KEDA puts `keda-hpa-` before the name of a ScaledObject."""
NAMESPACE = "<namespace>"
MERGE_PATCH = "application/merge-patch+json"
SCALE_NOTES = (
    (
        "Send one request, or one command, for each operator: no request scales all of them at once. What the "
        "decision expects holds once all are sent and the pods serve."
    ),
    (
        "A HorizontalPodAutoscaler or a ScaledObject on the same Deployment would undo this change: use only one of "
        "them."
    ),
)

OVERRIDES = "pipeline.jobvertex-parallelism-overrides"
FLINK_DEPLOYMENT = "<FlinkDeployment>"
UNKNOWN_VERTICES = (
    "The vertex ids of these operators are not known, because no answer of Flink was stored: fill in the `id` of "
    "each vertex from GET /jobs/<job id>."
)
FLINK_NOTES = (
    (
        "With jobmanager.scheduler: adaptive (Flink 1.18 or newer) the operator rescales the running job. "
        "Otherwise it restarts the job by its upgradeMode, from a savepoint or from the last state."
    ),
    (
        "The patch replaces the whole list of overrides, so it names every vertex. job.autoscaler.enabled must be "
        "false: Flink's autoscaler writes the same entry."
    ),
    (
        "After a restart, the adaptive scheduler of some versions begins at parallelism.default despite the "
        "overrides (FLINK-38770, observed with 2.2.1): read the job again, and change the entry once more."
    ),
    (
        "The job needs as many slots as the largest parallelism of its vertices, while slots are shared. In "
        "standalone mode raise spec.taskManager.replicas first."
    ),
)

POLLING_SECONDS = 15
FAILURES_BEFORE_FALLBACK = 3
IN_CLUSTER = "http://headgate.default.svc:8000"
"""The address that docs/examples/kubernetes gives the service."""
USUAL_MOST = 100
"""KEDA's default of maxReplicaCount."""
KEY_NAME = "headgate-key"
HPA_TOLERANCE = 0.1
KEDA_NOTES = (
    (
        "Apply it once, not for each decision: KEDA asks for the processors regularly. To send it, ask with "
        "as=yaml and pipe the answer to `kubectl apply -f -`."
    ),
    (
        "If data are missing or stale, the service answers 503, and KEDA keeps the replicas that run: the fallback "
        f"after {FAILURES_BEFORE_FALLBACK} failed polls needs KEDA 2.17 or newer. For an older version remove "
        "fallback.behavior: that version then falls back to the fixed number in fallback.replicas."
    ),
    (
        "A tolerance of 0 makes every step count. The tolerance needs KEDA 2.18 or newer, and Kubernetes 1.33 or newer "
        "with the feature gate HPAConfigurableTolerance. Remove the tolerance for an older KEDA. Without a tolerance a "
        f"HorizontalPodAutoscaler ignores changes of less than {HPA_TOLERANCE:.0%}: beyond "
        f"{round(1 / HPA_TOLERANCE)} replicas some steps are not made (docs/guides/keda.md)."
    ),
)


def spell_names(operators: Iterable[str]) -> dict[str, str]:
    """A name that Kubernetes allows (RFC 1123 label) for each operator; no two operators get the same name."""
    spelt: dict[str, str] = {}
    taken: set[str] = set()
    for operator in operators:
        name = first = spell(operator)
        number = 1
        while name in taken:
            number += 1
            ending = f"-{number}"
            name = first[: MOST_LETTERS - len(ending)].rstrip("-") + ending
        taken.add(name)
        spelt[operator] = name
    return spelt


def spell(operator: str) -> str:
    """The name of an operator in small letters, digits and dashes: `Source: clicks -> Map` is `source-clicks-map`."""
    words = re.sub(r"[^a-z0-9]+", "-", operator.lower()).strip("-")
    return words[:MOST_LETTERS].rstrip("-") or "operator"


def describe_names(spelt: dict[str, str]) -> str:
    """A note that the Kubernetes names are made from the names of operators, and which names were changed."""
    respelt = [f"{operator!r} as {name!r}" for operator, name in spelt.items() if operator != name]
    note = "Each Deployment is assumed to have the name of its operator: correct the names that differ."
    return f"{note} Names changed for Kubernetes: {', '.join(respelt)}." if respelt else note


def make_scale_patch(counts: Counts) -> EnginePatch:
    """A Scale (autoscaling/v1) for the Deployment of each operator, with the kubectl commands that send it."""
    names = spell_names(counts)
    scales: list[JsonValue] = [
        {
            "apiVersion": "autoscaling/v1",
            "kind": "Scale",
            "metadata": {"name": names[operator]},
            "spec": {"replicas": count},
        }
        for operator, count in counts.items()
    ]
    commands = [
        f"kubectl patch deployment {shlex.quote(names[operator])} --subresource=scale --type=merge -p "
        + shlex.quote(f'{{"spec":{{"replicas":{count}}}}}')
        for operator, count in counts.items()
    ]
    path = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/{{metadata.name}}/scale"
    notes = (describe_names(names), *SCALE_NOTES)
    return make_merge_patch(
        "kubernetes", path, scales, commands=commands, notes=notes, placeholders=["{metadata.name}"]
    )


def make_merge_patch(
    form: str,
    path: str,
    body: JsonValue,
    *,
    commands: Iterable[str],
    notes: tuple[str, ...],
    placeholders: Iterable[str],
) -> EnginePatch:
    """A merge patch (RFC 7386) for a namespace that the caller fills in, with the commands that send it."""
    command, open_parts = "\n".join(commands), (NAMESPACE, *placeholders)
    return EnginePatch(form, "PATCH", path, body, command, notes, open_parts, MERGE_PATCH)


def make_flink_operator_patch(counts: Counts, marks: Mapping[str, JsonValue]) -> EnginePatch:
    """The merge patch that sets the parallelism of all vertices; a vertex without a known id is named by its
    operator.
    """
    wanted, unknown = find_parallelism(counts, marks)
    overrides = ",".join(f"{vertex}:{parallelism}" for vertex, parallelism in wanted.items())
    body: dict[str, JsonValue] = {"spec": {"flinkConfiguration": {OVERRIDES: overrides}}}
    path = f"/apis/flink.apache.org/v1beta1/namespaces/{NAMESPACE}/flinkdeployments/{FLINK_DEPLOYMENT}"
    send = (
        f"kubectl patch flinkdeployment '{FLINK_DEPLOYMENT}' --type=merge -p {shlex.quote(json.dumps(body))}"
    )
    notes = (UNKNOWN_VERTICES, *FLINK_NOTES) if unknown else FLINK_NOTES
    return make_merge_patch(
        "flink-operator", path, body, commands=[send], notes=notes, placeholders=[FLINK_DEPLOYMENT, *unknown]
    )


@dataclass(frozen=True, slots=True)
class KedaTerms:
    """The terms of ScaledObjects: the service's address and the bounds of each operator.

    `service_url` is None if it is not known. `bounds` are the least and the most processors; None: not bounded.
    """

    topology: str
    service_url: str | None
    bounds: Mapping[str, tuple[int, int | None]]
    needs_key: bool = False


def make_keda_patch(counts: Counts, terms: KedaTerms) -> EnginePatch:
    """A ScaledObject of KEDA for each operator, with bounds and address from `terms`."""
    names = spell_names(counts)
    objects: list[JsonValue] = [
        make_scaled_object(names[operator], operator, count, terms) for operator, count in counts.items()
    ]
    notes = [describe_names(names), *KEDA_NOTES]
    unbounded = [name for name in counts if terms.bounds.get(name, (1, None))[1] is None]
    if unbounded:
        notes.append(
            f"The processors of {', '.join(unbounded)} have no upper bound: their maxReplicaCount is {USUAL_MOST}, "
            "or twice the recommended processors if that is more. Set max_processors in the topology."
        )
    if terms.needs_key:
        notes.append(
            f"The service requires a key: the TriggerAuthentication {KEY_NAME!r} must give it as `token` "
            "(docs/examples/kubernetes/keda.yaml)."
        )
    return EnginePatch(
        format="keda",
        body=objects,
        notes=tuple(notes),
        placeholders=(IN_CLUSTER,) if terms.service_url is None else (),
    )


def make_scaled_object(name: str, operator: str, count: int, terms: KedaTerms) -> dict[str, JsonValue]:
    """The ScaledObject of one operator; it never goes below one replica.

    Changes are made at once: the policy's cooldown has passed when a decision changes the processors. While the service
    has no number, the replicas that run stay.
    """
    least, most = terms.bounds.get(operator, (1, None))
    at_once: dict[str, JsonValue] = {"stabilizationWindowSeconds": 0, "tolerance": 0}
    behavior: dict[str, JsonValue] = {"scaleUp": at_once, "scaleDown": dict(at_once)}
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": {"name": name},
        "spec": {
            "scaleTargetRef": {"name": name},
            "pollingInterval": POLLING_SECONDS,
            "minReplicaCount": max(least, 1),
            "maxReplicaCount": most if most is not None else max(USUAL_MOST, 2 * count),
            "fallback": {
                "failureThreshold": FAILURES_BEFORE_FALLBACK,
                "replicas": max(least, count),
                "behavior": "currentReplicas",
            },
            "advanced": {"horizontalPodAutoscalerConfig": {"behavior": behavior}},
            "triggers": [make_trigger(operator, terms)],
        },
    }


def make_trigger(operator: str, terms: KedaTerms) -> dict[str, JsonValue]:
    """The KEDA trigger that asks this service for an operator's processors; targetValue is 1, so replicas =
    the value.
    """
    path = f"/v1/topologies/{quote(terms.topology, safe='')}/keda/{quote(operator, safe='')}"
    metadata: dict[str, JsonValue] = {
        "url": (terms.service_url or IN_CLUSTER).rstrip("/") + path,
        "valueLocation": "value",
        "targetValue": "1",
    }
    trigger: dict[str, JsonValue] = {"type": "metrics-api", "metricType": "AverageValue"}
    if terms.needs_key:
        metadata["authMode"] = "bearer"
        trigger["authenticationRef"] = {"name": KEY_NAME}
    return trigger | {"metadata": metadata}
