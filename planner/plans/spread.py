"""How total and completion time spread over external tuples: quantiles of an estimate, from tuples drawn at random.

Waits are those of the estimate: none with probability 1 − P(wait), else exponential with mean W/P(wait). Waits of
different visits are drawn independently of each other; known_error says how far that is from simulations.
"""

from collections.abc import Sequence
from math import ceil, fsum
from typing import NamedTuple

from planner.arrays import Floats
from planner.errors import InvalidLoad
from planner.plans.completion_disagreement import compare_completion
from planner.plans.drawn_waits import find_waits
from planner.plans.estimation import survey_load
from planner.plans.queueing_notes import BURSTY
from planner.quantiles.root_times import RootTimes, find_quantiles, rank, time_roots
from planner.quantiles.tuple_draw import MOST_ROUNDS, Draw, TooManyTuples, draw_tuples
from planner.topology.flow import settle_network
from planner.topology.network import Network, index_topology
from planner.values import SHARED, Diagnostic, Estimate, Evidence, Load, QuantileSeconds, Spread, Topology
from planner.wording import join_names

DEFAULT_ROOTS = 100_000
DEFAULT_SEED = 1
MOST_VISITS = 2_000_000
"""Visits of all roots of a draw together, on average: a quarter of a second, and 80 MB."""
LEAST_ABOVE = 10
"""Drawn external tuples above a quantile: of fewer the part above it is uncertain by more than a third."""
LEAST_ROOTS = 1000
"""From fewer roots no quantile is told."""
TOLD_DIFFERENCE = 0.1

KNOWN_ERRORS = {
    "shared": (0.06, 0.04),
    "round-robin": (0.09, 0.10),
    "random": (0.10, 0.08),
    "keyed": (0.13, 0.11),
}
"""Mean relative error of p99 of total and of completion beside calm simulations (docs/models/quantiles.md)."""
BURSTY_ERRORS = {"shared": 0.2, "own": 0.25}
"""The same of p95 and p99 under bursts that were measured."""
KnownErrors = tuple[float | None, float | None]


class Drawn(NamedTuple):
    """A draw of a topology under a load; None where too many tuples would derive from too few roots."""

    draw: Draw | None
    has_forks: bool
    diagnostics: tuple[Diagnostic, ...]


def draw_roots(topology: Topology, load: Load, roots: int = DEFAULT_ROOTS, seed: int = DEFAULT_SEED) -> Drawn:
    """External tuples with all that derives from them: `roots` of them, or as many as MOST_VISITS allows."""
    network = index_topology(topology)
    visits = max(fsum(settle_network(network)), 1.0)
    possible = min(roots, int(MOST_VISITS / visits))
    forks = has_forks(network)
    if possible < min(roots, LEAST_ROOTS):
        return Drawn(None, forks, (refuse_draw(visits),))
    try:
        draw = draw_tuples(topology, load, possible, seed)
    except TooManyTuples:
        return Drawn(None, forks, (refuse_draw(visits),))
    return Drawn(draw, forks, describe_draw(draw, roots, visits))


def refuse_draw(visits: float) -> Diagnostic:
    """Says why there are no quantiles."""
    detail = (
        f"There are no quantiles: one external tuple makes {visits:.4g} visits to operators, and too few external "
        f"tuples fit into the {MOST_VISITS:,} visits that are drawn. Simulate with fewer tuples instead."
    )
    return Diagnostic("quantiles-not-drawn", detail)


