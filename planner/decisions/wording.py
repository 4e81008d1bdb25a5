"""The sentences of decisions: a table with a sentence for the code of each reason, and the verdict.

A sentence names no field of a policy and no code: the code stands beside it, for machines. `{...}` are texts that
planner.wording has written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from planner.errors import BoundTooSmall, BudgetTooSmall, PlannerError, QuantileUnreachable, TargetUnreachable
from planner.values import TimeTarget
from planner.wording import (
    join_counts,
    write_counted,
    write_level,
    write_rate,
    write_seconds,
    write_seconds_apart,
    write_seconds_change,
)

SENTENCES: Mapping[str, str] = {
    # The goal.
    "target-missed": "{time} is {found}, above the target of {limit}.",
    "target-missed-overload": "{overload} The target is {limit}.",
    "within-target": "{time} is {found}, within the target of {limit}.",
    "below-t-min": "{time} is {found}, below the lower limit of {limit}: fewer processors may be enough.",
    "below-t-min-now": "{time} is {found}, below the lower limit of {limit} now.",
    "ahead-of-load": "The rate may rise to {rate} before the next change is possible, and what runs is too little for "
    "that: {enough}.",
    "target-on-a-draw": "Each number of processors was tried on the same {roots} external tuples, drawn at random.",
    "too-busy": "At {rate} the busiest instance is one of {operator}, at {share} of its capacity: {limit}.",
    "room-enough": "At {rate} the busiest instance is one of {operator}, at {share} of its capacity: {limit}.",
    "room-to-spare": "{names} would have enough with fewer processors.",
    "within-the-band": "Fewer processors would be enough now. They are given up only where the busiest instance would "
    "stay within {band} of its capacity, so that small changes of the rate change nothing.",
    "no-more-room": "The bounds on processors, or a hot key, leave the busiest instance of {operator} at {share} of "
    "its capacity.",
    "no-fewer": "With fewer than {total} processors the target would be missed at {rate}.",
    "best-split": "{signal} The best split of the {total} processors that the policy allows is {counts}.",
    "tradeoff": "The policy weighs processors against waiting tuples. By its weights the best numbers are {counts}.",
    "planned-ahead": "The processors are planned for {planned}/s, the highest rate that the forecast expects; "
    "{measured}/s come in now.",
    # Measured waits.
    "model-corrected": "Over {intervals} tuples waited {factor} as long as the model says. The recommended number of "
    "processors allows for that.",
    "model-corrected-own": "Over {intervals} tuples waited {factor} as long as the model says for one queue that all "
    "processors of an operator share, and {own_factor} as long as it says for a queue at each processor. The "
    "recommended number of processors allows for {chosen}.",
    "waiting-is-not-it": "In {intervals} with these processors tuples hardly waited, and E[T] was above the target "
    "all the same. More processors would not help.",
    "enough-by-now": "By the waits that were measured, the processors that run would take {expected} at {rate}. The "
    "target was missed with other processors or at a higher rate.",
    "model-contradicted": "The model says that the processors that run are enough, but the target is missed and no "
    "waits were measured. One more processor would show whether waiting is the cause.",
    # The economic rule.
    "cheapest": "Over the next {span} {counts} processors cost least: {cost} processor-minutes, where a late minute "
    "counts as much as {price} of them. What runs would cost {running}.",
    "cheapest-runs": "Over the next {span} no other number of processors costs so much less that a change would pay.",
    "saves-too-little-yet": "{counts} processors would cost less, but what they would have saved since the last change "
    "does not pay for a change yet.",
    "just-changed": "A change was decided just now, and too little was measured since to judge its effect.",
    "kept-so-far": "E[T] was within the target for {share} of the last {time}; {promise} is promised.",
    # Limits.
    "k_max": "The target needs {total} processors, and the policy allows {most}. The best split of {most} misses the "
    "target.",
    "k_max-full": "The policy allows no more than {most} processors.",
    "most-served": "{signal} The {most} processors that the policy allows are too few for {rate}: their best "
    "split serves {after} of the tuples, and what runs serves {before}.",
    "brought-nothing": "{change} So no more than {most} are planned there, until another revision is stored.",
    # The backlog.
    "catch-up": "{waiting} tuples wait. To work them off within {within} takes at least {counts} processors.",
    "catch-up-bounded": "The {waiting} tuples that wait take {seconds} to work off, longer than the {left} that the "
    "policy leaves for that: the bounds on processors, or the time of one service, allow no less.",
    "catch-up-impossible": "{waiting} tuples wait, and no number of processors within the bounds works them off.",
    # Why a change is smaller, or held back.
    "scale-down-window": "{total} processors would be enough at {rate}{expected}. {needed} The policy keeps processors "
    "for {window} after they were needed, so {stay} stay.",
    "at-optimum": "The processors that run are already the best ones for the policy's goal.",
    "at-optimum-within": "{lower}{split}.",
    "cooldown": "The last change is too recent. The next one is possible in {left}.",
    "trigger": "The rate has changed by {change} since the last change. The policy acts on changes of {least} or more.",
    "saving-too-small": "{few} processors could be taken away. The policy changes nothing for fewer than {least}.",
    "gain-too-small": "{change} would {effect} at {rate}. Where a shorter E[T] is all that a change brings, the policy "
    "makes it only if E[T] falls by more than {least}.",
    "excluded": "The policy excludes this time from changes.",
    "max-step": "One change multiplies the processors of an operator by at most {up} and at least {down}: the rest "
    "follows.",
    "schedule": "A schedule of the policy asks for at least {counts} now.",
    "payback": "While state moves, tuples wait: a shorter E[T] makes up for that after {payback}. That is later than "
    "{horizon}, for which the change is expected to last. {why}",
}
"""The sentence of each code; a code with a second sentence has a second row, with a suffix."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A code and a sentence: one reason for the decision, or one bound that limits it."""

    code: str
    detail: str


