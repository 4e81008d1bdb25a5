"""The rules of a decision: one list, applied in order to the proposal of the policy's goal.

Each rule maps a case and a proposal to a proposal. The first three rules change the processors; the others hold the
change back, and the first rule that holds it back is the last one applied. docs/policies.md names the rules in this
order.

A scale-down goes to the largest number of processors that decisions of the last scale_down_window_seconds needed, as
with stabilizationWindowSeconds of Kubernetes:

    recommended = max( needed now, max { needed_j : decision j in the window } )    and no more than what runs
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from planner.allocation.allocate import allocate_budget
from planner.allocation.served import find_served, split_most
from planner.decisions.case import Case, Proposal, foresee, name_action
from planner.decisions.catch_up import (
    describe_bound,
    describe_needed,
    lift_counts,
    plan_catch_up,
)
from planner.decisions.goals.proposals import describe_optimum, propose
from planner.decisions.horizon import find_horizon, forecast_each_step
from planner.decisions.state_migration import Moves, keep_owners, plan_moves
from planner.decisions.wording import Reason, give_reason
from planner.errors import BoundTooSmall, BudgetTooSmall
from planner.gates.headroom import find_longer
from planner.situations.situation import scale_load
from planner.values import Estimate
from planner.wording import (
    UNBOUNDED,
    name_time,
    write_counted,
    write_percent,
    write_rate,
    write_seconds,
    write_signed_percent,
)

Rule = Callable[[Case, Proposal], Proposal]


def serve_most(case: Case, proposal: Proposal) -> Proposal:
    """Proposes the split that serves most of the load, if k_max is too small for it and this serves more than now."""
    k_max = case.policy.k_max
    if not proposal.is_over_budget or k_max is None or k_max < sum(case.running):
        return proposal
    stations = case.peak.stations
    counts = split_most(stations, k_max)
    if counts is None:
        return proposal
    before, after = find_served(stations, case.running), find_served(stations, counts)
    if sum(counts) <= sum(case.running) and after <= before * (1.0 + case.policy.least_gain):
        return proposal
    why = give_reason(
        "most-served",
        signal=case.signal_sentence,
        most=k_max,
        rate=write_rate(case.peak.load.external_rate),
        after=write_percent(min(after, 1.0)),
        before=write_percent(min(before, 1.0)),
    )
    return Proposal(counts, (why,), proposal.constraints, urgent=True)


def catch_up(case: Case, proposal: Proposal) -> Proposal:
    """Raises the proposal to at least the processors that work off the backlog in time, as far as k_max allows."""
    backlog, terms = case.backlog, case.question.catch_up
    if backlog is None or terms is None:
        return proposal
    k_max = case.policy.k_max
    planned = plan_catch_up(case.peak, backlog, terms.find_seconds(), k_max)
    limits = proposal.constraints
    if planned is None or planned.is_bounded:
        limits = (*limits, describe_bound(backlog, planned, terms))
    if planned is None:
        return replace(proposal, constraints=limits)
    floors = planned.floors
    is_short = any(floor > runs for floor, runs in zip(floors, case.running, strict=True))
    counts = proposal.counts
    if is_short or any(count < floor for count, floor in zip(counts, floors, strict=True)):
        # Processors are given up only after the backlog is gone, because the floors fall with every interval until
        # then. So a proposal of no more processors than run, if it is not urgent, counts as a proposal of the running
        # ones.
        grows = proposal.urgent or sum(counts) > sum(case.running)
        counts = lift_counts(counts if grows else case.running, floors, case.running, k_max)
        useful = case.peak.stations.settle_counts(counts)
        rows = zip(counts, useful, floors, strict=True)
        counts = [max(few, floor) if count >= floor else count for count, few, floor in rows]
    if counts == proposal.counts and not is_short:
        return replace(proposal, constraints=limits)
    return replace(
        proposal,
        counts=counts,
        reasons=(
            *proposal.reasons,
            describe_needed(case.peak, backlog, planned, case.running),
        ),
        constraints=limits,
        urgent=proposal.urgent or is_short,
        fewest=None,
        is_for_speed=proposal.is_for_speed and not is_short,
    )


def keep_wanted(case: Case, proposal: Proposal) -> Proposal:
    """Keeps in a scale-down as many processors as the decisions in the scale-down window needed."""
    before, total = case.question.wanted_before, sum(proposal.counts)
    if before is None or proposal.urgent or not total < before < sum(case.running):
        return proposal
    kept = add_best(case, proposal.counts, before)
    why = describe_window(case, proposal.counts, f"at least {sum(kept):,}")
    return replace(proposal, kept=kept, reasons=(*proposal.reasons, why))


def describe_window(case: Case, counts: Sequence[int], stay: str) -> Reason:
    """Returns the reason that more processors `stay`, as the scale-down window needed them: `counts` are enough now.

    For a target of E[T] it says E[T] with them, corrected as that of one processor fewer is.
    """
    rate, expected, correction = case.sized[0].load.external_rate, "", case.correction
    if case.policy.t_max_seconds is not None:
        own = correction.own if correction.is_own else None
        factor = correction.least_shared
        seconds, is_own = find_longer(scale_load(case.situation, rate), counts, counts, factor, own)
        time = name_time(is_corrected=is_own or factor != 1.0)
        expected = f" ({time}: {write_seconds(seconds, UNBOUNDED)})"
    return give_reason(
        "scale-down-window",
        total=sum(counts),
        rate=write_rate(rate),
        expected=expected,
        needed=case.question.wanted_then,
        window=write_seconds(case.policy.scale_down_window_seconds),
        stay=stay,
    )


def add_best(case: Case, counts: list[int], total: int) -> list[int]:
    """Returns `counts` raised to `total` processors, adding each one where it shortens E[T] most.

    If bounds forbid this, or some processors would shorten no wait, returns the running processors.
    """
    situation = case.ahead or case.peak
    stations = replace(situation.stations, min_processors=counts)
    try:
        added = allocate_budget(stations, total, situation.names).counts
    except (BoundTooSmall, BudgetTooSmall):  # the goal is out of reach within the bounds
        return case.running
    # The allocation leaves out processors that shorten no wait; then the running processors are kept.
    return added if sum(added) == total else case.running


def hold_at_optimum(case: Case, proposal: Proposal) -> Proposal:
    """Changes nothing if the proposed processors already run, or if bounds allow no others."""
    if proposal.recommended != case.running:
        return proposal
    if proposal.constraints:
        return proposal.hold()
    return proposal.hold(describe_optimum(case, proposal))


def hold_for_cooldown(case: Case, proposal: Proposal) -> Proposal:
    """Changes nothing if the last change is too recent, even if the target is missed."""
    left = case.cooldown_left_seconds
    if left <= 0.0:
        return proposal
    return proposal.hold(give_reason("cooldown", left=write_seconds(left)))


def hold_for_trigger(case: Case, proposal: Proposal) -> Proposal:
    """Changes nothing if the external rate has changed by less than `trigger` since the last change, and nothing is
    urgent.
    """
    change, trigger = case.rate_change, case.policy.trigger
    if proposal.urgent or change is None or abs(change) >= trigger:
        return proposal
    parts = {"change": write_signed_percent(change), "least": write_percent(trigger)}
    return proposal.hold(give_reason("trigger", **parts))


def hold_for_window(case: Case, proposal: Proposal) -> Proposal:
    """Changes nothing if a decision in the scale-down window needed as many processors as run."""
    before, running = case.question.wanted_before, sum(case.running)
    if not gives_up(case, proposal) or before is None or before < running:
        return proposal
    return proposal.hold(describe_window(case, proposal.counts, f"{running:,}"))


def hold_small_saving(case: Case, proposal: Proposal) -> Proposal:
    """Changes nothing if the change would give up a smaller part of the processors than the policy's `least_saving`."""
    running, least = sum(case.running), case.policy.least_saving
    saved = running - sum(proposal.recommended)
    if not gives_up(case, proposal) or saved / running >= least:
        return proposal
    is_kept = any(one.code == "scale-down-window" for one in proposal.reasons)
    where = "So" if is_kept else f"At {write_rate(case.sized[0].load.external_rate)}"
    few = f"{where} only {saved} of {running}"
    return proposal.hold(give_reason("saving-too-small", few=few, least=write_percent(least)))


