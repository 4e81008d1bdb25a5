"""What an answer says about its queues: an assumed queueing, bursts, and keys that one instance cannot carry."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from planner.queueing.inflows import find_inflows, requeue
from planner.queueing.key_shares import KeyShares
from planner.queueing.queueings import KEYED, RANDOM, ROUND_ROBIN
from planner.queueing.stations import Stations, sum_work
from planner.values import SHARED, Diagnostic, Load, Operator, OperatorEstimate, Topology
from planner.wording import join_names, write_percent, write_seconds

BURSTY = 3.0
"""From this index of dispersion on a mean cannot be promised (see docs/how-true-is-et.md)."""
NEARLY_BROKEN = 0.9
MOST_COMPARED = 200
"""E[T] of round robin beside an assumed queueing is computed for topologies of up to so many operators."""


def name_queueing(operator: Operator, count: int, shares: KeyShares | None) -> tuple[str, float | None]:
    """An operator's queueing, and the share of its busiest instance; None where it is not measured."""
    queueing = operator.queueing or SHARED
    if queueing in {ROUND_ROBIN, RANDOM}:
        return queueing, 1.0 / count
    return queueing, None if queueing != KEYED or shares is None else shares.find_hottest(count)


def describe_queues(
    topology: Topology, load: Load, stations: Stations, answers: Sequence[OperatorEstimate]
) -> tuple[Diagnostic, ...]:
    """All diagnostics about queues."""
    said = describe_assumed(topology, load, stations, answers)
    if stations.inflows is None:
        return said
    return said + describe_keys(load, answers) + describe_bursts(stations, answers)


def describe_assumed(
    topology: Topology, load: Load, stations: Stations, answers: Sequence[OperatorEstimate]
) -> tuple[Diagnostic, ...]:
    """A diagnostic where shared queues are assumed, with the E[T] that queues of their own would give."""
    unsaid = [
        one.name
        for operator, one in zip(topology.operators, answers, strict=True)
        if operator.queueing is None and one.processors > 1 and one.wait_seconds
    ]
    if not unsaid:
        return ()
    beside = ""
    if len(answers) <= MOST_COMPARED and None not in [one.wait_seconds for one in answers]:
        own = sum_dealt_in_turn(topology, load, stations, answers)
        beside = f" With a queue for each processor, dealt in turn (round-robin), E[T] would be {write_seconds(own)}."
    detail = (
        f"The queueing of {join_names(unsaid)} is not said: one queue for all processors is assumed.{beside} Say it in "
        "the topology: Flink, Storm, Heron and Kafka Streams have a queue for each instance."
    )
    return (Diagnostic("queueing-assumed", detail, tuple(unsaid)),)


def sum_dealt_in_turn(
    topology: Topology, load: Load, stations: Stations, answers: Sequence[OperatorEstimate]
) -> float:
    """E[T] where operators without a stated queueing have a queue for each processor, and senders deal in turn."""
    unstated = {operator.name for operator in topology.operators if operator.queueing is None}
    is_open = any(inflow.is_open for inflow in stations.inflows or ())
    inflows = find_inflows(
        requeue(topology, unstated, ROUND_ROBIN), load, [one.arrival_rate for one in answers], is_open=is_open
    )
    dealt = replace(stations, inflows=inflows)
    waits = dealt.wait_seconds([one.processors for one in answers])
    return sum_work([one.visits for one in answers], waits, dealt.service_rate)


def describe_keys(load: Load, answers: Sequence[OperatorEstimate]) -> tuple[Diagnostic, ...]:
    """Diagnostics of keyed operators: shares that are not measured, and the share at which an instance breaks."""
    keyed = [one for one in answers if one.queueing == KEYED and one.processors > 1]
    even = tuple(one.name for one in keyed if one.hottest_share is None)
    said: tuple[Diagnostic, ...] = ()
    if even:
        detail = (
            f"{join_names(even)} is keyed, and the shares of its instances are not measured: even shares are assumed. "
            "Skewed keys make E[T] longer, and one hot instance can break down alone: give instances."
        )
        said += (Diagnostic("keys-assumed-even", detail, even),)
    for one in keyed:
        share, used = one.hottest_share, one.hottest_utilisation
        if share is None or used is None or used < NEARLY_BROKEN:
            continue
        measured = len(load.operators[one.name].instances)
        limit = one.service_rate / one.arrival_rate
        extra = "" if measured == one.processors else f" (estimated from {measured} measured instances)"
        detail = (
            f"{one.name} is keyed: its hottest instance gets {share:.3g} of the arrivals{extra}, fair would be "
            f"{1.0 / one.processors:.3g}, and is {write_percent(used)} busy. It breaks at a share of {limit:.3g}. "
            "More processors do not help beyond the hottest key: split that key, or make its service faster."
        )
        said += (Diagnostic("hottest-instance", detail, (one.name,)),)
    return said


def describe_bursts(stations: Stations, answers: Sequence[OperatorEstimate]) -> tuple[Diagnostic, ...]:
    """A diagnostic where arrivals come in bursts so long that E[T] cannot be promised."""
    places = [
        i for i in stations.list_general() if answers[i].wait_seconds is not None and answers[i].arrival_rate
    ]
    if not places:
        return ()
    counts = np.array([answers[i].processors for i in places], np.int64)
    levels = stations.prepare_general(places).find_burstiness(counts).tolist()
    bursty = {answers[i].name: level for i, level in zip(places, levels, strict=True) if level > BURSTY}
    if not bursty:
        return ()
    listed = join_names([f"{name} ({level:.3g})" for name, level in bursty.items()])
    detail = (
        f"Arrivals come in bursts at {listed}, in brackets the index of dispersion at the length of time that decides "
        "on the wait, which is 1 for Poisson. Such means err by 10% to 20% on average, at times by half; only "
        "a simulation can promise: POST /v1/simulations."
    )
    return (Diagnostic("bursty", detail, tuple(bursty)),)