def describe_draw(draw: Draw, roots: int, visits: float) -> tuple[Diagnostic, ...]:
    """Says where fewer external tuples were drawn than asked for, and where a cycle was cut."""
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
    """Whether an external tuple can become several tuples at once: then its total is longer than its completion."""
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
    """The estimate with the spread of total and completion; both stay None where an operator cannot keep up.

    `is_open` as in survey_load: True for plans.
    """
    situation = survey_load(topology, load, answer.model, is_open=is_open)
    waits = find_waits(situation, [one.processors for one in answer.operators]) if answer.stable else None
    if waits is None:
        return answer
    drawn = draw_roots(topology, load, roots, seed)
    if drawn.draw is None:
        return answer._replace(diagnostics=answer.diagnostics + drawn.diagnostics)
    times = time_roots(drawn.draw, waits)
    total, completion = spread_times(drawn, times, levels, seed, know_errors(topology, load, answer.evidence))
    said = (
        drawn.diagnostics
        + describe_unresolved(levels, drawn.draw.roots)
        + compare_means(answer, total)
        + compare_completion(load, answer, completion)
    )
    return answer._replace(total=total, completion=completion, diagnostics=answer.diagnostics + said)


def describe_unresolved(levels: Sequence[float], roots: int) -> tuple[Diagnostic, ...]:
    """A diagnostic of the levels above which hardly any drawn external tuples lie: their quantiles are guesses."""
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
    """Raise InvalidLoad for a target whose quantile is the longest time drawn: nothing could be planned for it."""
    if level is None or rank(level, roots) < roots:
        return
    raise InvalidLoad(
        f"The quantile at {level:.10g} of {roots:,} drawn external tuples is the longest time drawn: no plan can be "
        f"measured by it. {say_what_resolves(level, roots)}",
        "/quantile",
        "target",
    )


def say_what_resolves(level: float, roots: int) -> str:
    """Which level so many external tuples have, and how many external tuples a level needs."""
    return (
        f"Ask for a level of at most {1.0 - LEAST_ABOVE / roots:.6g}, or for at least "
        f"{ceil(LEAST_ABOVE / (1.0 - level) * (1.0 - 1e-9)):,} roots, or simulate."
    )


def spread_times(
    drawn: Drawn, times: RootTimes, levels: Sequence[float], seed: int, known_errors: KnownErrors
) -> tuple[Spread, Spread]:
    """Total and completion time, each with its mean, its quantiles and their known error."""

    def spread(seconds: Floats, known_error: float | None) -> Spread:
        found = zip(levels, find_quantiles(seconds, levels), strict=True)
        quantiles = tuple([QuantileSeconds(level, time) for level, time in found])
        return Spread(float(seconds.mean()), quantiles, len(seconds), seed, known_error)

    of_total, of_completion = known_errors
    return spread(times.total, of_total), spread(
        times.completion, of_completion if drawn.has_forks else of_total
    )


def know_errors(topology: Topology, load: Load, evidence: Evidence | None) -> KnownErrors:
    """The errors of total and completion; under calm input unknown where that of E[T] is."""
    queueings = {operator.queueing or SHARED for operator in topology.operators}
    if sees_bursts(load):
        error = BURSTY_ERRORS["own" if queueings != {SHARED} else "shared"]
        return error, error
    if evidence is None or evidence.known_error is None:
        return None, None
    totals, completions = zip(*[KNOWN_ERRORS[queueing] for queueing in queueings], strict=True)
    return max(totals), max(completions)


def sees_bursts(load: Load) -> bool:
    """Whether arrivals were measured that come in bursts."""
    return any(point.idc > BURSTY for one in load.operators.values() for point in one.arrival_idc)


def compare_means(answer: Estimate, total: Spread) -> tuple[Diagnostic, ...]:
    """Says where the drawn total is not E[T], and why that can be."""
    expected = answer.expected_sojourn_seconds
    if expected is None or abs(total.mean_seconds - expected) <= TOLD_DIFFERENCE * expected:
        return ()
    detail = (
        f"The tuples drawn for quantiles follow the selectivities and take {total.mean_seconds:.4g} s in total on "
        f"average, and E[T] is {expected:.4g} s. Either measured arrival rates contradict the selectivities, or so few "
        "external tuples make most of the work that the draw says little of them."
    )
    return (Diagnostic("drawn-total-differs", detail),)
