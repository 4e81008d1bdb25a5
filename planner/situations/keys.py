"""How keys spread tuples over the instances of keyed operators in an answer, and which processors would help."""

from collections.abc import Sequence
from math import ceil

from planner.queueing.instances.key_shares import KeyShares, find_key_shares
from planner.queueing.queueings import KEYED, RANDOM, ROUND_ROBIN
from planner.values import SHARED, Diagnostic, Load, Operator, OperatorEstimate, OperatorLoad, Topology
from planner.wording import join_names, write_counted, write_percent

NEARLY_BROKEN = 0.9


def is_skew_known(measured: OperatorLoad) -> bool:
    """Whether it is measured how keys spread the arrivals of an operator over its instances or groups."""
    return bool(measured.instances or measured.group_shares)


def find_hottest_share(operator: Operator, measured: OperatorLoad, count: int) -> float | None:
    """The share of arrivals of the busiest of `count` instances; None where it is not known."""
    queueing = operator.queueing or SHARED
    if queueing in {ROUND_ROBIN, RANDOM}:
        return 1.0 / count
    shares = find_key_shares(operator, measured) if queueing == KEYED else None
    return None if shares is None else shares.find_hottest(count)


def add_keys(operator: Operator, measured: OperatorLoad, one: OperatorEstimate) -> OperatorEstimate:
    """The estimate of an operator with its queueing, the load of its busiest instance, and its groups."""
    share = find_hottest_share(operator, measured, one.processors)
    added = one._replace(
        queueing=operator.queueing or SHARED,
        hottest_share=share,
        hottest_utilisation=None if share is None else share * one.arrival_rate / one.service_rate,
    )
    shares = find_key_shares(operator, measured) if added.queueing == KEYED else None
    if shares is None or shares.groups is None:
        return added
    return added._replace(
        groups=shares.groups.number, next_useful_processors=shares.find_next_useful(one.processors)
    )


def describe_keys(
    topology: Topology, load: Load, answers: Sequence[OperatorEstimate]
) -> tuple[Diagnostic, ...]:
    """Diagnostics of keyed operators: unmeasured shares, useless processors, and instances near their limit."""
    keyed = [one for one in answers if one.queueing == KEYED and one.processors > 1]
    even = tuple(one.name for one in keyed if not is_skew_known(load.operators[one.name]))
    said: tuple[Diagnostic, ...] = ()
    if even:
        detail = (
            f"How evenly keys spread tuples over the instances of {join_names(even)} is not measured: even shares are "
            "assumed. Uneven keys make E[T] longer, and can overload one instance alone: measure the instances."
        )
        said += (Diagnostic("keys-assumed-even", detail, even),)
    operators = {operator.name: operator for operator in topology.operators}
    for one in keyed:
        measured = load.operators[one.name]
        if (sentence := say_useful(operators[one.name], measured, one)) and one.processors > 1:
            said += (Diagnostic("whole-groups", sentence, (one.name,)),)
        if one.hottest_utilisation is not None and one.hottest_utilisation >= NEARLY_BROKEN:
            said += (describe_hottest(measured, one),)
    return said


def say_useful(operator: Operator, measured: OperatorLoad, one: OperatorEstimate) -> str:
    """A sentence where fewer processors would serve as much, or an empty text: key groups are dealt out whole."""
    shares = find_key_shares(operator, measured)
    if shares is None or one.groups is None:
        return ""
    clause = compare_useful(shares, one.processors, one.next_useful_processors)
    return f"{begin_groups(one)} {clause}." if clause else ""


def begin_groups(one: OperatorEstimate) -> str:
    """The beginning of sentences about an operator whose tuples go to processors by groups of keys."""
    groups = write_counted(one.groups or 0, "key group")
    return f"Of the {groups} of {one.name} none can be split between processors:"


