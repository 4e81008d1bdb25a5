"""The queues of one server behind each operator: their part of the arrivals, their load, and how they see arrivals."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from planner.arrays import ARRAYS, Floats, Indices
from planner.queueing.dispersion import View
from planner.queueing.key_shares import KeyShares
from planner.queueing.queueings import deal_in_turn

NO_CURVE = -1


class Singles(NamedTuple):
    """Queues of one server, or several that are alike: operator, part of its arrivals in all, share of one, view.

    Where no curve of I(t) is known, `known` is the SCV that the queue sees.
    """

    row: Indices
    part: Floats
    share: Floats
    known: Floats
    view: View


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


def view_keyed(i: int, k: int, shares: KeyShares, curves: Indices, arrivals: Arrivals) -> Singles:
    """Instances with their measured shares, and with their measured arrivals where k is what was measured."""
    parts, numbers = shares.spread(k)
    size, together = len(parts), arrivals.root_batch[i]
    constant, slope, curve = together * (1.0 - parts), parts.copy(), np.full(size, arrivals.curve[i])
    known = together + parts * (arrivals.scv[i] - together)
    if k == len(shares.instances) == size:
        measured = [one.arrival_scv for one in shares.instances]
        has_scv = np.array([scv is not None for scv in measured]) & (curves == NO_CURVE)
        known = np.where(has_scv, [0.0 if scv is None else scv for scv in measured], known)
        curve = np.where(curves != NO_CURVE, curves, np.where(has_scv, NO_CURVE, curve))
        constant = np.where(curves != NO_CURVE, 0.0, constant)
        slope = np.where(curves != NO_CURVE, 1.0, slope)
    none, one = np.zeros(size), np.ones(size)
    view = View(curve, constant, slope, none, one * arrivals.rate[i], one, one)
    return Singles(np.full(size, i, np.intp), parts * numbers, parts, known, view)


def join_singles(groups: Sequence[Singles]) -> Singles:
    """All groups in one."""
    if len(groups) == 1:
        return groups[0]
    *columns, views = zip(*groups, strict=True)
    row, part, share, known = map(np.concatenate, columns)
    return Singles(row, part, share, known, View(*map(np.concatenate, zip(*views, strict=True))))
