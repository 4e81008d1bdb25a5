"""The economic rule as a proposal: the processors that cost least, with the reasons in words.

The rule itself is planner.economics.choose. It needs the processors and the times of the newest intervals; without
them the rules of planner.decisions.rules decide.
"""

from collections.abc import Mapping

from planner.decisions.case import Case, Proposal
from planner.decisions.wording import Reason, give_reason
from planner.economics.choose import EconomicTerms, WeighedChoice, Why, choose
from planner.economics.history import History
from planner.targets.target import SojournTarget, place_seconds
from planner.wording import UNBOUNDED, write_number, write_percent, write_seconds

MINUTE = HOUR = 60.0
CODES: Mapping[Why, str] = {
    "best": "cheapest",
    "no-gain": "cheapest-runs",
    "patience": "saves-too-little-yet",
    "settling": "just-changed",
}


def decide_economically(case: Case, seen: History) -> tuple[WeighedChoice, Proposal] | None:
    """The choice of the economic rule and its proposal; None where the data ask for other rules."""
    policy, target = case.policy, case.policy.t_max_seconds
    if target is None:
        return None
    rates = [one.rate for one in seen.intervals]
    terms = EconomicTerms(
        target, policy.promise, policy.k_max, policy.change_pause_seconds, policy.late_minute_price
    )
    choice = choose(case.peak, seen, rates, terms)
    if choice is None:
        return None
    why = describe_place(case, target)
    if case.cooldown_left_seconds and not choice.is_overloaded:
        return choice, Proposal(case.running, (why, give_reason("just-changed")), is_held=True)
    reasons = (why, explain(choice), *describe_kept(choice, policy.promise))
    proposal = Proposal(list(choice.counts), reasons, urgent=choice.is_overloaded)
    return choice, proposal.hold() if proposal.counts == case.running else proposal


def describe_place(case: Case, target_seconds: float) -> Reason:
    """The reason that says whether the target is met now."""
    code, found, limit = place_seconds(SojournTarget(target_seconds), case.signal_seconds, None)
    if found == UNBOUNDED:
        return give_reason(code, "target-missed-overload", overload=case.signal_sentence, limit=limit)
    return give_reason(code, time=case.signal_title, found=found, limit=limit)


def explain(choice: WeighedChoice) -> Reason:
    """The reason for the processors of a choice."""
    best, minutes = choice.offers[0], choice.horizon_minutes
    return give_reason(
        CODES[choice.why],
        span="hour" if minutes == HOUR else write_seconds(MINUTE * minutes),
        counts=best.total,
        price=write_number(choice.price),
        cost=write_number(best.cost),
        running=write_number(choice.running.cost),
    )


def describe_kept(choice: WeighedChoice, promise: float) -> tuple[Reason, ...]:
    """The reason that says how much of the promise was kept; empty if no interval was judged."""
    kept = choice.kept
    if kept.share is None:
        return ()
    share, time = write_percent(kept.share), write_seconds(MINUTE * kept.minutes)
    return (give_reason("kept-so-far", share=share, time=time, promise=write_percent(promise)),)
