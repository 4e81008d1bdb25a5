"""Chooses the next step of a bridge from its state and an observation, without clock or network.

There is one change at a time. A change is asked for, then it runs, then it is proved by the first interval that counts;
until then there is no other change. The interval in which anything was rescaled or restarted does not count, nor does
the next one: in both the engine still works off the backlog of the rescale.
"""

from app.bridge.states import (
    AFTER_GIVING_UP,
    BridgeState,
    Change,
    Chosen,
    Distrust,
    NextStep,
    Observation,
    Proof,
    Sojourn,
    Terms,
    Wish,
    write_counts,
)
from app.engines.patches import Counts
from planner.wording import write_percent, write_rate, write_seconds

DISCARDED_AFTER_A_RESCALE = 1
LONGEST_ABSENCE_SECONDS = 3600.0
"""A change that was applied longer ago than this is not proved any more, because too much has happened since."""
CLOCK_TOLERANCE = 0.9
"""The engine's metrics may be older than its answer by this much, so that an interval seems to begin early."""
SAME_LOAD = 0.1
"""Loads are compared with each other if they differ by at most this part."""


def adopt(seen: Observation, change: Change | None, interval_seconds: float) -> BridgeState:
    """The state of a bridge at its start; a running `change` that the last bridge applied is still to be proved."""
    state = BridgeState(seen.run, seen.running)
    if change is None or not runs(seen, change.asked) or seen.at - change.asked_at > LONGEST_ABSENCE_SECONDS:
        return state
    is_recent = seen.at - change.asked_at < interval_seconds
    discard = DISCARDED_AFTER_A_RESCALE if is_recent else 0
    return state._replace(discard=discard, moved_at=change.asked_at, change=change, is_running=True)


def advance(state: BridgeState, seen: Observation, terms: Terms) -> tuple[BridgeState, NextStep]:
    """The state after an observation, and the step that follows."""
    if not seen.running:
        return state, NextStep("skip", seen.flaw or "the engine does not report how many processors run")
    if _has_moved(state, seen):
        return _follow_move(state, seen)
    state = state._replace(run=seen.run, running=seen.running)
    if state.change is not None and not state.is_running:
        if not runs(seen, state.change.asked):
            return _wait(state, state.change, seen, terms)
        state = state._replace(is_running=True)
    if seen.flaw is not None:
        if seen.is_restarted:
            state = state._replace(discard=DISCARDED_AFTER_A_RESCALE, moved_at=seen.at)
        return state, NextStep("discard" if seen.is_restarted else "skip", seen.flaw)
    if state.discard > 0:
        return _discard(state, seen)
    return state, NextStep("prove" if state.change is not None else "decide")


def _has_moved(state: BridgeState, seen: Observation) -> bool:
    """Whether the job was restarted or rescaled since the last sample; an operator may also appear without that."""
    before = state.running
    is_rescaled = any(before.get(name, count) != count for name, count in seen.running.items())
    return state.run is not None and (seen.run != state.run or is_rescaled)


def runs(seen: Observation, asked: Counts) -> bool:
    """Whether the observed processors of the engine are those asked for."""
    return all(seen.running.get(name) == count for name, count in asked.items())


def _follow_move(state: BridgeState, seen: Observation) -> tuple[BridgeState, NextStep]:
    """The state and the step that follow if the engine runs other processors than at the last sample."""
    later = state._replace(
        run=seen.run, running=seen.running, discard=DISCARDED_AFTER_A_RESCALE, moved_at=seen.at
    )
    ended = later._replace(change=None, is_running=False)
    change = state.change
    if seen.run != state.run:
        return ended, NextStep("discard", f"the job was restarted; it is {seen.run} now", change)
    what = f"the engine runs {write_counts(seen.running, state.running)} now"
    if change is None:
        return later, NextStep("discard", f"{what}: something other than this bridge rescaled the job")
    if runs(seen, change.asked):
        return later._replace(is_running=True), NextStep("discard", f"{what}, as this bridge asked")
    if state.is_running:
        why = f"{what}: something else rescaled the job before the effect of the last change was measured"
        return ended, NextStep("discard", why, change)
    return later, NextStep(
        "discard", f"{what}; this bridge asked for {write_counts(change.asked, seen.running)}"
    )


def _wait(
    state: BridgeState, change: Change, seen: Observation, terms: Terms
) -> tuple[BridgeState, NextStep]:
    """The state and the step while a change does not run yet: wait for the change, or give it up."""
    asked = f"asked {write_seconds(seen.at - change.asked_at)} ago"
    missing = write_counts(change.asked, seen.running)
    if seen.at - change.asked_at < terms.settle_seconds:
        return state, NextStep("wait", f"{asked}, does not run yet: {missing}")
    why = (
        f"{asked}, and the engine does not run it: {missing}. The usual reason is too few slots (in Storm: tasks): "
        "add some, or set max_processors in the topology"
    )
    reason = "the engine did not run it"
    distrust = Distrust(change.action, change.asked, change.rate, seen.at, reason, AFTER_GIVING_UP)
    return state._replace(change=None, distrust=distrust), NextStep("give-up", why, change)


