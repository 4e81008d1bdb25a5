"""What became of a change: E[T] after it beside the promise and E[T] before it; pure."""

from app.bridge.choosing import is_same_load
from app.bridge.states import BridgeState, Change, Distrust, Observation, Proof, Sojourn
from planner.wording import write_number, write_percent, write_seconds


def prove(state: BridgeState, seen: Observation, after: Sojourn) -> tuple[BridgeState, Proof]:
    """Compares E[T] after a change with what was promised and with E[T] before it; two intervals may roll it back."""
    change = state.change
    assert change is not None
    proof = _compare(change, seen, after)
    if proof.roll_back is not None and not change.is_doubted:
        why = f"{proof.why}, in one interval: the next one decides"
        return state._replace(change=change._replace(is_doubted=True)), Proof(None, why, is_open=True)
    distrust = state.distrust
    if proof.roll_back is not None:
        distrust = Distrust(change.action, change.asked, change.rate, seen.at, proof.why)
    goes_on = change.promised_seconds is None and proof.roll_back is None and not change.is_rollback
    return state._replace(change=None, is_running=False, distrust=distrust, goes_on=goes_on), proof


def _compare(change: Change, seen: Observation, after: Sojourn) -> Proof:
    before, now, how = _pair(change.sojourn, after)
    promised = change.promised_seconds
    times = (write_seconds(seconds, "unknown") for seconds in (now, before, promised))
    said = "E[T] {how} is {}, was {}, promised {}".format(*times, how=how)
    if change.is_rollback:
        return Proof(None, f"rolled back: {said}")
    if seen.rate is None or not is_same_load(seen.rate, change.rate):
        rate = "an unknown rate" if seen.rate is None else write_number(seen.rate)
        return Proof(
            None, f"{said}; the load went from {write_number(change.rate)} to {rate} tuples/s: not comparable"
        )
    expected = _find_expected(change)
    if before is None or now is None or expected is None:
        return Proof(None, f"{said}: not comparable")
    if now > max(before, expected) * (1.0 + change.error):
        why = f"{said}: worse by more than the promise's error of {write_percent(change.error)}"
        return Proof(kept=False, why=why, roll_back=change.before)
    return _judge(now, promised, change.error, said)


def _judge(now: float, promised: float | None, error: float, said: str) -> Proof:
    if promised is None:
        return Proof(None, f"{said}: no worse than before; a part of what was decided promises nothing")
    kept = now <= promised * (1.0 + error)
    return Proof(kept, f"{said}: {'kept' if kept else 'missed, but no worse than before'}")


def _find_expected(change: Change) -> float | None:
    """E[T] that a change may bring; more processors, and be it a part of what was decided, bring no larger one."""
    return 0.0 if change.promised_seconds is None and change.action == "scale_up" else change.promised_seconds


def _pair(before: Sojourn, after: Sojourn) -> tuple[float | None, float | None, str]:
    """E[T] before and after, both measured where both were, else both estimated."""
    if before.measured is not None and after.measured is not None:
        return before.measured, after.measured, "measured"
    return before.estimated, after.estimated, "estimated"
