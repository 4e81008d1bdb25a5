"""Operators with bursts, or with a queue for each processor, side by side in arrays.

    W = Σ pₓ W(GI/G/1 at pₓλ, μ, a*ₓ, s)                              over the instances x
    W = W(GI/G/k at λ, μ, min(a*, a₀), s) + backlog·ρ/(kμ)              where the queue is shared

a₀ and a* are the dispersion of arrivals within one service, and at the length that counts (queueing/dispersion); a
burst longer than a service is not absorbed by pooling, but all processors work it off. Tuples of a batch wait for each
other (planner.queueing.queueings); so do bursts at queues that are hardly used, by (a* − 1)/(2μ), which plans count.
Under round-robin and random the wait is at least that of a shared queue: the two formulas are independent.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.arrays import ARRAYS, Counts, Floats, Indices
from planner.queueing.array_queues import log_erlang_b, weigh_operators
from planner.queueing.bursts.dispersion import NO_CURVE, Dispersions, Servers, View
from planner.queueing.erlang import (
    LEAST_LOAD,
    STABILITY_MARGIN,
    mmk_wait,
    split_offered_loads,
)
from planner.queueing.instances.key_shares import KeyShares
from planner.queueing.instances.scaling import slow_down
from planner.queueing.instances.single_servers import (
    Arrivals,
    KeyedMemo,
    Pooled,
    PreparedInflows,
    SingleServers,
    ease_waits,
    find_upstream,
    join_servers,
    view_alike,
    view_measured,
)
from planner.queueing.queueings import KEYED, RANDOM, ROUND_ROBIN, Batches, Flags, Inflow
from planner.queueing.waiting_models import MOST_VARIABLE, WAITING_MODELS, evaluate_variability
from planner.values import SHARED, Model, Scaling

CODES = {SHARED: 0, ROUND_ROBIN: 1, RANDOM: 2, KEYED: 3}
COLUMNS = (
    "high", "low", "service_rate", "arrival_scv", "service_scv", "factor", "code", "senders", "curve", "capacity",
    "running", "root_batch", "is_open", "measured_at", "carried", "servers", "is_by_tuple",
)  # fmt: skip


@dataclass(frozen=True)
class InstanceQueues:
    """Queues with bursts or one per processor, of several operators: offered loads A = high + low, rates, SCVs."""

    high: Floats
    low: Floats
    service_rate: Floats
    arrival_scv: Floats
    service_scv: Floats
    factor: Floats
    code: Indices
    senders: Floats
    curve: Indices
    capacity: Floats
    running: Floats
    root_batch: Floats
    is_open: Flags
    batches: Batches
    shares: tuple[KeyShares | None, ...]
    curves_of_instances: tuple[Indices, ...]
    measured_at: Counts
    carried: Floats
    has_shares: bool
    curves: Dispersions
    model: Model
    spread: KeyedMemo
    servers: Floats
    is_by_tuple: Flags
    scalings: tuple[Scaling | None, ...]
    is_bent: bool

    @classmethod
    def prepare(
        cls, columns: tuple[Floats, ...], inflows: Sequence[Inflow], model: Model, prepared: PreparedInflows
    ) -> "InstanceQueues":
        """The queues from λ, μ, SCVs and calibration factor of each operator, and from the inflows for the model."""
        arrival_rate, service_rate, arrival_scv, service_scv, factor = columns
        uses_scvs = WAITING_MODELS[model].uses_scvs
        ones = np.ones_like(arrival_scv)
        return cls(
            *split_offered_loads(arrival_rate, service_rate),
            service_rate,
            arrival_scv if uses_scvs else ones,
            service_scv if uses_scvs else ones,
            factor,
            np.array([CODES[inflow.queueing] for inflow in inflows], np.intp),
            np.array([inflow.senders for inflow in inflows]),
            prepared.curve,
            np.array([inflow.capacity for inflow in inflows]),
            np.array([inflow.running for inflow in inflows], np.float64),
            np.array([inflow.root_batch for inflow in inflows]),
            np.array([inflow.is_open for inflow in inflows], dtype=bool),
            Batches.prepare([inflow.batches for inflow in inflows]),
            prepared.shares,
            prepared.of_instances,
            np.array([len(inflow.instances) for inflow in inflows], np.int64),
            ones,
            any(one is not None for one in prepared.shares),
            prepared.curves,
            model,
            prepared.spread,
            np.array([inflow.concurrency for inflow in inflows], np.float64),
            np.array([inflow.is_by_tuple for inflow in inflows], dtype=bool),
            scalings := tuple(inflow.scaling for inflow in inflows),
            any(one is not None for one in scalings),
        )

    def carry_measured(self) -> "InstanceQueues":
        """The queues where the ratio of measured to share-based waits also holds at other numbers of instances."""
        if self.is_bent:
            straight = replace(self, scalings=(None,) * len(self), is_bent=False)
            return replace(self, carried=straight.carry_measured().carried)
        carried, counts = self.carried.copy(), np.maximum(self.measured_at, 1)
        with np.errstate(
            all="ignore"
        ):  # results of operators that cannot keep up are meaningless and left out
            measured, modelled = (self.sum_servers(counts, measured=flag) for flag in (True, False))
        at = np.flatnonzero((counts > 1) & (self.high >= LEAST_LOAD) & self.is_stable(counts))
        for i in [i for i in at.tolist() if self.shares[i] is not None]:
            carried[i] = measured[i] / modelled[i] if modelled[i] > 0.0 else 1.0
        return replace(self, carried=carried)

    def __len__(self) -> int:
        return len(self.high)

    def select(self, chosen: Indices) -> "InstanceQueues":
        """The queues of the operators `chosen`, in this order; an operator may appear several times."""
        if len(chosen) == len(self) and np.array_equal(chosen, np.arange(len(self))):
            return self
        picked = {name: getattr(self, name)[chosen] for name in COLUMNS}
        if self.has_shares:
            picked["shares"] = tuple(self.shares[i] for i in chosen)
            picked["curves_of_instances"] = tuple(self.curves_of_instances[i] for i in chosen)
        if self.is_bent:
            picked["scalings"] = tuple(self.scalings[i] for i in chosen)
        return replace(self, **picked, batches=self.batches.select(chosen), spread={})

    def bend(self, counts: Counts) -> "InstanceQueues":
        """The queues with the service rates that `counts` processors have."""
        if not self.is_bent:
            return self
        pairs = zip(self.scalings, counts.tolist(), strict=True)
        s = np.array([1.0 if one is None else slow_down(one, float(k)) for one, k in pairs])
        rates = self.high / s, self.low / s, self.service_rate * s
        columns = dict(zip(("high", "low", "service_rate"), rates, strict=True))
        return replace(self, **columns, scalings=(None,) * len(self), is_bent=False)

    @property
    def need(self) -> Floats:
        """The scale A√V of an operator's spare processors, with a queue each: A the offered load, V = (1 + s)/2."""
        return np.asarray(self.high * np.sqrt((1.0 + self.service_scv) / 2.0))

    def list_measured_keys(self) -> list[tuple[int, KeyShares]]:
        """The places and shares of the operators whose keys spread over the instances as measured."""
        if not self.has_shares:
            return []
        return [(i, shares) for i, shares in enumerate(self.shares) if shares is not None]

    def is_stable(self, counts: Counts) -> Flags:
        """Flags of the operators that keep up with `counts` processors, their busiest instance included."""
        if self.is_bent:
            return self.bend(counts).is_stable(counts)
        k = counts.astype(np.float64)
        stable = np.asarray((k - self.high) - self.low > k * STABILITY_MARGIN)
        for i, shares in self.list_measured_keys():
            stable[i] &= shares.find_hottest(int(counts[i])) * self.high[i] < 1.0 - STABILITY_MARGIN
        return stable

    def wait_in_services(self, counts: Counts) -> Floats:
        """The mean wait at each operator in units of one service; all operators must keep up with `counts`."""
        waits = self.wait_before_factor(counts)
        has_room = (self.high < 1.0 - STABILITY_MARGIN) & (counts > 1) & (self.code != CODES[SHARED])
        if (at := np.flatnonzero(has_room)).size:
            # Splitting very regular arrivals, at which one processor has hardly any wait, makes them irregular.
            waits[at] = np.minimum(waits[at], self.select(at).wait_before_factor(np.ones(len(at), np.int64)))
        return np.asarray(waits * self.factor)

    def wait_before_factor(self, counts: Counts) -> Floats:
        """The mean wait by the formulas in units of one service, before calibration factors multiply it."""
        k = counts.astype(np.float64)
        waits = self.sum_servers(counts)
        dealt = (self.code == CODES[ROUND_ROBIN]) | (self.code == CODES[RANDOM])
        at = np.flatnonzero((self.code == CODES[SHARED]) | (dealt & self.may_be_below_shared(waits, k)))
        if at.size:
            waits[at] = np.maximum(waits[at], self.select(at).wait_pooled(k[at]))
        return waits

    def sum_servers(self, counts: Counts, *, measured: bool = True) -> Floats:
        """The mean wait in services at operators with one-server queues, each weighted by its part of the arrivals."""
        k = counts.astype(np.float64)
        waits: Floats = np.zeros(len(k))
        singles = self.list_servers(counts, k, measured=measured)
        if len(singles.row):
            np.add.at(waits, singles.row, singles.part * self.wait_at_servers(singles, k))
        return waits

    def may_be_below_shared(self, waits: Floats, k: Floats) -> Flags:
        """Flags of operators whose wait may be below the wait of a shared queue, by a quick bound."""
        bound = MOST_VARIABLE * (self.arrival_scv + self.service_scv) / 2.0 / ((k - self.high) - self.low)
        return np.asarray((waits < bound) | (self.curve != NO_CURVE) | self.batches.part.any(axis=1))

    def list_servers(self, counts: Counts, k: Floats, *, measured: bool = True) -> SingleServers:
        """The one-server queues of the operators: a single entry for an operator whose instances are alike."""
        spread = self.list_measured_keys()
        is_alike = self.code != CODES[SHARED]
        is_alike[[i for i, _ in spread]] = False
        alike = np.flatnonzero(is_alike)
        arrivals = Arrivals(
            self.high * self.service_rate,
            self.high,
            self.arrival_scv,
            self.curve,
            self.senders,
            self.root_batch,
        )
        turning, keyed = ((self.code[alike] == CODES[name]).astype(float) for name in (ROUND_ROBIN, KEYED))
        groups = [view_alike(alike, k[alike], arrivals, turning, keyed)]
        keyed_groups = [(i, int(counts[i]), shares, self.curves_of_instances[i]) for i, shares in spread]
        groups += view_measured(keyed_groups, arrivals, self.spread, measured=measured)
        return join_servers(groups)

    def wait_at_servers(self, singles: SingleServers, k: Floats) -> Floats:
        """The mean wait at each one-server queue in units of one service."""
        row, (a, _) = singles.row, self.see_servers(singles)
        s, rho = self.service_scv[row], singles.share * self.high[row]
        spare = (1.0 - rho) / np.maximum(rho, np.finfo(float).tiny)
        busy = singles.share * np.maximum(self.high[row], 1.0)
        v = WAITING_MODELS[self.model].alone(a, s, (1.0 - busy) / busy, ARRAYS)
        at = np.flatnonzero(k[row] == 1.0)
        if at.size:  # one processor alone is a shared queue
            weights = weigh_operators(self.model, a[at], s[at])
            v[at] = evaluate_variability(weights, spare[at], np.ones(len(at)), ARRAYS)
        waits = v * rho / (1.0 - rho)
        at_once: Floats = np.zeros(len(rho))
        if self.batches.is_any:
            code, batches = self.code[row], self.batches.select(row)
            is_spread = (code == CODES[RANDOM]) | self.is_by_tuple[row]
            at_once = batches.find_at_one(k[row], singles.share, code == CODES[ROUND_ROBIN], is_spread)
            at_once *= (k[row] > 1.0) | (self.curve[row] != NO_CURVE)  # else one processor is a plain queue
        clustered = np.where((singles.view.curve != NO_CURVE) & self.is_open[row], a - 1.0, 0.0)
        waits += np.maximum(at_once, clustered) / 2.0
        waits *= ease_waits(self.servers[row], rho)
        if self.has_shares:
            waits *= np.where((k == 1.0) | (k == self.measured_at), 1.0, self.carried)[row]
        return np.asarray(waits)

    def see_servers(self, singles: SingleServers) -> tuple[Floats, Floats]:
        """The dispersion a* that decides at each one-server queue, and its operator's I(t*), or 0 if unknown."""
        a, level = singles.known.copy(), np.zeros(len(singles.row))
        at = np.flatnonzero(singles.view.curve != NO_CURVE)
        if at.size:
            row, share = singles.row[at], singles.share[at]
            mu = self.service_rate[row]
            upstream = find_upstream(self.capacity[row], self.running[row], singles.view.k[at]) * share / mu
            servers = Servers(mu, self.service_scv[row], 1.0 - share * self.high[row], upstream)
            a[at], level[at] = self.curves.look(singles.view.select(at)).find_lasting(servers)
        return a, level

    def see_pooled(self, k: Floats) -> Pooled:
        """The arrivals of each operator as its shared queue sees them."""
        near, level, backlog = self.arrival_scv.copy(), np.zeros(len(k)), np.zeros(len(k))
        lasting = near.copy()
        at = np.flatnonzero(self.curve != NO_CURVE)
        if at.size:
            mu, k, none, one = self.service_rate[at], k[at], np.zeros(len(at)), np.ones(len(at))
            free = ((k - self.high[at]) - self.low[at]) / k
            upstream = find_upstream(self.capacity[at], self.running[at], k) / (k * mu)
            servers = Servers(k * mu, self.service_scv[at], free, upstream)
            seen = self.curves.look(View(self.curve[at], none, one, none, self.high[at] * mu, one, one))
            near[at], backlog[at] = seen.near[:, 0], seen.find_backlog(servers)
            lasting[at], level[at] = seen.find_lasting(servers)
        return Pooled(near, lasting, level, backlog)

    def wait_pooled(self, k: Floats) -> Floats:
        """The mean wait of a shared queue in units of one service, before the measured factor."""
        slack = (k - self.high) - self.low
        near, lasting, _, backlog = self.see_pooled(k)
        n, load, spare = k * self.servers, self.high * self.servers, slack * self.servers
        b = np.exp(log_erlang_b(n, load, spare))
        a = np.where(n > 1.0, np.minimum(lasting, near), lasting)
        weights = weigh_operators(self.model, a, self.service_scv)
        v, rho = evaluate_variability(weights, spare / load, n, ARRAYS), self.high / k
        waits = v * mmk_wait(n, b, load, spare) * self.servers + np.where(n > 1.0, backlog, 0.0) * rho / k
        if self.batches.is_any:
            part = np.where(n > 1.0, rho, 1.0) * (self.curve != NO_CURVE)
            waits += self.batches.find_whole() / (2.0 * k) * part
        return np.asarray(waits)
