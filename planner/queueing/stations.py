"""The operators of a topology as queues: rates, SCVs, bounds, and waits by floats or by arrays."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from planner.arrays import Counts, Floats, Indices
from planner.queueing.array_queues import ArrayQueues
from planner.queueing.erlang import least_stable_processors, split_offered_load, waiting_probability
from planner.queueing.gain_curves import Curve, ScalarQueues, WaitBlocks, wait_or_inf
from planner.queueing.instances.instance_curves import (
    FAR,
    DealtCurve,
    DealtQueue,
    InstanceCurve,
    is_dealt,
)
from planner.queueing.instances.instance_queues import InstanceQueues
from planner.queueing.instances.key_shares import UNREACHABLE, KeyShares
from planner.queueing.instances.scaling import slow_down
from planner.queueing.instances.single_servers import PreparedInflows, prepare_inflows
from planner.queueing.instances.stair_curves import StairCurve, look_further
from planner.queueing.mixed_queues import MixedQueues, find_least_stable, find_waiting_probability
from planner.queueing.queueings import ERLANG, Inflow, forget_variability
from planner.queueing.waiting_models import WAITING_MODELS, VariabilityWeights, weigh_operator
from planner.values import DEFAULT_MODEL, Model

NO_BOUND = 2**53
"""max_processors of an operator without a bound: all integers up to it are exact as doubles."""
FEW_OPERATORS = 48
"""Up to this number of operators plain floats are faster than arrays."""


@dataclass(frozen=True)
class Stations:
    """The operators of a topology as queues under a load, in lists or arrays with one entry per operator."""

    arrival_rate: Sequence[float] | Floats
    service_rate: Sequence[float] | Floats
    arrival_scv: Sequence[float] | Floats
    service_scv: Sequence[float] | Floats
    min_processors: Sequence[int] | Counts
    max_processors: Sequence[int] | Counts
    model: Model = DEFAULT_MODEL
    inflows: Sequence[Inflow] | None = None
    """How tuples reach the processors of each operator; None: one queue each, and no bursts known."""
    wait_factors: Sequence[float] | None = None
    """Factors of modelled waits, found by calibration against measured ones; None: all are 1."""
    delays: Sequence[float] | None = None
    """The seconds that each visit takes beyond its wait and one service, by operator; None: all are 0."""
    prepared: dict[tuple[int, ...], tuple[Any, ...]] = field(default_factory=dict, repr=False, compare=False)
    """Results of prepare_inflows; `replace` keeps them, and each use checks that their inputs have not changed."""

    def __len__(self) -> int:
        return len(self.arrival_rate)

    @cached_property
    def curves(self) -> list[Curve]:
        """The curve of gains of each operator in plain floats, kept because curves remember computed gains."""
        drawn = self.draw_block_curves()
        return [drawn[i] if i in drawn else self.draw_curve(i) for i in range(len(self))]

    def draw_curve(self, i: int) -> Curve:
        """The curve of gains of an operator without known bursts, with a shared queue or with alike instances."""
        rate, mu, a, s, least = self.rows[i]
        queue = self.prepare_dealt(i)
        if queue is not None:
            return DealtCurve(queue, rate, mu, int(least))
        factor = 1.0 if self.wait_factors is None else self.wait_factors[i]
        return Curve(rate, mu, scale_weights(weigh_operator(self.model, a, s), factor), int(least))

    def prepare_dealt(self, i: int) -> DealtQueue | None:
        """The queue of an operator with alike instances; None if Erlang's formulas hold for the operator."""
        inflow = self.inflows[i] if self.inflows else ERLANG
        if inflow == ERLANG:
            return None
        _, _, a, s, _ = self.rows[i]
        factor = 1.0 if self.wait_factors is None else self.wait_factors[i]
        if not WAITING_MODELS[self.model].uses_scvs:
            inflow, a, s = forget_variability(inflow), 1.0, 1.0
        return DealtQueue(inflow, a, s, self.model, factor)

    def draw_block_curves(self) -> dict[int, Curve]:
        """The curves of operators with bursts or with measured instances, by their places in the topology."""
        general = self.list_blocked()
        if not general:
            return {}
        blocks = WaitBlocks(self.prepare_general(general))
        least = np.asarray(self.min_processors, np.int64)[general]
        floors = find_least_stable(blocks.queues, least).tolist()
        blocks.fill_exactly([(place, floor) for place, floor in enumerate(floors) if floor < FAR])
        drawn: dict[int, Curve] = {}
        for place, (i, floor) in enumerate(zip(general, floors, strict=True)):
            rate, most = float(self.arrival_rate[i]), int(self.max_processors[i])
            if self.inflows and (groups := self.inflows[i].groups) is not None:
                # An instance without a group serves nothing, also where a search asks what no bound would allow.
                most = min(most, groups.number)
            drawn[i] = (
                StairCurve(blocks, place, rate, floor, most)
                if i in self.grouped
                else InstanceCurve(blocks, place, rate, floor)
            )
        look_further([one for one in drawn.values() if isinstance(one, StairCurve)])
        return drawn

    @cached_property
    def grouped(self) -> frozenset[int]:
        """The places of the operators whose waits are stairs: with whole key groups, or with capacity that bends."""
        inflows = enumerate(self.inflows or ())
        return frozenset(i for i, inflow in inflows if inflow.groups or inflow.scaling is not None)

    def find_rates(self, counts: Sequence[int]) -> list[float]:
        """The service rate of each processor with so many of them, which falls where capacity bends."""
        rates = [float(mu) for mu in self.service_rate]
        for i, inflow in enumerate(self.inflows or ()):
            if inflow.scaling is not None:
                rates[i] *= float(slow_down(inflow.scaling, float(counts[i])))
        return rates

    def settle_counts(self, counts: Sequence[int]) -> list[int]:
        """The counts, with no more processors at operators with whole key groups than are useful there.

        With the largest useful count up to a given one, no more tuples wait. Counts that do not keep up stay.
        """
        settled = list(counts)
        for i in self.grouped:
            curve = self.curves[i]
            if isinstance(curve, StairCurve) and curve.floor <= curve.ceiling:
                settled[i] = curve.settle(settled[i])
        return settled

    def list_blocked(self) -> list[int]:
        """The places of the operators with bursts or with measured instances."""
        inflows = enumerate(self.inflows or ())
        return [i for i, inflow in inflows if inflow != ERLANG and not is_dealt(inflow)]

    def list_general(self) -> list[int]:
        """The places of the operators with bursts or with a queue for each processor."""
        return [i for i, inflow in enumerate(self.inflows or ()) if inflow != ERLANG]

    def list_least_stable(self, least: Sequence[int] | None = None) -> list[int]:
        """The fewest processors, `least` or more, that keep up at each operator; as for even shares if no number
        carries a hot key.
        """
        if least is None:
            least = [1] * len(self)
        rows = zip(self.arrival_rate, self.service_rate, least, strict=True)
        found = [max(least_stable_processors(float(rate), float(mu)), few) for rate, mu, few in rows]
        general = self.list_general()
        few = np.array([least[i] for i in general], np.int64)
        floors = find_least_stable(self.prepare_general(general), few).tolist() if general else []
        for i, floor in zip(general, floors, strict=True):
            if floor < UNREACHABLE:
                found[i] = floor
        return found

    def waiting_probability(self, counts: Sequence[int]) -> list[float]:
        """The part of the tuples that wait at each operator; all operators must be stable."""
        rows = zip(self.arrival_rate, self.service_rate, counts, strict=True)
        found = [waiting_probability(float(rate), float(mu), k) if rate else 0.0 for rate, mu, k in rows]
        general = [i for i in self.list_general() if self.arrival_rate[i]]
        if general:
            some = np.array([counts[i] for i in general], np.int64)
            known = find_waiting_probability(self.prepare_general(general), some)
            for i, value in zip(general, known.tolist(), strict=True):
                found[i] = value
        return found

    def prepare_general(self, chosen: Sequence[int], counts: Counts | None = None) -> InstanceQueues:
        """The queues of the operators `chosen`, none of them ERLANG; `counts` are the only counts that will
        be needed.
        """
        inflows, prepared = self.prepare_inflows(tuple(chosen))
        queues = InstanceQueues.prepare(self.pick_columns(chosen), inflows, self.model, prepared)
        measured = queues.measured_at
        is_known = counts is not None and np.all((measured == 0) | (counts == 1) | (counts == measured))
        return queues if is_known or not queues.has_shares else queues.carry_measured()

    def prepare_inflows(self, chosen: tuple[int, ...]) -> tuple[Sequence[Inflow], PreparedInflows]:
        """The inflows of the operators `chosen`, reduced to what the model uses; cached for all arrival rates."""
        known = (self.inflows, self.service_rate, self.arrival_scv, self.model)
        last, *found = self.prepared.get(chosen, ((),))
        if len(last) != len(known) or any(one is not other for one, other in zip(last, known, strict=True)):
            inflows = [(self.inflows or [ERLANG] * len(self))[i] for i in chosen]
            if not WAITING_MODELS[self.model].uses_scvs:  # without SCVs there are no bursts either
                inflows = [forget_variability(inflow) for inflow in inflows]
            rates = np.asarray(self.service_rate, np.float64)[list(chosen)]
            found = [inflows, prepare_inflows(inflows, rates)]
            self.prepared[chosen] = (known, *found)
        inflows, prepared = found
        return inflows, prepared

    def pick_columns(self, chosen: Sequence[int] | Indices) -> tuple[Floats, ...]:
        """Arrival rates, service rates, both SCVs and factors of waits of the operators `chosen`, in arrays."""
        factors = np.ones(len(self)) if self.wait_factors is None else self.wait_factors
        columns = self.arrival_rate, self.service_rate, self.arrival_scv, self.service_scv, factors
        return tuple([np.asarray(column, np.float64)[chosen] for column in columns])

    @cached_property
    def rows(self) -> list[tuple[float, ...]]:
        """Arrival rate, service rate, both SCVs and min_processors of each operator, as plain numbers."""
        rates, scvs = (self.arrival_rate, self.service_rate), (self.arrival_scv, self.service_scv)
        columns = (*rates, *scvs, self.min_processors)
        plain = (column.tolist() if isinstance(column, np.ndarray) else column for column in columns)
        return list(zip(*plain, strict=True))

    @cached_property
    def arrays(self) -> ArrayQueues | MixedQueues:
        """The queues of all operators together, in arrays."""
        is_general = np.array([inflow != ERLANG for inflow in self.inflows or [ERLANG] * len(self)])
        at = np.flatnonzero(~is_general)
        rate, mu, a, s, factor = self.pick_columns(at)
        erlang = ArrayQueues.prepare(
            rate, mu, a, s, self.model, None if self.wait_factors is None else factor
        )
        if len(at) == len(self):
            return erlang
        return MixedQueues.join(erlang, self.prepare_general(np.flatnonzero(is_general).tolist()), is_general)

    def wait_seconds(self, counts: Sequence[int]) -> Sequence[float] | Floats:
        """The mean wait at each operator in seconds, to the bit the same as from `queues`.

        One set of counts needs no curves of gains; existing curves are used.
        """
        if self.inflows is None or "curves" in self.__dict__:
            return self.queues.wait_seconds(counts)
        if len(self) > FEW_OPERATORS:
            return self.arrays.wait_seconds(counts)
        blocked = self.list_blocked()
        some = np.array([counts[i] for i in blocked], np.int64)
        known = wait_or_inf(self.prepare_general(blocked, some), some).tolist() if blocked else []
        waits = dict(zip(blocked, known, strict=True))
        return [waits[i] if i in waits else self.wait_alone(i, counts[i]) for i in range(len(self))]

    def wait_alone(self, i: int, k: int) -> float:
        """The mean wait in seconds with k processors at an operator without known bursts or measured instances."""
        rate, mu, *_ = self.rows[i]
        queue = self.prepare_dealt(i)
        if queue is None:
            return self.draw_curve(i).wait_seconds(k)
        return queue.wait_in_services(*split_offered_load(rate, mu), k) / mu

    def list_shares(self) -> list[KeyShares | None]:
        """The shares of each operator's instances; None where all processors serve equal parts of the tuples."""
        general = self.list_general()
        shares = self.prepare_inflows(tuple(general))[1].shares if general else ()
        found = dict(zip(general, shares, strict=True))
        return [found.get(i) for i in range(len(self))]

    def list_capacities(self, counts: Sequence[int]) -> list[float]:
        """The tuples per second that each operator can serve: its busiest instance is the first at its limit."""
        rows = zip(self.find_rates(counts), self.list_shares(), counts, strict=True)
        return [mu * k if shares is None else mu / shares.find_hottest(k) for mu, shares, k in rows]

    def find_queue_waits(self, waits: Sequence[float], counts: Sequence[int]) -> list[float]:
        """The waits without what services take longer where capacity bends, which sums of E[T] count as a wait."""
        rows = zip(waits, self.find_rates(counts), self.service_rate, strict=True)
        return [wait if rate == mu else wait - (1.0 / rate - 1.0 / float(mu)) for wait, rate, mu in rows]

    def find_utilisations(self, counts: Sequence[int]) -> list[float]:
        """The utilisation of the busiest instance of each operator; above 1 it cannot keep up."""
        rows = zip(self.arrival_rate, self.list_capacities(counts), strict=True)
        return [float(rate) / capacity for rate, capacity in rows]

    def add_delays(self, waits: Sequence[float] | Floats) -> Sequence[float] | Floats:
        """What each visit takes beyond one service: its wait and its delay."""
        if self.delays is None:
            return waits
        if isinstance(waits, np.ndarray):
            return np.add(waits, self.delays)
        return [wait + delay for wait, delay in zip(waits, self.delays, strict=True)]

    def find_next_gains(self, counts: Sequence[int]) -> tuple[list[float], list[float]]:
        """The mean wait at each operator, and the waiting tuples that one processor more saves, λ(W(k) − W(k+1)).

        An operator that cannot keep up gains 0.
        """
        waits = [float(wait) for wait in self.wait_seconds(counts)]
        after = [float(wait) for wait in self.wait_seconds([k + 1 for k in counts])]
        rows = zip(self.arrival_rate, waits, after, strict=True)
        return waits, [
            float(rate) * max(here - later, 0.0) if here < inf else 0.0 for rate, here, later in rows
        ]

    @cached_property
    def queues(self) -> ScalarQueues | ArrayQueues | MixedQueues:
        """The queues of all operators in plain floats or in arrays, as is faster for their number.

        Arrays of gains have no stairs, so whole key groups are planned in plain floats.
        """
        return ScalarQueues(self.curves) if len(self) <= FEW_OPERATORS or self.grouped else self.arrays


def scale_weights(weights: VariabilityWeights, factor: float) -> VariabilityWeights:
    """The weights of the factor of waits multiplied by `factor`, which is 1 for most operators."""
    return weights if factor == 1.0 else weights.scale(factor)
