"""A plan with its explanation: the estimate, and what one processor more or fewer at each operator would change.

The changes of E[T] come from the gains without a subtraction of waits, vᵢ(Wᵢ(k) − Wᵢ(k+1)) = gainᵢ(k)/λ0, so that a
change of 1e-15 of E[T] is still right to eleven digits. Operator i has vᵢ visits per external tuple and a wait of Wᵢ(k)
with k processors; λ0 is the external rate.
"""

from collections.abc import Sequence
from heapq import nsmallest
from math import inf

from planner.situations.keys import say_next_useful
from planner.situations.situation import Situation, evaluate_allocation, survey_load
from planner.values import Diagnostic, Effect, Estimate, Operator, Plan
from planner.wording import write_percent, write_seconds

# An explanation is read by people: one of more operators would only be long.
EFFECTS_SHOWN = 200
TELLING = 0.02  # a smaller difference of E[T] is not worth a sentence


def explain_plan(
    situation: Situation,
    counts: Sequence[int],
    *,
    objective: str,
    optimal: bool,
    unused_processors: int = 0,
    t_max_seconds: float = inf,
    said: tuple[Diagnostic, ...] = (),
) -> Plan:
    """Returns the plan of these processors (`counts`), with its estimate and explanation.

    `said` holds diagnostics of the search for the plan; the estimate adds its own.
    """
    waits, following, previous = situation.stations.queues.find_gains(counts)
    answer = evaluate_allocation(situation, counts, waits)
    scale = situation.load.external_rate or inf  # without input every gain is 0
    effects, cut = explain_allocation(
        situation.topology.operators,
        counts,
        [gain / scale for gain in following],
        [gain / scale if gain < inf else inf for gain in previous],
        expected_seconds=answer.expected_sojourn_seconds or sum_known(answer),
        t_max_seconds=t_max_seconds,
    )
    effects = add_useful(situation, answer, effects)
    said += cut + describe_let_through(situation, counts, answer)
    return Plan(
        objective=objective,
        processors=dict(zip(situation.names, counts, strict=True)),
        optimal=optimal,
        unused_processors=unused_processors,
        lower_bound_seconds=situation.find_lower_bound(),
        estimate=answer._replace(diagnostics=answer.diagnostics + said) if said else answer,
        explanation=effects,
    )


def add_useful(situation: Situation, answer: Estimate, effects: tuple[Effect, ...]) -> tuple[Effect, ...]:
    """Adds to the effects at operators that deal out whole key groups which number of processors serves more."""
    if not situation.stations.grouped:
        return effects
    operators = {one.name: one for one in situation.topology.operators}
    estimates = {one.name: one for one in answer.operators}
    return tuple(
        effect._replace(detail=f"{effect.detail} {sentence}")
        if (
            sentence := say_next_useful(
                operators[effect.operator],
                situation.load.operators[effect.operator],
                estimates[effect.operator],
            )
        )
        else effect
        for effect in effects
    )


def describe_let_through(
    situation: Situation, counts: Sequence[int], answer: Estimate
) -> tuple[Diagnostic, ...]:
    """Returns a diagnostic if E[T] would differ with bursts as measured.

    The plan takes bursts as they come in; in the measurement, operators that cannot keep up hold bursts back.
    """
    if situation.stations.inflows is None or not answer.expected_sojourn_seconds:
        return ()
    measured = survey_load(situation.topology, situation.load, situation.stations.model)
    if measured.stations.inflows == situation.stations.inflows:
        return ()
    expected = measured.sum_sojourns(measured.wait_seconds(counts))
    if abs(expected - answer.expected_sojourn_seconds) <= TELLING * expected:
        return ()
    detail = (
        "Planned for bursts that go through every operator as they come, as more processors upstream let them "
        f"pass. With bursts inside as they were measured, E[T] of this plan is {write_seconds(expected)}."
    )
    return (Diagnostic("bursts-let-through", detail),)