def gives_up(case: Case, proposal: Proposal) -> bool:
    """Returns whether the proposed change would give up processors."""
    return not proposal.urgent and sum(proposal.recommended) < sum(case.running)


def hold_small_gain(case: Case, proposal: Proposal) -> Proposal:
    """Changes nothing if the change is for speed alone, and shortens E[T] by no more than the part `least_gain`."""
    if proposal.urgent or not proposal.is_for_speed:
        return proposal
    before = case.current.expected_sojourn_seconds
    after = case.assess(proposal.recommended).expected_sojourn_seconds
    if before is None or after is None or before - after > case.policy.least_gain * before:
        return proposal
    gain, many, running = before - after, sum(proposal.recommended), sum(case.running)
    why = give_reason(
        "gain-too-small",
        change=f"Another split of the {many:,} processors" if many == running else f"{many:,} processors",
        effect=f"shorten the estimated E[T] by {write_seconds(gain)} ({write_percent(gain / before)})"
        if gain > 0.0
        else "not shorten E[T]",
        rate=write_rate(case.situation.load.external_rate),
        least=write_percent(case.policy.least_gain),
    )
    return proposal.hold(why)


def hold_until_paid_back(case: Case, proposal: Proposal) -> Proposal:
    """Changes nothing if moving state would cost more waiting than a shorter E[T] saves before the next change.

    A change for a missed goal, or a change that gives up processors, is not held back.
    """
    question, counts = case.question, proposal.recommended
    moves = find_moves(case, case.assess(counts))
    proposal = replace(proposal, moves=moves)
    payback = moves.payback_seconds
    if question.history is None or not payback or proposal.urgent or gives_up(case, proposal):
        return proposal
    ahead = forecast_each_step(question.history, question.policy, len(counts))
    horizon = find_horizon(
        question.policy, ahead, lambda rate, seconds: decide_later(case, counts, rate, seconds)
    )
    proposal = replace(proposal, horizon=horizon)
    if horizon.seconds is None or payback <= horizon.seconds:
        return proposal
    parts = {
        "payback": write_seconds(payback),
        "horizon": write_seconds(horizon.seconds),
        "why": horizon.detail,
    }
    return proposal.hold(give_reason("payback", **parts))


