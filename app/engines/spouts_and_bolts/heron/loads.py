"""The measured load of one interval of Heron."""

from collections.abc import Mapping
from datetime import datetime

from app.engines.numbers import MOST, add_known, divide, find_service_rate
from app.engines.spouts_and_bolts.heron.components import HeronComponent
from app.engines.spouts_and_bolts.heron.streams import HeronArrivals
from app.load.bodies.load import InstanceLoadBody, LoadBody, OperatorLoadBody
from app.web.fields import MOST_PROCESSORS

MOST_INSTANCES = 10_000  # of one operator in a load


def build_load(
    components: Mapping[str, HeronComponent],
    arrivals: Mapping[str, HeronArrivals],
    external: float,
    begins_at: datetime,
    seconds: float,
) -> LoadBody:
    """The load of all bolts."""
    bolts = [one for one in components.values() if one.is_bolt]
    return LoadBody(
        observed_at=begins_at,
        window_seconds=seconds,
        external_rate=min(external, MOST),
        measured_completion_seconds=find_completion(components),
        operators={bolt.name: build_operator_load(bolt, arrivals[bolt.name]) for bolt in bolts},
    )


def build_operator_load(bolt: HeronComponent, arrivals: HeronArrivals) -> OperatorLoadBody:
    """The load of one bolt."""
    return OperatorLoadBody(
        service_rate=find_service_rate(1.0, bolt.latency) if bolt.latency else None,
        arrival_rate=None if arrivals.rate is None else min(arrivals.rate, MOST),
        served_rate=None if bolt.executed_rate is None else min(bolt.executed_rate, MOST),
        processors=min(len(bolt.instances), MOST_PROCESSORS) or None,
        instances=list_shares(bolt),
    )


def list_shares(bolt: HeronComponent) -> list[InstanceLoadBody]:
    """The share of each instance that executed something; none where one does not say, or a load cannot hold all."""
    total = add_known(bolt.executed.values())
    if not total or len(bolt.executed) > MOST_INSTANCES:
        return []
    shares = {name: divide(rate, total) for name, rate in bolt.executed.items()}
    return [InstanceLoadBody(instance=name, share=min(share, 1.0)) for name, share in shares.items() if share]


def find_completion(components: Mapping[str, HeronComponent]) -> float | None:
    """Mean complete latency over all spouts, by what was acknowledged; None where nothing was."""
    known = [
        (one.acked_rate, one.complete_latency)
        for one in components.values()
        if not one.is_bolt and one.acked_rate and one.complete_latency
    ]
    return divide(sum([rate * latency for rate, latency in known]), sum([rate for rate, _ in known]))
