"""Operators with bursts, or with a queue for each processor, side by side in arrays.

    W = Σ pₓ W(GI/G/1 at pₓλ, μ, aₓ, s)          over the instances x, or W(GI/G/k) where the queue is shared
    W grows by (a* − a₀)⁺/2 · ρ/(kμ(1 − ρ))     for bursts longer than a service  (planner.queueing.dispersion)

Under round robin and random the wait is at least that of one shared queue: tuples that wait beside an idle processor
never gain by it, and the approximations of the two do not know each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.arrays import ARRAYS, Counts, Floats, Indices
from planner.queueing.array_queues import log_erlang_b, weigh_operators
from planner.queueing.dispersion import Dispersions
from planner.queueing.erlang import STABILITY_MARGIN
from planner.queueing.key_shares import KeyShares
from planner.queueing.queueings import (
    KEYED,
    RANDOM,
    ROUND_ROBIN,
    Inflow,
    deal_in_turn,
    split_at_random,
    weigh_turns,
)
from planner.queueing.waiting_models import WAITING_MODELS, evaluate_variability
from planner.values import SHARED, IdcPoint, Model

Flags = NDArray[np.bool_]
CODES = {SHARED: 0, ROUND_ROBIN: 1, RANDOM: 2, KEYED: 3}
NO_CURVE = -1
MOST_VARIABLE = 1.25  # Whitt's factor of (a + s)/2 stays below


class Servers(NamedTuple):
    """Queues of one server each (or of `many`), of which an operator (`row`) has several: their part and their load.

    The arrivals at one have the variability constant + slope·I(t), or constant + slope·a without a curve.
    """

    row: Indices
    part: Floats
    rho: Floats
    constant: Floats
    slope: Floats
    curve: Indices


@dataclass(frozen=True)
class InstanceQueues:
    """Offered loads A = high + low, service rates, SCVs and inflows of several operators."""

    high: Floats
    low: Floats
    service_rate: Floats
    arrival_scv: Floats
    service_scv: Floats
    factor: Floats
    code: Indices
    senders: Floats
    curve: Indices
    shares: tuple[KeyShares | None, ...]
    curves: Dispersions
    curve_of_instance: tuple[Indices, ...]
    model: Model

    @classmethod
    def prepare(  # noqa: PLR0917 - one argument per column
        cls,
        split: tuple[Floats, Floats],
        service_rate: Floats,
        arrival_scv: Floats,
        service_scv: Floats,
        factor: Floats,
        inflows: Sequence[Inflow],
        model: Model,
    ) -> "InstanceQueues":
        """The operators in their order; a model without SCVs knows no bursts either."""
        uses_scvs = WAITING_MODELS[model].uses_scvs
        ones = np.ones_like(arrival_scv)
        measured: list[Sequence[IdcPoint]] = []

        def number(points: Sequence[IdcPoint]) -> int:
            if len(points) < 2 or not uses_scvs:
                return NO_CURVE
            measured.append(points)
            return len(measured) - 1

        curve = np.array([number(inflow.idc) for inflow in inflows], np.intp)
        of_instance = tuple(
            np.array([number(one.arrival_idc) for one in inflow.instances], np.intp) for inflow in inflows
        )
        return cls(
            *split,
            service_rate,
            arrival_scv if uses_scvs else ones,
            service_scv if uses_scvs else ones,
            factor,
            np.array([CODES[inflow.queueing] for inflow in inflows], np.intp),
            np.array([inflow.senders for inflow in inflows]),
            curve,
            tuple(KeyShares(inflow.instances) if inflow.instances else None for inflow in inflows),
            Dispersions.prepare(measured),
            of_instance,
            model,
        )

    def __len__(self) -> int:
        return len(self.high)

    def select(self, chosen: Indices) -> "InstanceQueues":
        """Some of the operators, in the order asked for, each as often as asked for."""
        columns = (
            "high",
            "low",
            "service_rate",
            "arrival_scv",
            "service_scv",
            "factor",
            "code",
            "senders",
            "curve",
        )
        picked = {name: getattr(self, name)[chosen] for name in columns}
        shares = tuple(self.shares[i] for i in chosen) if self.has_shares else self.shares
        of_instance = tuple(self.curve_of_instance[i] for i in chosen) if self.has_shares else ()
        return replace(self, **picked, shares=shares, curve_of_instance=of_instance)

    @cached_property
    def has_shares(self) -> bool:
        """Whether the shares of some operator's instances are measured."""
        return any(one is not None for one in self.shares)

    def is_stable(self, counts: Counts) -> Flags:
        """Which operators keep up, at their busiest instance too."""
        k = counts.astype(np.float64)
        stable = (k - self.high) - self.low > k * STABILITY_MARGIN
        for i in np.flatnonzero(self.code == CODES[KEYED]) if self.has_shares else ():
            shares = self.shares[i]
            if shares is not None:
                stable[i] &= shares.find_hottest(int(counts[i])) * self.high[i] < 1.0 - STABILITY_MARGIN
        return stable

    def wait_in_services(self, counts: Counts) -> Floats:
        """μW of operators that are stable."""
        k = counts.astype(np.float64)
        servers = self.list_servers(counts, k)
        own = self.wait_at_servers(servers)
        waits: Floats = np.zeros(len(k))
        np.add.at(waits, servers.row, servers.part * own)
        pooled = self.code == CODES[SHARED]
        dealt = (self.code == CODES[ROUND_ROBIN]) | (self.code == CODES[RANDOM])
        at = np.flatnonzero(pooled | (dealt & self.may_be_below_shared(waits, k)))
        if at.size:
            waits[at] = np.maximum(waits[at], self.select(at).wait_pooled(k[at]))
        return np.asarray(waits * self.factor)

    def may_be_below_shared(self, waits: Floats, k: Floats) -> Flags:
        """Where the wait could be below that of a shared queue, of which a bound is easily found."""
        bound = MOST_VARIABLE * (self.arrival_scv + self.service_scv) / 2.0 / ((k - self.high) - self.low)
        return np.asarray((waits < bound) | (self.curve != NO_CURVE))

    def list_servers(self, counts: Counts, k: Floats) -> Servers:
        """The queues of one server: one for all instances of an operator where they are alike."""
        alike = np.flatnonzero((self.code != CODES[SHARED]) & ~self.is_spread)
        groups = [self.list_alike(alike, k)]
        groups += [self.list_keyed(int(i), int(counts[i])) for i in np.flatnonzero(self.is_spread)]
        if len(groups) == 1:
            return groups[0]
        return Servers(*map(np.concatenate, zip(*groups, strict=True)))

    @cached_property
    def is_spread(self) -> Flags:
        """Where keys spread unevenly over the instances, as measured."""
        measured = [one is not None for one in self.shares] if self.has_shares else [False] * len(self)
        return np.asarray((self.code == CODES[KEYED]) & np.array(measured, dtype=bool))

    def list_alike(self, at: Indices, k: Floats) -> Servers:
        """Instances that all receive 1/k."""
        k = k[at]
        free = ((k - self.high[at]) - self.low[at]) / k
        turning = self.code[at] == CODES[ROUND_ROBIN]
        senders = np.where(turning, self.senders[at], 1.0)
        s, one = self.service_scv[at], np.ones(len(at))

        a = self.arrival_scv[at]
        known = np.where(turning, deal_in_turn(a, s, k, free, senders, ARRAYS), split_at_random(a, k))
        w = np.where(turning, 1.0 - weigh_turns(free, senders), 0.0)
        w = np.where(k == 1.0, 1.0, np.where(w * k >= 1.0, w, 0.0))  # else no more even than a random split
        curved = self.curve[at] != NO_CURVE
        constant = np.where(w > 0.0, 1.0 - w, 1.0 - 1.0 / k)
        slope = np.where(w > 0.0, w, 1.0) / k
        return Servers(
            at,
            one,
            1.0 - free,
            np.where(curved, constant, known),
            np.where(curved, slope, 0.0),
            self.curve[at],
        )

    def list_keyed(self, i: int, k: int) -> Servers:
        """Instances with their measured shares, and with their measured arrivals where k is what was measured."""
        shares = self.shares[i]
        assert shares is not None
        parts, numbers = shares.spread(k)
        constant, slope, curve = 1.0 - parts, parts, np.full(len(parts), self.curve[i])
        if self.curve[i] == NO_CURVE:
            constant, slope = 1.0 + parts * (self.arrival_scv[i] - 1.0), np.zeros(len(parts))
        if k == len(shares.instances) == len(parts) and WAITING_MODELS[self.model].uses_scvs:
            known = [one.arrival_scv for one in shares.instances]
            own = self.curve_of_instance[i]
            measured = np.array([np.nan if scv is None else scv for scv in known])
            has_scv = ~np.isnan(measured) & (own == NO_CURVE)
            constant = np.where(own != NO_CURVE, 0.0, np.where(has_scv, measured, constant))
            slope = np.where(own != NO_CURVE, 1.0, np.where(has_scv, 0.0, slope))
            curve = np.where(own != NO_CURVE, own, np.where(has_scv, NO_CURVE, curve))
        row = np.full(len(parts), i, np.intp)
        return Servers(row, parts * numbers, parts * self.high[i], constant, slope, curve.astype(np.intp))

    def wait_at_servers(self, servers: Servers) -> Floats:
        """μW of queues with one server."""
        s, free = self.service_scv[servers.row], 1.0 - servers.rho
        a, peak = self.see_servers(servers)
        lasting = np.maximum(peak - a, 0.0) / 2.0
        weights = weigh_operators(self.model, a, s)
        rho = np.maximum(servers.rho, np.finfo(float).tiny)
        v = evaluate_variability(weights, free / rho, np.ones(len(rho)), ARRAYS)
        return np.asarray((v + lasting) * servers.rho / free)

    def see_servers(self, servers: Servers) -> tuple[Floats, Floats]:
        """The variability of arrivals at each server, within one service and at the length that counts."""
        a = servers.constant.copy()
        peak = a.copy()
        at = np.flatnonzero(servers.curve != NO_CURVE)
        if at.size:
            row, curve = servers.row[at], servers.curve[at]
            constant, slope, mu = servers.constant[at], servers.slope[at], self.service_rate[row]
            free = 1.0 - servers.rho[at]
            a[at] = np.maximum(constant + slope * self.curves.at(curve, -np.log(mu)), 0.0)
            peak[at] = self.curves.find_lasting(curve, constant, slope, self.service_scv[row], free, mu)
        return a, peak

    def see_pooled(self, k: Floats) -> tuple[Floats, Floats]:
        """The variability of all arrivals together, within one service and at the length that counts."""
        a = self.arrival_scv.copy()
        peak = a.copy()
        at = np.flatnonzero(self.curve != NO_CURVE)
        if at.size:
            curve, mu = self.curve[at], self.service_rate[at]
            none, whole = np.zeros(len(at)), np.ones(len(at))
            free = ((k - self.high) - self.low)[at] / k[at]
            a[at] = self.curves.at(curve, -np.log(mu))
            peak[at] = self.curves.find_lasting(curve, none, whole, self.service_scv[at], free, k[at] * mu)
        return a, peak

    def find_burstiness(self, counts: Counts) -> Floats:
        """The index of dispersion of an operator's arrivals at the length that counts; 0 where it is not known."""
        k = counts.astype(np.float64)
        found = np.where((self.code == CODES[SHARED]) & (self.curve != NO_CURVE), self.see_pooled(k)[1], 0.0)
        servers = self.list_servers(counts, k)
        _, peak = self.see_servers(servers)
        known = (servers.curve != NO_CURVE) & (servers.slope > 0.0)
        raw = np.where(known, (peak - servers.constant) / np.where(known, servers.slope, 1.0), 0.0)
        np.maximum.at(found, servers.row, raw)
        return np.asarray(found)

    def waiting_probability(self, counts: Counts) -> Floats:
        """The part of tuples that wait: Erlang C where the queue is shared, else that of each instance."""
        k = counts.astype(np.float64)
        servers = self.list_servers(counts, k)
        a, _ = self.see_servers(servers)
        waiting: Floats = np.zeros(len(k))
        of_each = wait_at_all(a, self.service_scv[servers.row], servers.rho)
        np.add.at(waiting, servers.row, servers.part * of_each)
        at = np.flatnonzero(self.code == CODES[SHARED])
        slack = ((k - self.high) - self.low)[at]
        b = np.exp(log_erlang_b(k[at], self.high[at], slack))
        waiting[at] = k[at] * b / (slack + self.high[at] * b)
        return np.clip(waiting, 0.0, 1.0)

    def wait_pooled(self, k: Floats) -> Floats:
        """μW of a shared queue, before the measured factor."""
        slack = (k - self.high) - self.low
        a, peak = self.see_pooled(k)
        lasting = np.maximum(peak - a, 0.0) / 2.0
        b = np.exp(log_erlang_b(k, self.high, slack))
        v = evaluate_variability(
            weigh_operators(self.model, a, self.service_scv), slack / self.high, k, ARRAYS
        )
        calm = v * (k * b) / (slack * (slack + self.high * b))
        return np.asarray(calm + lasting * (self.high / k) / slack)


def wait_at_all(a: Floats, s: Floats, rho: Floats) -> Floats:
    """The probability that a tuple waits in GI/G/1: ρ + (a − 1)ρ(1 − ρ)·h (Krämer and Langenbach-Belz 1976).

    h = (1 + a + ρs)/(1 + ρ(s − 1) + ρ²(4a + s)) for a ≤ 1, else 4ρ/(a + ρ²(4a + s)).
    """
    square = rho * rho * (4.0 * a + s)
    smooth = (1.0 + a + rho * s) / np.maximum(1.0 + rho * (s - 1.0) + square, 1e-12)
    rough = 4.0 * rho / np.maximum(a + square, 1e-300)
    h = np.where(a <= 1.0, smooth, rough)
    return np.clip(rho + (a - 1.0) * rho * (1.0 - rho) * h, 0.0, 1.0)
