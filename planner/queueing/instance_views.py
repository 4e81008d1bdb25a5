"""The queues of one server behind each operator: their part of the arrivals, their load, and how they see arrivals."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from planner.arrays import ARRAYS, Floats, Indices
from planner.queueing.dispersion import NO_CURVE, CurveList, View
from planner.queueing.key_shares import KeyShares
from planner.queueing.queueings import KEYED, Inflow, deal_in_turn


class Singles(NamedTuple):
    """Queues of one server, or several that are alike: operator, part of its arrivals in all, share of one, view.

    Where no curve of I(t) is known, `known` is the SCV that the queue sees.
    """

    row: Indices
    part: Floats
    share: Floats
    known: Floats
    view: View


class Pooled(NamedTuple):
    """Shared queues: a₀, a*, the operator's I(t*) or 0 where unknown, and the backlog of bursts in services."""

    near: Floats
    lasting: Floats
    level: Floats
    backlog: Floats


class Arrivals(NamedTuple):
    """The arrivals of several operators: rate, offered load, SCV, curve, senders and C."""

    rate: Floats
    offered: Floats
    scv: Floats
    curve: Indices
    senders: Floats
    root_batch: Floats


def view_alike(at: Indices, k: Floats, arrivals: Arrivals, is_turning: Floats, is_keyed: Floats) -> Singles:
    """Instances that all receive 1/k: one stands for all."""
    curve = arrivals.curve[at]
    rate, offered, scv, senders, root_batch = (
        column[at]
        for column in (arrivals.rate, arrivals.offered, arrivals.scv, arrivals.senders, arrivals.root_batch)
    )
    together = np.where(is_keyed > 0.0, root_batch, 1.0)
    known = np.where(
        is_turning > 0.0,
        deal_in_turn(scv, k, senders, offered, ARRAYS),
        together * (1.0 - 1.0 / k) + scv / k,
    )
    constant = np.where(is_turning > 0.0, 0.0, together * (1.0 - 1.0 / k))
    view = View(curve, constant, 1.0 / k, is_turning, rate, senders, k)
    return Singles(at, np.ones(len(at)), 1.0 / k, known, view)


def view_keyed(
    i: int, k: int, shares: KeyShares, curves: Indices, arrivals: Arrivals, *, measured: bool = True
) -> Singles:
    """Instances with their shares; at the k of these their own arrivals too, unless `measured` is off."""
    parts, numbers = shares.spread(k)
    size, together = len(parts), float(arrivals.root_batch[i])
    slope, curve, scv = parts.copy(), np.full(size, arrivals.curve[i]), np.full(size, arrivals.scv[i])
    if measured and k == len(shares.instances) == size:
        own = np.array([-1.0 if one.arrival_scv is None else one.arrival_scv for one in shares.instances])
        has_curve = curves != NO_CURVE
        has_scv = ~has_curve & (own >= 0.0)
        slope = np.where(has_curve | has_scv, 1.0, slope)
        curve = np.where(has_scv, NO_CURVE, np.where(has_curve, curves, curve))
        scv = np.where(has_scv, own, scv)
    constant = together * (1.0 - slope)
    none, one = np.zeros(size), np.ones(size)
    view = View(curve, constant, slope, none, one * arrivals.rate[i], one, one)
    return Singles(np.full(size, i, np.intp), parts * numbers, parts, constant + slope * scv, view)


def join_singles(groups: Sequence[Singles]) -> Singles:
    """All groups in one."""
    if len(groups) == 1:
        return groups[0]
    *columns, views = zip(*groups, strict=True)
    row, part, share, known = map(np.concatenate, columns)
    return Singles(row, part, share, known, View(*map(np.concatenate, zip(*views, strict=True))))


def number_curves(
    curves: CurveList, inflows: Sequence[Inflow], service_rate: Floats
) -> tuple[Indices, tuple[Indices, ...]]:
    """The curve of each operator, and of each of its instances."""
    rows = list(zip(inflows, service_rate.tolist(), strict=True))
    own = np.array([curves.add(inflow.idc, mu) for inflow, mu in rows], np.intp)
    return own, tuple(
        np.array([curves.add(one.arrival_idc, mu) for one in inflow.instances], np.intp)
        for inflow, mu in rows
    )


def find_shares(inflow: Inflow) -> KeyShares | None:
    """The shares of a keyed operator's instances; None where not measured."""
    return KeyShares(inflow.instances) if inflow.instances and inflow.queueing == KEYED else None
