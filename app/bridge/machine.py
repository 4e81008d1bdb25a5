"""What a bridge does next: pure, from what it knew and what the engine shows; no clock, no network.

One change at a time. A change is asked for, then it runs, then it is proved by the first interval that counts; until
then there is no other change. The interval in which anything was rescaled or restarted does not count, and neither does
the one after it: in both the engine still works off what the rescale held up.
"""

from app.bridge.states import AFTER_GIVING_UP, BridgeState, Change, Distrust, NextStep, Observation, Terms
from app.bridge.wording import say_counts
from app.engines.patches import Counts

DISCARDED_AFTER_A_RESCALE = 1
LONGEST_ABSENCE_SECONDS = 3600.0
"""What was applied before that is not proved any more: too much has happened since."""
CLOCK_TOLERANCE = 0.9
"""The engine's metrics may be a little older than its answer, so that an interval seems to begin a little early."""


def look(state: BridgeState, seen: Observation, terms: Terms) -> tuple[BridgeState, NextStep]:
    """What to do about an observation."""
    if not seen.running:
        return state, NextStep("skip", seen.flaw or "the engine does not say how many processors run")
    if has_moved(state, seen):
        return _follow(state, seen)
    state = state._replace(run=seen.run, running=seen.running)
    if state.change is not None and not state.is_running:
        if not runs(seen, state.change.asked):
            return _wait(state, state.change, seen, terms)
        state = state._replace(is_running=True)
    if seen.flaw is not None:
        return _leave_out(state, seen, seen.flaw)
    if state.discard > 0:
        return _discard(state, seen)
    return state, NextStep("prove" if state.change is not None else "decide")


def _leave_out(state: BridgeState, seen: Observation, flaw: str) -> tuple[BridgeState, NextStep]:
    """An interval with a flaw; after one in which tasks were started again, the next one does not count either."""
    if seen.is_restarted:
        return state._replace(discard=DISCARDED_AFTER_A_RESCALE, moved_at=seen.at), NextStep("discard", flaw)
    return state, NextStep("skip", flaw)


def _discard(state: BridgeState, seen: Observation) -> tuple[BridgeState, NextStep]:
    """The first interval that begins after a rescale; engines that measure over minutes still show what was before."""
    began = seen.at - CLOCK_TOLERANCE * seen.window_seconds
    if began < state.moved_at:
        why = f"the engine measures over {seen.window_seconds:.4g} s, which began before the last rescale or restart"
        return state, NextStep("discard", why)
    why = "the first interval after a rescale or a restart does not count"
    return state._replace(discard=state.discard - 1), NextStep("discard", why)


def has_moved(state: BridgeState, seen: Observation) -> bool:
    """Whether the job was restarted or rescaled since the last look; an operator may come into sight without that."""
    if state.run is None:
        return False
    before = state.running
    return seen.run != state.run or any(
        before.get(name, count) != count for name, count in seen.running.items()
    )


def runs(seen: Observation, asked: Counts) -> bool:
    """Whether the engine runs these processors."""
    return all(seen.running.get(name) == count for name, count in asked.items())


def adopt(seen: Observation, change: Change | None, interval_seconds: float) -> BridgeState:
    """The state at a start: a change that was applied before the last end, and runs, is still to be proved."""
    state = BridgeState(seen.run, seen.running)
    if change is None or not runs(seen, change.asked) or seen.at - change.asked_at > LONGEST_ABSENCE_SECONDS:
        return state
    is_recent = seen.at - change.asked_at < interval_seconds
    discard = DISCARDED_AFTER_A_RESCALE if is_recent else 0
    return state._replace(discard=discard, moved_at=change.asked_at, change=change, is_running=True)


def _follow(state: BridgeState, seen: Observation) -> tuple[BridgeState, NextStep]:
    """The engine runs something else than at the last look, by whomever."""
    later = state._replace(
        run=seen.run, running=seen.running, discard=DISCARDED_AFTER_A_RESCALE, moved_at=seen.at
    )
    ended = later._replace(change=None, is_running=False)
    change = state.change
    if seen.run != state.run:
        return ended, NextStep("discard", f"the job was started again, as {seen.run}", change)
    what = f"the engine runs {say_counts(seen.running, state.running)} now"
    if change is None:
        return later, NextStep("discard", f"{what}: somebody else rescaled it")
    if runs(seen, change.asked):
        return later._replace(is_running=True), NextStep("discard", f"{what}, as asked")
    if state.is_running:
        why = f"{what}: somebody else rescaled it before the last change was proved"
        return ended, NextStep("discard", why, change)
    return later, NextStep("discard", f"{what}; asked: {say_counts(change.asked, seen.running)}")


def _wait(
    state: BridgeState, change: Change, seen: Observation, terms: Terms
) -> tuple[BridgeState, NextStep]:
    waited = seen.at - change.asked_at
    missing = say_counts(change.asked, seen.running)
    if waited < terms.settle_seconds:
        return state, NextStep("wait", f"asked {waited:.3g} s ago, does not run yet: {missing}")
    why = (
        f"asked {waited:.3g} s ago, and the engine does not run it: {missing}. "
        "Most often there are fewer slots (or, in Storm, tasks) than that: add some, or set max_processors in the "
        "topology"
    )
    said = "the engine did not run it when asked"
    distrust = Distrust(change.action, change.asked, change.rate, seen.at, said, AFTER_GIVING_UP)
    return state._replace(change=None, distrust=distrust), NextStep("give-up", why, change)
