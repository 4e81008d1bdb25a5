"""What became of a change: E[T] after it beside the promise and E[T] before it; pure."""

from app.bridge.choosing import is_same_load
from app.bridge.states import BridgeState, Change, Distrust, Observation, Proof, Sojourn, Terms
from app.bridge.wording import say_seconds


def prove(state: BridgeState, seen: Observation, after: Sojourn, terms: Terms) -> tuple[BridgeState, Proof]:
    """Compares E[T] after a change with what was promised and with E[T] before it."""
    change = state.change
    assert change is not None
    proof = _compare(change, seen, after, terms)
    distrust = state.distrust
    if proof.roll_back is not None:
        distrust = Distrust(change.action, change.asked, change.rate, seen.at, proof.why)
    return state._replace(change=None, is_running=False, distrust=distrust), proof


def _compare(change: Change, seen: Observation, after: Sojourn, terms: Terms) -> Proof:
    before, now, how = _pair(change.sojourn, after)
    promised = change.promised_seconds
    said = f"E[T] {how} is {say_seconds(now)}, was {say_seconds(before)}, promised {say_seconds(promised)}"
    if change.is_rollback:
        return Proof(None, f"rolled back: {said}")
    if seen.rate is None or not is_same_load(seen.rate, change.rate):
        rate = "an unknown rate" if seen.rate is None else f"{seen.rate:.6g}"
        return Proof(None, f"{said}; the load went from {change.rate:.6g} to {rate} tuples/s: not comparable")
    if before is None or now is None or promised is None:
        return Proof(None, f"{said}: not comparable")
    if now > max(before, promised) * (1.0 + terms.promise_error):
        why = f"{said}: worse by more than the promise's error of {terms.promise_error:.0%}"
        return Proof(kept=False, why=why, roll_back=change.before)
    if now > promised * (1.0 + terms.promise_error):
        return Proof(kept=False, why=f"{said}: missed, but no worse than before")
    return Proof(kept=True, why=f"{said}: kept")


def _pair(before: Sojourn, after: Sojourn) -> tuple[float | None, float | None, str]:
    """E[T] before and after, both measured where both were, else both estimated."""
    if before.measured is not None and after.measured is not None:
        return before.measured, after.measured, "measured"
    return before.estimated, after.estimated, "estimated"