def find_moves(case: Case, recommended: Estimate) -> Moves:
    """The state that moves where these processors run instead of the present ones."""
    states = keep_owners(case.policy.states, case.current, case.question.owners_left)
    return plan_moves(case.situation.topology, case.current, recommended, states)


def decide_later(case: Case, counts: list[int], external_rate: float, seconds: float) -> str | None:
    """Returns the change that would be decided `seconds` after a change to `counts`, at another external rate.

    The change is a clause of a sentence; None: nothing would be changed.
    """
    later = foresee(case, counts, external_rate, seconds)
    proposal = apply_rules(later, propose(later), RULES[:-1])
    if proposal.is_held:
        return None
    found, total = proposal.recommended, sum(proposal.recommended)
    if name_action(counts, found) == "rebalance":
        return f"split the {write_counted(total, 'processor')} another way"
    return f"run {write_counted(total, 'processor')} instead of {sum(counts):,}"


def apply_rules(case: Case, proposal: Proposal, rules: Sequence[Rule]) -> Proposal:
    """Applies the rules in order to the proposal, up to the first rule that holds the proposal back."""
    for rule in rules:
        if proposal.is_held:
            break
        proposal = rule(case, proposal)
    return proposal


RULES: tuple[Rule, ...] = (
    serve_most,
    catch_up,
    keep_wanted,
    hold_at_optimum,
    hold_for_cooldown,
    hold_for_trigger,
    hold_for_window,
    hold_small_saving,
    hold_small_gain,
    hold_until_paid_back,
)
RULES_OF_SHARES = tuple(rule for rule in RULES if rule not in (serve_most, catch_up, hold_at_optimum))
"""The rules for the share of a budget: those that would take more processors than the share are left out."""
