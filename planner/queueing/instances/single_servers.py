"""The queues with one server of each operator: their part of the arrivals, their load, and the variability they see."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from planner.arrays import ARRAYS, Floats, Indices
from planner.queueing.array_queues import log_erlang_b
from planner.queueing.bursts.dispersion import NO_CURVE, CurveList, Dispersions, View
from planner.queueing.erlang import LEAST_LOAD, erlang_c
from planner.queueing.instances.key_shares import KeyShares
from planner.queueing.queueings import KEYED, Inflow, deal_in_turn


class SingleServers(NamedTuple):
    """Queues of one server each: the operator, its part of the arrivals, the share of one queue, and its view of
    bursts.

    One entry may stand for several queues that are alike. Where no curve of I(t) is known, `known` is the SCV of the
    arrivals at the queue.
    """

    row: Indices
    part: Floats
    share: Floats
    known: Floats
    view: View


KeyedMemo = dict[tuple[int, ...], SingleServers]
MOST_REMEMBERED = 8
KeyedGroup = tuple[int, int, KeyShares, Indices]
"""Place, count, shares, and the curves of the instances."""


class Pooled(NamedTuple):
    """The arrivals at shared queues: a₀ and a*, the dispersion within one service and at the deciding length of time.

    Beside them stand the operator's I(t*), or 0 where unknown, and the backlog of bursts in services.
    """

    near: Floats
    lasting: Floats
    level: Floats
    backlog: Floats


class Arrivals(NamedTuple):
    """The arrivals of several operators: rate, offered load, SCV, curve of I(t), senders, and batch of one root."""

    rate: Floats
    offered: Floats
    scv: Floats
    curve: Indices
    senders: Floats
    root_batch: Floats


def view_alike(
    at: Indices, k: Floats, arrivals: Arrivals, is_turning: Floats, is_keyed: Floats
) -> SingleServers:
    """The queues of operators whose k instances all receive 1/k of the arrivals; one row stands for all instances."""
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
    return SingleServers(at, np.ones(len(at)), 1.0 / k, known, view)


def view_keyed(
    i: int, k: int, shares: KeyShares, curves: Indices, arrivals: Arrivals, *, measured: bool = True
) -> SingleServers:
    """The queues of a keyed operator's k instances with their shares of the arrivals.

    With `measured`, the queues have their own measured arrivals if as many instances run as were measured.
    """
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
    view = View(curve, constant, slope, none, one * arrivals.rate[i], one, one * k)
    return SingleServers(np.full(size, i, np.intp), parts * numbers, parts, constant + slope * scv, view)


def view_resized(at: Indices, k: Floats, shares: KeyShares, arrivals: Arrivals) -> SingleServers:
    """The queues of one keyed operator at several numbers of instances `k`, none of them 1 or the measured number."""
    places, parts, numbers = shares.spread_anew(k)
    row = at[places]
    constant = arrivals.root_batch[row] * (1.0 - parts)
    none, one = np.zeros(len(row)), np.ones(len(row))
    view = View(arrivals.curve[row], constant, parts, none, arrivals.rate[row], one, k[places])
    return SingleServers(row, parts * numbers, parts, constant + parts * arrivals.scv[row], view)


def join_servers(groups: Sequence[SingleServers]) -> SingleServers:
    """All groups of one-server queues joined into one."""
    if len(groups) == 1:
        return groups[0]
    *columns, views = zip(*groups, strict=True)
    row, part, share, known = map(np.concatenate, columns)
    return SingleServers(row, part, share, known, View(*map(np.concatenate, zip(*views, strict=True))))


def number_curves(
    curves: CurveList, inflows: Sequence[Inflow], service_rate: Floats
) -> tuple[Indices, tuple[Indices, ...]]:
    """The list of all curves of I(t), the number of each operator's curve, and the numbers of its instances' curves."""
    rows = list(zip(inflows, service_rate.tolist(), strict=True))
    own = np.array([curves.add(inflow.idc, mu) for inflow, mu in rows], np.intp)
    return own, tuple(
        np.array([curves.add(one.arrival_idc, mu) for one in inflow.instances], np.intp)
        for inflow, mu in rows
    )


class PreparedInflows(NamedTuple):
    """The parts of inflows that do not depend on the arrival rate; `spread` remembers keyed instances by count."""

    curve: Indices
    of_instances: tuple[Indices, ...]
    curves: Dispersions
    shares: tuple[KeyShares | None, ...]
    spread: KeyedMemo


def prepare_inflows(inflows: Sequence[Inflow], service_rate: Floats) -> PreparedInflows:
    """The curves of I(t) and the shares of keyed instances, prepared once since this takes longer than all waits."""
    curves = CurveList()
    curve, of_instances = number_curves(curves, inflows, service_rate)
    shares = tuple(find_shares(inflow) for inflow in inflows)
    return PreparedInflows(curve, of_instances, Dispersions.prepare(curves), shares, {})


def view_measured(
    groups: Sequence[KeyedGroup],
    arrivals: Arrivals,
    memo: KeyedMemo,
    *,
    measured: bool,
) -> list[SingleServers]:
    """The one-server queues of all keyed operators, in one group or none; `memo` keeps them by count."""
    if not groups:
        return []
    key = (measured, *[count for _, count, _, _ in groups])
    if key not in memo:
        if len(memo) >= MOST_REMEMBERED:
            memo.clear()
        memo[key] = join_servers(list(view_groups(groups, arrivals, measured=measured)))
    found = memo[key]
    return [found._replace(view=found.view._replace(rate=arrivals.rate[found.row]))]


def view_groups(
    groups: Sequence[KeyedGroup], arrivals: Arrivals, *, measured: bool
) -> Iterator[SingleServers]:
    """The one-server queues of keyed operators, in a group each; an operator's unmeasured counts come together."""
    resized: dict[int, list[KeyedGroup]] = {}
    for group in groups:
        i, k, shares, own = group
        if k in {1, len(shares.instances)}:
            yield view_keyed(i, k, shares, own, arrivals, measured=measured)
        else:
            resized.setdefault(id(shares), []).append(group)
    for alike in resized.values():
        at, numbers = zip(*[(i, k) for i, k, _, _ in alike], strict=True)
        yield view_resized(np.array(at, np.intp), np.array(numbers, np.float64), alike[0][2], arrivals)


def find_shares(inflow: Inflow) -> KeyShares | None:
    """The shares of a keyed operator's instances; None where neither they are measured nor groups are known."""
    if inflow.queueing != KEYED or not (inflow.instances or inflow.groups):
        return None
    return KeyShares(inflow.instances, inflow.groups)


def find_upstream(capacity: Floats, running: Floats, k: Floats) -> Floats:
    """Tuples per second that upstream can send; above the running processors it grows with k."""
    return np.asarray(capacity * np.maximum(k / running, 1.0))


def ease_waits(servers: Floats, rho: Floats) -> Floats:
    """How much less often tuples wait at instances with a utilisation ρ that serve c at a time: C(c, cρ)/ρ.

    C is Erlang's C; 1 where c is 1.
    """
    ease: Floats = np.ones(len(rho))
    at = np.flatnonzero((servers > 1.0) & (rho >= LEAST_LOAD))
    if at.size:
        c, load = servers[at], servers[at] * rho[at]
        slack = c * (1.0 - rho[at])
        ease[at] = erlang_c(c, np.exp(log_erlang_b(c, load, slack)), load, slack) / rho[at]
    return ease
