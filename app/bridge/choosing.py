"""Whether a bridge applies what a decision wants, and how much of it at once: pure."""

from app.bridge.machine import runs
from app.bridge.states import BridgeState, Change, Chosen, Distrust, Observation, Terms, Wish
from app.bridge.wording import say_counts
from app.engines.patches import Counts

SAME_LOAD = 0.1
"""Loads that differ by at most this part are compared with each other."""


def choose(state: BridgeState, wish: Wish, seen: Observation, terms: Terms) -> Chosen:
    """Whether to apply what a decision wants, and how much of it at once."""
    running = wish.current
    if wish.action == "hold":
        return Chosen("hold", running)
    counts = limit_step(running, wish.recommended, terms.max_step)
    refusal = _find_refusal(state, wish, seen, counts)
    if refusal:
        return Chosen("refuse", counts, refusal)
    if counts == running:
        return Chosen("hold", running)
    limited = {name: most for name, most in wish.recommended.items() if counts.get(name, most) < most}
    why = f"recommended: {say_counts(limited)}; --max-step allows no more at once" if limited else ""
    return Chosen("apply" if terms.apply else "show", counts, why)


def _find_refusal(state: BridgeState, wish: Wish, seen: Observation, counts: Counts) -> str:
    if seen.flaw is not None:
        return seen.flaw
    if state.change is not None:
        return "the last change is not proved yet"
    if state.discard > 0:
        return "the last interval was the first after a rescale or a restart"
    if not runs(seen, wish.current):
        found = say_counts(wish.current, seen.running)
        return f"the decision is for other processors ({found}) than those that run"
    distrust = find_distrust(state, seen)
    if distrust and (counts == distrust.asked or wish.action == distrust.action != "rebalance"):
        return f"tried at {distrust.rate:.6g} tuples/s before: {distrust.why}"
    return ""


def find_distrust(state: BridgeState, seen: Observation) -> Distrust | None:
    """What is still not tried again."""
    found = state.distrust
    if found is None or seen.rate is None or seen.at - found.since > found.for_seconds:
        return None
    return found if is_same_load(seen.rate, found.rate) else None


def begin(state: BridgeState, change: Change) -> BridgeState:
    """The engine has taken a change on."""
    distrust = state.distrust if change.is_rollback else None
    return state._replace(change=change, is_running=False, distrust=distrust)


def limit_step(running: Counts, wanted: Counts, max_step: float) -> dict[str, int]:
    """The processors to ask for at once: at least 1, at most max_step times those that run, but one more always."""
    return {
        name: max(1, min(wanted.get(name, count), max(count + 1, int(count * max_step))))
        for name, count in running.items()
    }


def is_same_load(rate: float, other: float) -> bool:
    """Whether two external rates are near enough to compare what was measured under them."""
    return abs(rate - other) <= SAME_LOAD * max(rate, other)
