"""How total and completion time spread over external tuples: quantiles of an estimate, from tuples drawn at random.

A tuple waits as in the estimate: not at all with probability 1 − P(wait), else for an exponential time of mean
W/P(wait), W the mean wait. Waits of different visits are drawn independently of each other; known_error tells how far
such quantiles are from simulations.
"""

from collections.abc import Sequence
from math import ceil, fsum
from typing import NamedTuple

from planner.arrays import Floats
from planner.errors import InvalidLoad
from planner.quantiles.draw import MOST_ROUNDS, Draw, TooManyTuples, draw_tuples
from planner.quantiles.times import find_quantiles, rank, time_roots
from planner.quantiles.waits import AnyWait, find_waits
from planner.situations.disagreements import compare_completion
from planner.situations.evidence import find_quantile_errors
from planner.situations.situation import Situation, survey_load
from planner.topology.flow import settle_network
from planner.topology.network import Network
from planner.values import Diagnostic, Estimate, Load, QuantileSeconds, Spread, Topology
from planner.wording import join_names, write_seconds

DEFAULT_ROOTS = 100_000
DEFAULT_SEED = 1
MOST_VISITS = 2_000_000
"""Visits of all roots of a draw together, on average: a quarter of a second, and 80 MB."""
LEAST_ABOVE = 10
"""Drawn external tuples above a quantile: of fewer the part above it is uncertain by more than a third."""
LEAST_ROOTS = 1000
"""From fewer roots no quantile is told."""
TOLD_DIFFERENCE = 0.1


class Drawn(NamedTuple):
    """The drawn tuples of a situation with diagnostics; no draw where too many tuples derive from too few roots."""

    draw: Draw | None
    seed: int
    has_forks: bool
    diagnostics: tuple[Diagnostic, ...]


def draw_roots(situation: Situation, roots: int = DEFAULT_ROOTS, seed: int = DEFAULT_SEED) -> Drawn:
    """Draws `roots` external tuples with all tuples that derive from them, or as many roots as MOST_VISITS allows."""
    network = situation.flow.network
    visits = max(fsum(settle_network(network)), 1.0)
    possible = min(roots, int(MOST_VISITS / visits))
    forks = has_forks(network)
    if possible < min(roots, LEAST_ROOTS):
        return Drawn(None, seed, forks, (refuse_draw(visits),))
    try:
        draw = draw_tuples(situation.topology, network, situation.load, possible, seed)
    except TooManyTuples:
        return Drawn(None, seed, forks, (refuse_draw(visits),))
    return Drawn(draw, seed, forks, describe_draw(draw, roots, visits))


def refuse_draw(visits: float) -> Diagnostic:
    """A diagnostic that says why an answer has no quantiles: too many visits per external tuple."""
    detail = (
        f"There are no quantiles: one external tuple makes {visits:.4g} visits to operators, and too few external "
        f"tuples fit into the {MOST_VISITS:,} visits that are drawn. Simulate with fewer tuples instead."
    )
    return Diagnostic("quantiles-not-drawn", detail)


def describe_draw(draw: Draw, roots: int, visits: float) -> tuple[Diagnostic, ...]:
    """Diagnostics where fewer external tuples were drawn than `roots`, and where the path of tuples round a cycle was
    cut.
    """
    said: tuple[Diagnostic, ...] = ()
    if draw.roots < roots:
        detail = (
            f"Quantiles are of {draw.roots:,} external tuples, not of {roots:,}: each makes {visits:.4g} visits to "
            f"operators, and at most about {MOST_VISITS:,} visits are drawn."
        )
        said += (Diagnostic("fewer-roots", detail),)
    if draw.is_cut:
        detail = (
            f"Tuples that went round a cycle more than {MOST_ROUNDS:,} times are left out of the quantiles."
        )
        said += (Diagnostic("cycle-cut", detail),)
    return said


def has_forks(network: Network) -> bool:
    """Whether an external tuple can become several tuples, so that its total time is longer than its
    completion time.
    """
    entered = [share for share in network.shares if share]
    if len(entered) > 1 or max(entered, default=0.0) > 1.0:
        return True
    for selectivities, loop in zip(network.selectivities, network.loops, strict=True):
        emitted = [*selectivities, loop] if loop else selectivities
        if len(emitted) > 1 or max(emitted, default=0.0) > 1.0:
            return True
    return False