def give_reason(code: str, sentence: str = "", **parts: object) -> Reason:
    """Returns the reason with this code, and the sentence of the row `sentence` (by default the code) with its parts
    filled in.
    """
    return Reason(code, SENTENCES[sentence or code].format(**parts))


def describe_ahead(external_rate: float, total: int, constraints: Sequence[Reason]) -> Reason:
    """The reason that the running processors are too few for a coming rate, for which `total` processors are needed."""
    enough = f"{total} processors are all that the bounds allow" if constraints else f"{total} are needed"
    return give_reason("ahead-of-load", rate=write_rate(external_rate), enough=enough)


def describe_lower_limit(t_min_seconds: float | None) -> str:
    """A clause on when a policy takes processors away while its target is met."""
    if t_min_seconds is None:
        return "the policy takes no processors away, as it has no lower limit of E[T]"
    return f"the policy takes processors away only below its lower limit of {write_seconds(t_min_seconds)}"


def describe_overload(time: str, measured_seconds: float | None) -> str:
    """A sentence on a time that has no limit by the estimate, beside the measured one."""
    measured = "" if measured_seconds is None else f"; {write_seconds(measured_seconds)} were measured"
    return f"By the estimate an operator cannot keep up, so {time} grows without limit{measured}."


LIMITS = (
    (BudgetTooSmall, "k_max"),
    (BoundTooSmall, "max_processors"),
    (QuantileUnreachable, "target"),
    (TargetUnreachable, "t_max_seconds"),
)


def describe_limit(error: PlannerError) -> Reason:
    """Returns the reason that names the bound because of which there is no answer."""
    code = next(code for kind, code in LIMITS if isinstance(error, kind))
    return Reason(code, str(error))


