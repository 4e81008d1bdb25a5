"""Checks Kubernetes' objects by published schemas: Kubernetes' own, and those of the kinds that other projects add."""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

KEDA, PROMETHEUS = "cloudcoil.models.keda.v1alpha1", "cloudcoil.models.prometheus_operator.v1"
ADDED = {"ScaledObject": KEDA, "TriggerAuthentication": KEDA, "ServiceMonitor": PROMETHEUS}
LATER_FIELDS: dict[str, set[Any]] = {
    "behavior": {"static", "currentReplicas", "currentReplicasIfHigher", "currentReplicasIfLower"},
    "tolerance": {0},
}
"""Fields of KEDA 2.17 (of `fallback`) and of 2.18 (of a scaling rule), which the schemas at hand do not know yet."""


def find_all(value: Any, key: str) -> Iterator[Any]:
    """Every value under this key, at any depth."""
    if isinstance(value, dict):
        yield from ([value[key]] if key in value else [])
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from find_all(part, key)


@cache
def load(module: str) -> Any:
    """A module of models, when a document is checked: to load them all takes seconds, at every collection of tests."""
    return import_module(module)


def check(document: Any) -> None:
    """Raises where the document is not what its kind allows, also for a field that its schema does not know."""
    document = leave_out_later(document)
    kind = document["kind"]
    if kind not in ADDED:
        published = load("kubernetes_validate")
        published.validate(document, published.latest_version(), strict=True)
        return
    read = getattr(load(ADDED[kind]), kind).model_validate(document)
    assert read.model_dump(mode="json", by_alias=True, exclude_none=True) == document


def leave_out_later(value: Any) -> Any:
    """The document without the values of LATER_FIELDS that KEDA documents."""
    if isinstance(value, list):
        return [leave_out_later(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        name: leave_out_later(one)
        for name, one in value.items()
        if isinstance(one, dict | list) or one not in LATER_FIELDS.get(name, set())
    }