def describe_next_useful(
    topology: Topology, load: Load, answers: Sequence[OperatorEstimate]
) -> tuple[Diagnostic, ...]:
    """Diagnostics of the next number of processors that serves more at each operator that deals out whole groups."""
    rows = zip(topology.operators, answers, strict=True)
    said = [(one, say_next_useful(operator, load.operators[one.name], one)) for operator, one in rows]
    return tuple([Diagnostic("whole-groups", sentence, (one.name,)) for one, sentence in said if sentence])


def say_next_useful(operator: Operator, measured: OperatorLoad, one: OperatorEstimate) -> str:
    """A sentence on the next number of processors that serves more; empty where groups are not known."""
    if one.groups is None:
        return ""
    if sentence := say_useful(operator, measured, one):
        return sentence
    if one.next_useful_processors == one.processors + 1:
        return ""
    if one.next_useful_processors is None:
        return (
            f"{begin_groups(one)} with no number of processors does the busiest of them get less than with "
            f"{one.processors}."
        )
    return (
        f"{begin_groups(one)} only with {one.next_useful_processors} or more processors does the busiest of them get "
        f"less than with {one.processors}. Until then a processor more helps the others alone."
    )


def compare_useful(shares: KeyShares, count: int, following: int | None) -> str:
    """A clause on fewer processors of which the busiest gets as much; an empty text where that takes as many."""
    limit = shares.find_hottest(count) * (1.0 + 1e-9)
    fair = min(ceil(1.0 / limit), count)  # with fewer, even a fair share is larger
    least = next(k for k in range(fair, count + 1) if shares.find_hottest(k) <= limit)
    if least == count:
        return ""
    clause = f"with {count} processors the busiest of them gets as much as with {least}"
    return f"{clause}, and less only with {following}" if following else f"{clause}, and with no number less"


def describe_hottest(measured: OperatorLoad, one: OperatorEstimate) -> Diagnostic:
    """A diagnostic of an operator whose busiest instance is near its limit or above it."""
    share, used = one.hottest_share or 0.0, one.hottest_utilisation or 0.0
    limit, known = one.service_rate / one.arrival_rate, len(measured.instances)
    extra = f" (estimated from {known} measured instances)" if known not in {0, one.processors} else ""
    if write_percent(share) == write_percent(1.0 / one.processors):
        return Diagnostic("hottest-instance", describe_equal(one, used, extra), (one.name,))
    cause = "Keys spread" if is_skew_known(measured) else "Whole key groups spread"
    help_ = "More processors do not help beyond the hottest key: split that key, or make the service faster."
    if one.groups is not None:
        following = one.next_useful_processors
        help_ = (
            f"Only with {following} or more processors does the busiest of them get less."
            if following
            else "With no number of processors does the busiest get less: use more key groups, split the hottest "
            "key, or make the service faster."
        )
    detail = (
        f"{cause} the tuples of {one.name} unevenly: its hottest instance gets {write_percent(share)} of "
        f"them{extra}, where {write_percent(1.0 / one.processors)} would be fair, and is {write_percent(used)} "
        f"busy. Above {write_percent(limit)} of the tuples it cannot keep up. {help_}"
    )
    return Diagnostic("hottest-instance", detail, (one.name,))


def describe_equal(one: OperatorEstimate, used: float, extra: str) -> str:
    """Sentences on an operator whose instances are all near their limit or above it, as their shares are equal."""
    following = one.next_useful_processors
    if one.groups is None:
        help_ = "More processors give each instance less, unless a single key is too hot."
    elif following is None:
        help_ = (
            "With no number of processors does the busiest get less: use more key groups, or make the service "
            "faster."
        )
    else:
        help_ = f"Only with {following} or more processors does the busiest of them get less."
    return (
        f"The {write_counted(one.processors, 'processor')} of {one.name} get equal shares of its tuples{extra}, and "
        f"each is {write_percent(used)} busy: all are {'overloaded' if used >= 1.0 else 'near their limit'}. {help_}"
    )