MOST_LISTED = 10
"""The operators that a verdict names; of others it says how many there are."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """The time E[T] now and with the recommended processors at the `rate`, and the target; None: an operator cannot
    keep up.

    `is_measured`: E[T] now is measured. E[T] of the recommended processors is always an estimate.
    """

    now_seconds: float | None
    then_seconds: float | None
    target: TimeTarget | None
    rate: float
    is_measured: bool = False


def describe_verdict(running: Mapping[str, int], recommended: Mapping[str, int], outlook: Outlook) -> str:
    """Returns the verdict of a decision: the processors to run, and the effect on E[T].

    An example is `Run 28 processors instead of 32: parse 4, score 13. E[T] is 180 ms (measured) and would be 208 ms
    (expected), both at 158/s; the target is 350 ms.`
    """
    return f"{describe_change(running, recommended)} {describe_effect(running, recommended, outlook)}"


def describe_change(running: Mapping[str, int], recommended: Mapping[str, int]) -> str:
    """Returns a sentence on the processors to run, with the operators whose number of processors changes."""
    before, after = sum(running.values()), sum(recommended.values())
    changed = [(name, recommended[name]) for name, count in running.items() if recommended[name] != count]
    if not changed:
        return f"Keep the {write_counted(before, 'processor')} that run."
    counts = join_counts(changed, MOST_LISTED)
    if before == after:
        return f"Split the {write_counted(before, 'processor')} another way: {counts}."
    return f"Run {write_counted(after, 'processor')} instead of {before:,}: {counts}."


def describe_effect(running: Mapping[str, int], recommended: Mapping[str, int], outlook: Outlook) -> str:
    """Returns a sentence on how the recommended processors change E[T], and on the target."""
    now, then, rate = outlook.now_seconds, outlook.then_seconds, write_rate(outlook.rate)
    kind = "measured" if outlook.is_measured else "estimated"
    if running == recommended:
        kept = "" if now is None else f"E[T] is {write_seconds(now)} ({kind}, at {rate})"
        text = kept or f"They cannot keep up with {rate}"
    elif then is None:
        text = f"They cannot keep up with {rate} either"
    elif now is None:
        text = f"Those that run cannot keep up with {rate}; E[T] would be {write_seconds(then)}"
    elif outlook.is_measured:
        before, after = write_seconds_apart(now, then)
        text = f"E[T] is {before} (measured) and would be {after} (expected), both at {rate}"
    else:
        text = f"E[T] would go {write_seconds_change(now, then)} (both estimated, at {rate})"
    return f"{text}{describe_target(outlook.target)}."


def describe_target(target: TimeTarget | None) -> str:
    """Returns the target as the end of a sentence; the text is empty if there is no target."""
    if target is None:
        return ""
    return f"; the target is {write_target(target)}"


def write_target(target: TimeTarget) -> str:
    """Returns the limit of a target, and what it limits unless that is E[T], as in `1 s for p99`."""
    limit = write_seconds(target.seconds)
    if target.is_expected_sojourn:
        return limit
    level = "the mean" if target.quantile is None else write_level(target.quantile)
    return f"{limit} for {level}{' of the time to completion' if target.of == 'completion' else ''}"


DIFFERENCES: Mapping[str, str] = {
    "forecast": "it is made for {rate}, to which the rate may rise before the next change is possible",
    "newest": "it is made for {rate}, the rate of the newest snapshot",
    "smoothed": "it was made at {rate}",
    "model-corrected": "it allows for waits as they were measured",
    "within-target": "it takes processors away only where E[T] is below the policy's lower limit",
    "scale-down-window": "it keeps processors for some time after they were needed",
    "catch-up": "it works off the tuples that wait",
    "cooldown": "the last change is too recent for another",
    "trigger": "the rate has changed too little for a change",
    "saving-too-small": "too few processors would be saved",
    "gain-too-small": "E[T] would gain too little",
    "payback": "moving state would not pay back in time",
    "last-change-unseen": "it waits for the last change, which measurements do not show yet",
    "cheapest": "it weighs processors against late minutes at the rates that may come",
    "cheapest-runs": "no other number costs so much less, late minutes included, that a change would pay",
    "saves-too-little-yet": "fewer would save too little since the last change",
    "just-changed": "a change was decided just now",
}
"""Why a decision has another number of processors than the fewest for its target, by the code that says so."""


WEIGHED = {"cheapest", "cheapest-runs", "saves-too-little-yet", "just-changed"}
"""The codes of a rule that weighs cost: its number of processors is for no single rate."""


@dataclass(frozen=True, slots=True)
class DecidedNumber:
    """The number of processors that a decision recommends, the rate and the target for which it does, and its codes.

    The codes are the source of the rate and the reasons.
    """

    total: int
    rate: float
    codes: Sequence[str]
    needed: int | None = None
    target: TimeTarget | None = None


def describe_difference(planned_total: int, planned_rate: float, decided: DecidedNumber) -> str:
    """Returns why a plan of the fewest processors differs from a decision; the text is empty if both have as many."""
    if planned_total == decided.total:
        return ""
    rate, at = write_rate(decided.rate), write_rate(planned_rate)
    codes = decided.codes[1:] if rate == at else decided.codes
    clauses = list_clauses(codes, rate)
    why = ", and ".join(clauses or ["it rests on earlier measurements"])
    plan = f"The {write_counted(planned_total, 'processor')} planned here are the fewest for {at}."
    text = f"{plan} The decision recommends {decided.total:,}: {why}."
    is_kept = "scale-down-window" in codes and decided.needed is not None
    return f"{text} At {rate} {decided.needed:,} would be enough." if is_kept else text


def list_clauses(codes: Sequence[str], rate: str) -> list[str]:
    """Returns the clauses of DIFFERENCES for these codes, each once; the first code is the source of the rate."""
    if WEIGHED & set(codes):
        codes = [one for one in codes if one in WEIGHED]
    return [DIFFERENCES[code].format(rate=rate) for code in dict.fromkeys(codes) if code in DIFFERENCES]


def describe_other_terms(external_rate: float, t_max_seconds: float | None, decided: DecidedNumber) -> str:
    """Returns sentences on the terms of a decision and of a what-if that has other terms than the decision."""
    rate = write_rate(decided.rate)
    looked = {
        "forecast": f"{rate}, to which the measured rate may rise before the next change is possible",
        "newest": f"{rate}, the rate of the newest snapshot",
    }.get(decided.codes[0], f"the measured {rate}")
    runs, asked = write_counted(decided.total, "processor"), write_rate(external_rate)
    clauses = list_clauses(decided.codes[1:], rate)
    why = "".join(f", and {clause}" for clause in clauses)
    target = None if t_max_seconds is None else TimeTarget("total", t_max_seconds)
    without = ": nothing else counts in it" if clauses else ""
    return (
        f"The decision recommends {runs} for {name_aim(decided.target)}{looked}{why}. This what-if is for "
        f"{name_aim(target)}{asked}{without}."
    )


def name_aim(target: TimeTarget | None) -> str:
    """Returns the target before a rate, as `a target of 350 ms at `; the text is empty if there is no target."""
    return "" if target is None else f"a target of {write_target(target)} at "