def sum_known(answer: Estimate) -> float:
    """Returns the time per external tuple in the operators that keep up."""
    return sum(
        [one.visits * one.sojourn_seconds for one in answer.operators if one.sojourn_seconds is not None]
    )


def explain_allocation(
    operators: Sequence[Operator],
    counts: Sequence[int],
    savings: Sequence[float],
    costs: Sequence[float],
    *,
    expected_seconds: float,
    t_max_seconds: float,
) -> tuple[tuple[Effect, ...], tuple[Diagnostic, ...]]:
    """Returns the effects of one processor more or fewer at each operator, the largest effect first.

    `savings` are the seconds that one more saves, `costs` those that one fewer adds: inf where it could not keep up.
    """
    pairs = zip(savings, costs, strict=True)
    weights = [abs(cost if saving < cost < inf or saving == -inf else saving) for saving, cost in pairs]
    shown = (
        sorted(
            range(len(weights)), key=weights.__getitem__, reverse=True
        )  # a stable sort: ties stay in order
        if len(weights) <= EFFECTS_SHOWN
        else nsmallest(EFFECTS_SHOWN, range(len(weights)), key=lambda i: (-weights[i], i))
    )
    effects = tuple(
        [
            describe_effect(operators[i], counts[i], savings[i], costs[i], expected_seconds, t_max_seconds)
            for i in shown
        ]
    )
    if len(effects) == len(operators):
        return effects, ()
    detail = f"The explanation holds the {len(effects)} largest effects of {len(operators)} operators."
    return effects, (Diagnostic("explanation-cut", detail),)


def describe_effect(  # noqa: PLR0917 - by place, since every plan describes all operators
    operator: Operator,
    count: int,
    saving: float,
    cost: float,
    expected_seconds: float,
    t_max_seconds: float,
) -> Effect:
    """Returns the effect of one processor more or fewer at one operator, in numbers and in a sentence."""
    name, least, most = operator.name, operator.min_processors, operator.ceiling
    at_most = most is not None and count >= most
    at_least = count <= least
    if at_most:
        more = f"is forbidden by {operator.ceiling_name} = {most}"
    elif saving == -inf:
        more = "could not keep up with the load, as its key groups are dealt out whole"
    else:
        more = describe_change(saving, expected_seconds, "save")
    fewer = describe_fewer(count, least, cost, expected_seconds, t_max_seconds)
    return Effect(
        name,
        count,
        None if at_most or saving == -inf else 0.0 - saving,  # not -0.0, which JSON would show
        None if at_least or cost == inf else cost,
        operator.ceiling_name if at_most else None,
        "min_processors" if at_least else None,
        f"{name} has {count}: one more {more}; {fewer}.",
    )


def describe_fewer(count: int, least: int, cost: float, expected_seconds: float, t_max_seconds: float) -> str:
    """Returns a clause on the effect of one processor fewer."""
    if count <= least:
        if least == 1:
            return "an operator needs at least one"
        return f"one fewer is forbidden: its bound is at least {least}"
    if cost == inf:
        return "one fewer could not keep up with the load"
    clause = f"one fewer {describe_change(cost, expected_seconds, 'cost')}"
    if expected_seconds + cost > t_max_seconds:
        clause += f" and miss the target of {write_seconds(t_max_seconds)}"
    return clause


def describe_change(seconds: float, expected_seconds: float, verb: str) -> str:
    """Returns a clause on a change of E[T]; below 0 it goes the other way, as whole key groups allow."""
    if not seconds:
        return f"would {verb} nothing"
    if seconds < 0.0:
        verb = "save" if verb == "cost" else "cost"
    return f"would {verb} {describe_share(abs(seconds), expected_seconds)}"


def describe_share(seconds: float, expected_seconds: float) -> str:
    """Returns a change of E[T] as text, in seconds and in percent of E[T]."""
    return f"{write_seconds(seconds)} ({write_percent(seconds / expected_seconds)})"
