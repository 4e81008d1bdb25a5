"""Checks Kubernetes' objects by published schemas: Kubernetes' own, and those of the kinds that other projects add."""

from typing import Any

import kubernetes_validate
from cloudcoil.models.keda import v1alpha1 as keda
from cloudcoil.models.prometheus_operator import v1 as prometheus

ADDED = {
    "ScaledObject": keda.ScaledObject,
    "TriggerAuthentication": keda.TriggerAuthentication,
    "ServiceMonitor": prometheus.ServiceMonitor,
}


def check(document: Any) -> None:
    """Raises where the document is not what its kind allows, also for a field that its schema does not know."""
    model = ADDED.get(document["kind"])
    if model is None:
        kubernetes_validate.validate(document, kubernetes_validate.latest_version(), strict=True)
        return
    read = model.model_validate(document)
    assert read.model_dump(mode="json", by_alias=True, exclude_none=True) == document