def _discard(state: BridgeState, seen: Observation) -> tuple[BridgeState, NextStep]:
    """Discards the first interval after a rescale; engines that measure over minutes still show the time before."""
    if seen.at - CLOCK_TOLERANCE * seen.window_seconds < state.moved_at:
        window = write_seconds(seen.window_seconds)
        why = f"the engine measures over {window}, which began before the last rescale or restart"
        return state, NextStep("discard", why)
    why = "the first interval after a rescale or a restart does not count"
    return state._replace(discard=state.discard - 1), NextStep("discard", why)


def choose(state: BridgeState, wish: Wish, seen: Observation, terms: Terms) -> Chosen:
    """Whether the bridge applies a decision, and how much of the change it asks for at once."""
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
    why = (
        f"the decision recommends {write_counts(limited)}; --max-step allows only a part of it at once"
        if limited
        else ""
    )
    return Chosen("apply" if terms.apply else "show", counts, why)


def _find_refusal(state: BridgeState, wish: Wish, seen: Observation, counts: Counts) -> str:
    if seen.flaw is not None:
        return seen.flaw
    if state.change is not None:
        return "the effect of the last change is not measured yet"
    if state.discard > 0:
        return "the last interval was the first after a rescale or a restart"
    if not runs(seen, wish.current):
        found = write_counts(wish.current, seen.running)
        return f"the decision is for other processors ({found}) than the running ones"
    distrust = find_distrust(state, seen)
    if distrust and (counts == distrust.asked or wish.action == distrust.action != "rebalance"):
        return f"this change was tried at {write_rate(distrust.rate)} before: {distrust.why}"
    return ""


def find_distrust(state: BridgeState, seen: Observation) -> Distrust | None:
    """The distrusted change, if the distrust still holds at this load and time; else None."""
    found = state.distrust
    if found is None or seen.rate is None or seen.at - found.since > found.for_seconds:
        return None
    return found if is_same_load(seen.rate, found.rate) else None


def begin(state: BridgeState, change: Change) -> BridgeState:
    """The state of the bridge after the engine has accepted a change."""
    distrust = state.distrust if change.is_rollback else None
    return state._replace(change=change, is_running=False, distrust=distrust)


def limit_step(running: Counts, wanted: Counts, max_step: float) -> dict[str, int]:
    """The processors to ask for at once: at least 1, and at most the larger of max_step × running and running + 1."""
    return {
        name: max(1, min(wanted.get(name, count), max(count + 1, int(count * max_step))))
        for name, count in running.items()
    }


def is_same_load(rate: float, other: float) -> bool:
    """Whether two external rates are so close that measurements under both can be compared."""
    return abs(rate - other) <= SAME_LOAD * max(rate, other)


def prove(state: BridgeState, seen: Observation, after: Sojourn) -> tuple[BridgeState, Proof]:
    """Compares E[T] after a change with the promise and with E[T] before it; a rollback takes two intervals."""
    change = state.change
    assert change is not None
    proof = _compare(change, seen, after)
    if proof.roll_back is not None and not change.is_doubted:
        why = f"{proof.why}, in one interval; the next one decides"
        return state._replace(change=change._replace(is_doubted=True)), Proof(None, why, is_open=True)
    distrust = state.distrust
    if proof.roll_back is not None:
        distrust = Distrust(change.action, change.asked, change.rate, seen.at, proof.why)
    goes_on = change.promised_seconds is None and proof.roll_back is None and not change.is_rollback
    return state._replace(change=None, is_running=False, distrust=distrust, goes_on=goes_on), proof


def _compare(change: Change, seen: Observation, after: Sojourn) -> Proof:
    """The result of comparing E[T] before and after a change: both measured if possible, else both estimated."""
    before, now, how = change.sojourn.estimated, after.estimated, "estimated"
    if change.sojourn.measured is not None and after.measured is not None:
        before, now, how = change.sojourn.measured, after.measured, "measured"
    promised = change.promised_seconds
    is_now, was, wanted = (write_seconds(seconds, "unknown") for seconds in (now, before, promised))
    times = f"E[T] is {is_now} ({how}), was {was} before the change, and was expected to be {wanted}"
    if change.is_rollback:
        return Proof(None, f"rolled back: {times}")
    if seen.rate is None or not is_same_load(seen.rate, change.rate):
        rates = f"{write_rate(change.rate)} to {write_rate(seen.rate, 'an unknown rate')}"
        return Proof(None, f"{times}; the load went from {rates}: not comparable")
    # More processors, even a part of what was decided, promise no larger E[T].
    expected = 0.0 if promised is None and change.action == "scale_up" else promised
    if before is None or now is None or expected is None:
        return Proof(None, f"{times}: not comparable")
    if now > max(before, expected) * (1.0 + change.error):
        error = write_percent(change.error)
        why = f"{times}: worse by more than the known error of {error}"
        return Proof(kept=False, why=why, roll_back=change.before)
    if promised is None:
        return Proof(None, f"{times}: no worse than before; a part of a decision has no expected E[T]")
    kept = now <= promised * (1.0 + change.error)
    return Proof(
        kept, f"{times}: {'as expected' if kept else 'longer than expected, but no worse than before'}"
    )
