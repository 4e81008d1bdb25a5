"""Which keys move when stateful operators change their processors, how long that takes, and when it has paid back.

    RT = max_j (S/(k*·ce_j) + S/(k*·tr_j))            repartitioning time, eq. 25
    SR = CI · max_j max(IR_j/er_j, IR_j/μ_j)          repair time after a failure, eq. 26

While an operator's state is repartitioned its tuples wait, half of RT on average:

    cost = Σ λᵢ RTᵢ²/2                                tuple-seconds, over the operators whose state moves
    gain = λ0 (E[T] now − E[T] then)                  tuple-seconds per second
    payback = cost / gain

The numbered equations stand in Es-Stream, V-C. Neither Es-Stream nor DRS (section IV-C) compares cost and gain.

Keys are hashed into key groups, and each group has one instance. The paper maps by hash modulo k, which moves nearly
all keys when k changes; here instances keep their groups, up to an even share.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from planner.errors import InvalidState, escape_pointer
from planner.values import Estimate, Topology


@dataclass(frozen=True, slots=True)
class State:
    """The state of one operator, in key groups, and the rates at which instances repartition and send it.

    A single rate holds for all instances. `owners`: the instance that has each key group; None: even ranges in order,
    as Flink assigns them.
    """

    key_groups: int
    size_bytes: float = 0.0
    computing_bytes_per_second: tuple[float, ...] = ()
    bandwidth_bytes_per_second: tuple[float, ...] = ()
    checkpoint_interval_seconds: float | None = None
    replay_rate: float | None = None
    owners: tuple[int, ...] | None = None


class OwnersLeft(NamedTuple):
    """The instance that had each key group after the last change, and how many instances there were then."""

    instances: int
    owners: tuple[int, ...]


class KeyRangeMove(NamedTuple):
    """Key groups first..last move from one instance to another; instances count from 0."""

    first: int
    last: int
    source: int
    target: int


@dataclass(frozen=True, slots=True)
class Migration:
    """The key groups that a change from `before` to `after` instances moves; a time of None is unknown."""

    before: int
    after: int
    moves: tuple[KeyRangeMove, ...]
    owners: tuple[int, ...]
    moved_key_groups: int
    moved_share: float
    repartition_seconds: float | None
    repair_seconds: float | None


@dataclass(frozen=True)
class Moves:
    """The key groups that a change moves, by operator, with the cost of moving and the time until the change has paid
    back.

    None: the cost is unknown, or the change never pays back.
    """

    migrations: Mapping[str, Migration]
    cost_tuple_seconds: float | None
    payback_seconds: float | None


def plan_moves(topology: Topology, before: Estimate, after: Estimate, states: Mapping[str, State]) -> Moves:
    """Returns the moves of state from the processors of the estimate `before` to those of the estimate `after`."""
    migrations: dict[str, Migration] = {}
    cost: float | None = 0.0
    for operator, now, then in zip(topology.operators, before.operators, after.operators, strict=True):
        if now.processors == then.processors:
            continue
        state = states.get(now.name)
        if state is None:
            # The state of a stateful operator moves even if the policy does not describe it; then the cost is unknown.
            cost = None if operator.stateful else cost
            continue
        try:
            migration = plan_migration(
                state, now.processors, then.processors, then.arrival_rate, then.service_rate
            )
        except InvalidState as error:
            pointer = f"/{escape_pointer(now.name)}{error.pointer}"
            raise InvalidState(f"Operator {now.name!r}: {error.detail}", pointer) from error
        migrations[now.name] = migration
        if migration.repartition_seconds is None or cost is None:
            cost = None
        else:
            cost += then.arrival_rate * migration.repartition_seconds**2 / 2.0
    return Moves(migrations, cost, find_payback(before, after, cost))


def find_payback(before: Estimate, after: Estimate, cost_tuple_seconds: float | None) -> float | None:
    """Returns the seconds until a shorter E[T] has saved as much waiting as the change costs; None: unknown or never.

    Returns 0 if an operator cannot keep up now.
    """
    now, then = before.expected_sojourn_seconds, after.expected_sojourn_seconds
    if cost_tuple_seconds is None or then is None:
        return None
    if cost_tuple_seconds == 0.0 or now is None:
        return 0.0
    gain = before.external_rate * (now - then)
    return cost_tuple_seconds / gain if gain > 0.0 else None


def plan_migration(
    state: State, before: int, after: int, arrival_rate: float, service_rate: float
) -> Migration:
    """Returns the fewest key groups that must move so that `after` instances instead of `before` have even shares.

    Instances numbered `after` and above are given up.
    """
    owners = list_owners(state, before)
    settled, moves = repartition(owners, after)
    moved = sum(move.last - move.first + 1 for move in moves)
    return Migration(
        before=before,
        after=after,
        moves=tuple(moves),
        owners=tuple(settled),
        moved_key_groups=moved,
        moved_share=moved / state.key_groups,
        repartition_seconds=repartition_seconds(state, before, after) if moved else 0.0,
        repair_seconds=repair_seconds(state, after, arrival_rate, service_rate),
    )


def keep_owners(
    states: Mapping[str, State], current: Estimate, left: Mapping[str, OwnersLeft]
) -> Mapping[str, State]:
    """The states with the owners of key groups as the last change left them, where as many instances still run."""
    known = dict(states)
    for one in current.operators:
        state, last = states.get(one.name), left.get(one.name)
        if state and last and last.instances == one.processors and len(last.owners) == state.key_groups:
            known[one.name] = replace(state, owners=last.owners)
    return known


def list_owners(state: State, instances: int) -> list[int]:
    """Returns the instance that has each key group now, for a number of instances.

    Without known owners, group number g belongs to instance ⌊g × instances / groups⌋.
    """
    if state.owners is None:
        return [group * instances // state.key_groups for group in range(state.key_groups)]
    if len(state.owners) != state.key_groups or not all(0 <= one < instances for one in state.owners):
        raise InvalidState(
            f"owners must name one of the {instances} instances (0 to {instances - 1}) for each of the "
            f"{state.key_groups} key groups: it names {len(state.owners)}.",
            "/owners",
        )
    return list(state.owners)


def repartition(owners: Sequence[int], after: int) -> tuple[list[int], list[KeyRangeMove]]:
    """Returns the instance of each key group after a change to `after` instances, and the ranges of groups that move.

    Every instance ends with ⌊G/k'⌋ or ⌈G/k'⌉ of G groups, for k' instances. The larger shares go to the instances with
    most groups now. Only groups above a share move, and their number is then the least possible.
    """
    held: list[list[int]] = [[] for _ in range(max(after, *owners, 0) + 1)]
    for group, owner in enumerate(owners):
        held[owner].append(group)
    share, larger = divmod(len(owners), after)
    by_holding = sorted(range(after), key=lambda instance: -len(held[instance]))
    quotas = [share] * after
    for instance in by_holding[:larger]:
        quotas[instance] += 1
    surplus = [
        (group, instance)
        for instance, groups in enumerate(held)
        for group in groups[quotas[instance] if instance < after else 0 :]
    ]
    settled = list(owners)
    moves: list[KeyRangeMove] = []
    waiting = iter(sorted(surplus))
    for target in range(after):
        for _ in range(quotas[target] - len(held[target])):
            group, source = next(waiting)
            settled[group] = target
            last = moves[-1] if moves else None
            if last and (last.last, last.source, last.target) == (group - 1, source, target):
                moves[-1] = KeyRangeMove(last.first, group, source, target)
            else:
                moves.append(KeyRangeMove(group, group, source, target))
    return settled, moves


def repartition_seconds(state: State, before: int, after: int) -> float | None:
    """Returns the time for which the state of an operator moves from `before` to `after` instances; None: unknown.

    The formula is RT = max_j (S/(k*·ce_j) + S/(k*·tr_j)) over the k* instances that hold the state (eq. 25): S is its
    size, and ce_j and tr_j are the rates at which instance j repartitions and sends bytes.
    """
    if not state.computing_bytes_per_second or not state.bandwidth_bytes_per_second:
        return None
    part = state.size_bytes / after
    computing = spread_rates(state.computing_bytes_per_second, before, "computing_bytes_per_second")
    bandwidth = spread_rates(state.bandwidth_bytes_per_second, before, "bandwidth_bytes_per_second")
    return max(part / ce + part / tr for ce, tr in zip(computing, bandwidth, strict=True))


def repair_seconds(state: State, instances: int, arrival_rate: float, service_rate: float) -> float | None:
    """Returns the time that an instance with an even share of the tuples needs to catch up after a failure; None:
    unknown.

    The formula is SR = CI·max(IR/er, IR/μ) (eq. 26): CI is the time between checkpoints, IR = λ/k the arrival rate of
    one of k instances, er the rate of reading tuples again, and μ the service rate.
    """
    if state.checkpoint_interval_seconds is None:
        return None
    rate = arrival_rate / instances
    slowest = service_rate if state.replay_rate is None else min(service_rate, state.replay_rate)
    return state.checkpoint_interval_seconds * rate / slowest


def spread_rates(rates: Sequence[float], instances: int, field: str) -> Sequence[float]:
    """One rate for each instance: a single rate holds for all instances, and `field` names the rates in an error."""
    if len(rates) == 1:
        return list(rates) * instances
    if len(rates) != instances:
        raise InvalidState(
            f"{field} has {len(rates)} values for {instances} instances: give one for each, or one for all.",
            f"/{field}",
        )
    return rates
