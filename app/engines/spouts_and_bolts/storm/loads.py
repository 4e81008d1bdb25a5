"""The measured load of one sample of Storm's pages."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from app.engines.numbers import MOST, add_known, divide
from app.engines.spouts_and_bolts.storm.components import Component
from app.engines.spouts_and_bolts.storm.fields import LAST_DIGIT
from app.engines.spouts_and_bolts.storm.rates import Offered
from app.load.bodies.load import InstanceLoadBody, LoadBody, OperatorLoadBody
from app.web.fields import MOST_PROCESSORS

LEAST_SAMPLES = 30
MOST_INSTANCES = 10_000  # of one operator in a load
SURE = 3.0
"""With no sample of n above 0 ms, the chance of it is below 3/n at a confidence of 95%."""


class CountedInterval(NamedTuple):
    """When the counts were taken."""

    ends_at: datetime
    seconds: float


def build_load(
    bolts: Mapping[str, Component],
    offered: Mapping[str, Offered],
    interval: CountedInterval,
    *,
    external: float,
    completion: float | None,
    step: float,
) -> LoadBody:
    """The load of an interval; `step` is how many tuples one sample stands for."""
    return LoadBody(
        observed_at=interval.ends_at - timedelta(seconds=interval.seconds),
        window_seconds=interval.seconds,
        external_rate=min(external, MOST),
        measured_completion_seconds=completion,
        operators={name: build_operator_load(bolt, offered[name], step) for name, bolt in bolts.items()},
    )


def build_operator_load(bolt: Component, offered: Offered, step: float) -> OperatorLoadBody:
    """The load of one bolt."""
    processors = bolt.processors
    return OperatorLoadBody(
        service_rate=_limit(divide(1.0, find_service_seconds(bolt, step))) or None,
        arrival_rate=_limit(offered.rate),
        served_rate=_limit(bolt.executed_rate),
        processors=None if processors is None else min(processors, MOST_PROCESSORS),
        instances=list_instances(bolt),
    )


def find_service_seconds(bolt: Component, step: float) -> float | None:
    """Mean seconds of a service.

    Storm's clock has whole milliseconds, so that short services are counted as 0 or 1 ms: right in the mean. Where
    every sample of n was 0 ms, the mean is below 3/n ms (95%); that bound is taken from 30 samples on.
    """
    if bolt.latency or not bolt.executed:
        return bolt.latency or None
    samples = bolt.executed / step
    if bolt.latency is None or samples < LEAST_SAMPLES:
        return None
    return max(SURE / samples, LAST_DIGIT) / 1000.0


def list_instances(bolt: Component) -> list[InstanceLoadBody]:
    """The share of each executor that executed something.

    There are none where one of them does not say, where two have one name, or where a load cannot hold so many.
    """
    rates = [row.executed_rate for row in bolt.rows]
    total = add_known(rates)
    names = {name_instance(row.id, row.place) for row in bolt.rows}
    if not total or not len(names) == len(rates) <= MOST_INSTANCES:
        return []
    shares = [(row, divide(row.executed_rate, total)) for row in bolt.rows]
    return [
        InstanceLoadBody(instance=name_instance(row.id, row.place), share=min(share, 1.0))
        for row, share in shares
        if share
    ]


def name_instance(identity: str, place: str | None) -> str:
    """The executor's id and where it runs, as a name."""
    text = f"{identity} {place}" if place else identity
    printable = "".join(letter if letter.isprintable() else "?" for letter in text)
    return printable.strip()[:200].strip() or "executor"


def _limit(rate: float | None) -> float | None:
    return None if rate is None else min(rate, MOST)
