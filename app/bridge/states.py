"""The values of the bridge's state machine: its state, observations of the engine, and next steps."""

from collections.abc import Mapping
from math import inf
from types import MappingProxyType
from typing import Literal, NamedTuple

from app.engines.patches import Counts

USUAL_ERROR = 0.15
"""The error of E[T] on real engines: with only the smaller error of the formulas, noise would count as a worse
E[T].
"""
AFTER_A_ROLL_BACK, AFTER_GIVING_UP, AFTER_A_REFUSAL = 3600.0, 600.0, 120.0
"""Seconds for which a change is not tried again under the same load."""


class Observation(NamedTuple):
    """An observation from two successive samples of the engine.

    `at` is in seconds; `run` is the engine's id of this run of the job; `window_seconds` is the measured time. `flaw`
    is the reason why the measurement must not be acted on; None: it may. `is_restarted`: tasks of this run were
    restarted between the samples.
    """

    at: float
    run: str
    running: Counts
    rate: float | None = None
    flaw: str | None = None
    window_seconds: float = 0.0
    is_restarted: bool = False


class Sojourn(NamedTuple):
    """The total time E[T] under the measured load, measured and estimated; None is unknown, inf means no
    steady state.
    """

    measured: float | None = None
    estimated: float | None = None


class Change(NamedTuple):
    """A change that the engine was asked for and whose effect is not proved yet.

    `sojourn` is E[T] before the change. `promised_seconds` is None if only a part of the decision is asked for; E[T]
    may differ from the promise by the share `error`. `is_doubted`: one interval showed a worse E[T]; a second one
    decides.
    """

    decision: str
    action: str
    before: Counts
    asked: Counts
    rate: float
    sojourn: Sojourn
    promised_seconds: float | None
    asked_at: float
    model: str
    error: float = USUAL_ERROR
    is_rollback: bool = False
    is_doubted: bool = False


class Distrust(NamedTuple):
    """A change that did not help at a certain external rate: it is not tried again for a time, or until the
    rate differs.
    """

    action: str
    asked: Counts
    rate: float
    since: float
    why: str
    for_seconds: float = AFTER_A_ROLL_BACK


class BridgeState(NamedTuple):
    """The state of a bridge.

    `discard`: the number of intervals since `moved_at`, the last rescale or restart, that still must not be used.
    `is_running`: the engine runs the processors of `change`. `goes_on`: the last change was a part of its decision,
    because of --max-step, so the next step skips the policy's cooldown.
    """

    run: str | None = None
    running: Counts = MappingProxyType({})
    discard: int = 0
    moved_at: float = -inf
    change: Change | None = None
    is_running: bool = False
    distrust: Distrust | None = None
    goes_on: bool = False


class Terms(NamedTuple):
    """The options of a bridge; `settle_seconds`: the longest time until a change runs."""

    apply: bool
    max_step: float
    settle_seconds: float = 120.0


class NextStep(NamedTuple):
    """The step that the bridge takes after an observation.

    skip: the observation has a flaw. discard: the interval does not count. wait: the change does not run yet. give-up:
    the change took too long to run. `ended` is a change that is no longer followed.
    """

    next: Literal["decide", "prove", "wait", "discard", "skip", "give-up"]
    why: str = ""
    ended: Change | None = None


class Wish(NamedTuple):
    """The action that a decision asks for, with the processors before and after it."""

    action: str
    current: Counts
    recommended: Counts


class Chosen(NamedTuple):
    """What the bridge does with a decision: hold, only show it, refuse it, or apply `counts`."""

    next: Literal["hold", "show", "refuse", "apply"]
    counts: Counts
    why: str = ""


class Proof(NamedTuple):
    """The measured effect of a change; `kept` is None if it cannot be judged. `roll_back` are the counts to return to.

    `is_open`: one interval alone shows a worse E[T], which may be noise, so the next interval decides.
    """

    kept: bool | None
    why: str
    roll_back: Counts | None = None
    is_open: bool = False


def write_counts(counts: Counts, beside: Mapping[str, int] | None = None) -> str:
    """A text with the counts that differ from those in `beside`, such as `parse 6, score 4`."""
    shown = [f"{name} {count}" for name, count in counts.items() if not beside or beside.get(name) != count]
    if beside:
        shown += [f"no {name}" for name in beside if name not in counts]
    return ", ".join(shown) or "the same"
