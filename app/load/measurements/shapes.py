"""Bursts, instances and histograms of stored snapshots: kept apart from the other measurements, since they are long."""

from collections.abc import Mapping
from typing import Any

from app.database.tables.topologies import SHAPES
from planner.values import IdcPoint, InstanceLoad, OperatorLoad, ServiceBucket

Documents = Mapping[str, Mapping[str, Any]]


def split_operators(operators: Documents) -> dict[str, Any]:
    """The columns of a snapshot: the operators without what is long, and that by itself."""
    short = {
        name: {key: value for key, value in one.items() if key not in SHAPES}
        for name, one in operators.items()
    }
    shapes = {name: {key: one[key] for key in SHAPES if one.get(key)} for name, one in operators.items()}
    return {"operators": short, "shapes": {name: one for name, one in shapes.items() if one} or None}


def join_operators(operators: Documents, shapes: Documents | None) -> dict[str, dict[str, Any]]:
    """The operators as they were sent."""
    return {name: {**one, **(shapes or {}).get(name, {})} for name, one in operators.items()}


def add_shapes(load: OperatorLoad, document: Mapping[str, Any]) -> OperatorLoad:
    """The load with what is stored of its shapes, which was checked when it was stored."""
    instances = [
        InstanceLoad(one["instance"], one["share"], one.get("arrival_scv"), read_points(one))
        for one in document.get("instances", ())
    ]
    histogram = [
        ServiceBucket(one["upper_seconds"], one["count"]) for one in document.get("service_histogram", ())
    ]
    return load._replace(
        arrival_idc=read_points(document),
        instances=tuple(sorted(instances, key=lambda one: (-one.share, one.instance))),
        service_histogram=tuple(histogram),
    )


def read_points(document: Mapping[str, Any]) -> tuple[IdcPoint, ...]:
    return tuple([IdcPoint(one["window_seconds"], one["idc"]) for one in document.get("arrival_idc", ())])
