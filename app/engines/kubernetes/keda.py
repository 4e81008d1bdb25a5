"""A ScaledObject of KEDA for each operator, which asks this service for its processors (metrics-api scaler)."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from pydantic import JsonValue

from app.engines.kubernetes.names import describe_names, spell_names
from app.engines.patches import Counts, EnginePatch

POLLING_SECONDS = 15
IN_CLUSTER = "http://headgate.default.svc:8000"
"""The address that docs/examples/kubernetes gives the service."""
USUAL_MOST = 100
"""KEDA's own maxReplicaCount where none is given."""
KEY_NAME = "headgate-key"
HPA_TOLERANCE = 0.1

NOTES = (
    (
        "Apply it once, not for each decision: KEDA asks for the processors again and again. Ask with as=yaml and pipe "
        "the answer to `kubectl apply -f -`."
    ),
    "Where data are missing or stale the service answers 503, and KEDA leaves the replicas as they are.",
    (
        f"A HorizontalPodAutoscaler ignores changes of less than {HPA_TOLERANCE:.0%}: beyond "
        f"{round(1 / HPA_TOLERANCE)} replicas some steps are not made (docs/guides/keda.md)."
    ),
)


@dataclass(frozen=True, slots=True)
class KedaTerms:
    """What the ScaledObjects say beside the names: where the service is, and the bounds of each operator.

    `service_url` is None where nobody said it. `bounds` are the least and the most processors; None where nothing
    bounds them.
    """

    topology: str
    service_url: str | None
    bounds: Mapping[str, tuple[int, int | None]]
    needs_key: bool = False


def make_patch(counts: Counts, terms: KedaTerms) -> EnginePatch:
    """A ScaledObject for each operator."""
    names = spell_names(counts)
    objects: list[JsonValue] = [
        make_scaled_object(names[operator], operator, count, terms) for operator, count in counts.items()
    ]
    notes = [describe_names(names), *NOTES]
    unbounded = [name for name in counts if terms.bounds.get(name, (1, None))[1] is None]
    if unbounded:
        notes.append(
            f"Nothing says the most processors of {', '.join(unbounded)}: their maxReplicaCount is {USUAL_MOST}, or "
            "twice the recommended processors. Set max_processors in the topology."
        )
    if terms.needs_key:
        notes.append(
            f"The service wants a key: the TriggerAuthentication {KEY_NAME!r} must give it as `token` "
            "(docs/examples/kubernetes/keda.yaml)."
        )
    return EnginePatch(
        format="keda",
        body=objects,
        notes=tuple(notes),
        placeholders=(IN_CLUSTER,) if terms.service_url is None else (),
    )


def make_scaled_object(name: str, operator: str, count: int, terms: KedaTerms) -> dict[str, JsonValue]:
    """The ScaledObject of one operator; it never goes below one replica."""
    least, most = terms.bounds.get(operator, (1, None))
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": {"name": name},
        "spec": {
            "scaleTargetRef": {"name": name},
            "pollingInterval": POLLING_SECONDS,
            "minReplicaCount": max(least, 1),
            "maxReplicaCount": most if most is not None else max(USUAL_MOST, 2 * count),
            "advanced": {"horizontalPodAutoscalerConfig": {"behavior": make_behavior()}},
            "triggers": [make_trigger(operator, terms)],
        },
    }


def make_behavior() -> dict[str, JsonValue]:
    """Changes are made at once: the policy's cooldown has passed when a decision changes them."""
    return {
        "scaleUp": {"stabilizationWindowSeconds": 0},
        "scaleDown": {"stabilizationWindowSeconds": 0},
    }


def make_trigger(operator: str, terms: KedaTerms) -> dict[str, JsonValue]:
    """Asks for the processors; replicas = value / targetValue, so targetValue is 1."""
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