def add_spread(  # noqa: PLR0917 - the arguments of an estimate, and those of a draw
    topology: Topology,
    load: Load,
    answer: Estimate,
    levels: Sequence[float],
    roots: int = DEFAULT_ROOTS,
    seed: int = DEFAULT_SEED,
    *,
    is_open: bool = False,
) -> Estimate:
    """The estimate with the spread of total and completion time; both stay None where an operator cannot keep up.

    With `is_open`, which plans set, the queues are as if no operator held bursts back.
    """
    situation = survey_load(topology, load, answer.model, is_open=is_open)
    counts = [one.processors for one in answer.operators]
    waits = find_waits(situation, counts) if answer.stable else None
    if waits is None:
        return answer
    drawn = draw_roots(situation, roots, seed)
    if drawn.draw is None:
        return answer._replace(diagnostics=answer.diagnostics + drawn.diagnostics)
    known_errors = find_quantile_errors(topology, counts, answer.evidence)
    total, completion = spread_waits(drawn, waits, levels, known_errors)
    said = (
        drawn.diagnostics
        + describe_unresolved(levels, drawn.draw.roots)
        + compare_means(answer, total)
        + compare_completion(load, answer, completion)
    )
    return answer._replace(total=total, completion=completion, diagnostics=answer.diagnostics + said)


def describe_unresolved(levels: Sequence[float], roots: int) -> tuple[Diagnostic, ...]:
    """A diagnostic of the quantile levels above which hardly any drawn external tuples lie: such quantiles
    are guesses.
    """
    rare = [level for level in levels if roots - rank(level, roots) < LEAST_ABOVE]
    if not rare:
        return ()
    largest = [f"{level:.10g}" for level in rare if rank(level, roots) == roots]
    of_largest = f" At {join_names(largest)} it is the longest time drawn." if largest else ""
    detail = (
        f"Fewer than {LEAST_ABOVE} of {roots:,} drawn external tuples take longer than the quantile at "
        f"{join_names([f'{level:.10g}' for level in rare])}: another seed gives another time.{of_largest} "
        f"{say_what_resolves(rare[-1], roots)}"
    )
    return (Diagnostic("quantile-not-resolved", detail),)


def check_resolved(level: float | None, roots: int) -> None:
    """Raise InvalidLoad for a target of a quantile that too few drawn external tuples exceed to plan for it."""
    if level is None or rank(level, roots) < roots:
        return
    raise InvalidLoad(
        f"The quantile at {level:.10g} of {roots:,} drawn external tuples is the longest time drawn: no plan can be "
        f"measured by it. {say_what_resolves(level, roots)}",
        "/quantile",
        "target",
    )


def say_what_resolves(level: float, roots: int) -> str:
    """A sentence: the highest quantile level for so many external tuples, and how many external tuples a
    level needs.
    """
    return (
        f"Ask for a level of at most {1.0 - LEAST_ABOVE / roots:.6g}, or for at least "
        f"{ceil(LEAST_ABOVE / (1.0 - level) * (1.0 - 1e-9)):,} roots, or simulate."
    )


def spread_waits(
    drawn: Drawn,
    waits: Sequence[AnyWait],
    levels: Sequence[float],
    known_errors: tuple[float | None, float | None],
) -> tuple[Spread, Spread]:
    """Total and completion time of drawn tuples under the given waits, each with mean, quantiles and known error."""
    assert drawn.draw is not None
    times = time_roots(drawn.draw, waits)

    def spread(seconds: Floats, known_error: float | None) -> Spread:
        found = zip(levels, find_quantiles(seconds, levels), strict=True)
        quantiles = tuple([QuantileSeconds(level, time) for level, time in found])
        return Spread(float(seconds.mean()), quantiles, len(seconds), drawn.seed, known_error)

    of_total, of_completion = known_errors
    return spread(times.total, of_total), spread(
        times.completion, of_completion if drawn.has_forks else of_total
    )


def compare_means(answer: Estimate, total: Spread) -> tuple[Diagnostic, ...]:
    """A diagnostic where the mean total time of drawn tuples is not E[T], with the reason."""
    expected = answer.expected_sojourn_seconds
    if expected is None or abs(total.mean_seconds - expected) <= TOLD_DIFFERENCE * expected:
        return ()
    detail = (
        f"The tuples drawn for quantiles follow the selectivities and take {write_seconds(total.mean_seconds)} in "
        f"total on average, and E[T] is {write_seconds(expected)}. Either measured arrival rates contradict the "
        "selectivities, or so few external tuples make most of the work that the draw says little of them."
    )
    return (Diagnostic("drawn-total-differs", detail),)
