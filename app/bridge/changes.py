"""Changes of the engine, and the outcomes of decisions, as the body of PUT /v1/decisions/{id}/outcome."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from math import inf, isinf
from typing import Any

from pydantic import JsonValue

from app.bridge.engine_link import EngineLink, PatchRefused
from app.bridge.events import Reporter
from app.bridge.http_clients import Unanswered
from app.bridge.service_link import NotDecided, SeenDecision, ServiceLink
from app.bridge.state_machine import begin, limit_step
from app.bridge.states import (
    AFTER_A_REFUSAL,
    AFTER_A_ROLL_BACK,
    AFTER_GIVING_UP,
    USUAL_ERROR,
    BridgeState,
    Change,
    Distrust,
    Proof,
    Sojourn,
    write_counts,
)
from app.engines.patches import Counts, EnginePatch

MOST_DETAIL = 2000
DISTRUSTED = {"rolled-back": AFTER_A_ROLL_BACK, "failed": AFTER_GIVING_UP}

Marks = Mapping[str, JsonValue]


def plan_change(decision: SeenDecision, asked: Counts, asked_at: float) -> Change:
    """The change that carries out a decision, or a part of it."""
    current = decision.current
    estimated = current.expected_sojourn_seconds
    known_error = current.evidence.known_error if current.evidence else None
    return Change(
        decision.id,
        decision.action,
        dict(decision.processors.current),
        dict(asked),
        decision.external_rate,
        Sojourn(decision.measured_sojourn_seconds, inf if estimated is None else estimated),
        decision.expected_sojourn_seconds if asked == decision.processors.recommended else None,
        asked_at,
        decision.policy.model,
        max(USUAL_ERROR, known_error or 0.0),
    )


def find_unproved(decision: SeenDecision | None, max_step: float) -> Change | None:
    """The change of a decision that an earlier bridge may have applied but did not prove, because it was
    killed in between.
    """
    if decision is None or decision.action == "hold":
        return None
    outcome = decision.report
    if outcome is not None and (
        outcome.state != "applied" or outcome.measured_seconds is not None or outcome.detail
    ):
        return None
    return _plan_again(decision, max_step)


def find_distrusted(decision: SeenDecision | None, max_step: float) -> Distrust | None:
    """The change of a decision that an earlier bridge rolled back, or failed to get running; None if there is none."""
    outcome = decision.report if decision else None
    if decision is None or outcome is None or outcome.state not in DISTRUSTED:
        return None
    change = _plan_again(decision, max_step)
    return distrust(change, outcome.detail or outcome.state, DISTRUSTED[outcome.state])


def distrust(change: Change, why: str, for_seconds: float) -> Distrust:
    """Marks a change as distrusted for the reason `why`: the bridge does not try it again for `for_seconds`."""
    return Distrust(change.action, change.asked, change.rate, change.asked_at, why, for_seconds)


def _plan_again(decision: SeenDecision, max_step: float) -> Change:
    """The change that a bridge makes of a decision; every bridge makes the same change of the same decision."""
    asked = limit_step(decision.processors.current, decision.processors.recommended, max_step)
    outcome = decision.report
    applied_at = outcome.applied_at if outcome and outcome.applied_at else decision.created_at
    return plan_change(decision, asked, applied_at.timestamp())


def make_outcome(
    state: str, change: Change, processors: Counts, detail: str = "", after: Sojourn | None = None
) -> dict[str, Any]:
    """The outcome of a change that the engine accepted: the processors that run after the change, and E[T] if
    it was measured.
    """
    body: dict[str, Any] = {
        "state": state,
        "applied_at": datetime.fromtimestamp(change.asked_at, UTC).isoformat(),
        "processors": dict(processors),
    }
    if detail:
        body["detail"] = detail[:MOST_DETAIL]
    if after is not None and after.measured is not None and not isinf(after.measured):
        body["measured_seconds"] = after.measured
    return body


def make_failure(change: Change, running: Counts, why: str) -> dict[str, Any]:
    """The outcome of a change that does not run, or runs only in part, with the reason `why`."""
    return make_outcome("failed" if running == change.before else "applied", change, running, why)


def make_refusal(why: str) -> dict[str, Any]:
    """The outcome of a decision that the bridge did not send to the engine, with the reason `why`."""
    return {"state": "refused", "detail": why[:MOST_DETAIL]}


class OutcomeRecorder:
    """Records outcomes in the service; outcomes that could not be recorded are kept and recorded later.

    If the bridge is killed, the next start finds them again.
    """

    def __init__(self, service: ServiceLink, reporter: Reporter) -> None:
        self.service, self.reporter = service, reporter
        self.waiting: dict[str, dict[str, Any]] = {}

    def record(self, decision: str, outcome: dict[str, Any]) -> None:
        """Records an outcome in the service now; if the service does not take it, keeps it to be recorded later."""
        self.waiting[decision] = outcome
        try:
            self.catch_up()
        except Unanswered:
            return

    def catch_up(self) -> None:
        """Records the outcomes that the service did not take before."""
        for decision in list(self.waiting):
            try:
                if not self.service.record(decision, self.waiting[decision]):
                    self.reporter.report_once(
                        "the service has no call for outcomes: it is older than this bridge"
                    )
            except NotDecided as error:
                self.reporter.report_once(f"the service refuses the outcome of a decision: {error}")
            del self.waiting[decision]


class Applier:
    """Changes the engine as decisions ask for, one change at a time."""

    def __init__(self, engine: EngineLink, recorder: OutcomeRecorder, reporter: Reporter) -> None:
        self.engine, self.recorder, self.reporter = engine, recorder, reporter

    def apply(self, state: BridgeState, change: Change, marks: Marks) -> tuple[BridgeState, bool]:
        """Asks the engine for a change; returns the bridge's new state, and false if the engine did not accept
        the change.
        """
        patch = self.engine.make_patch(change.asked, marks)
        data: dict[str, JsonValue] = {"decision": change.decision}
        if patch is None or patch.method is None or patch.placeholders:
            by_hand = describe_by_hand(change, patch)
            self.reporter.report("wanted", by_hand, data)
            self.recorder.record(change.decision, make_refusal(by_hand))
            return state, False
        try:
            self.engine.send(patch)
        except PatchRefused as refused:
            self.recorder.record(change.decision, {"state": "failed", "detail": str(refused)})
            self.reporter.report("failed", str(refused), data)
            return state._replace(distrust=distrust(change, str(refused), AFTER_A_REFUSAL)), False
        except Unanswered as error:
            # Whether the engine accepted the change is unknown: the next samples show what runs.
            text = f"{error}. Whether the change was accepted is unknown: the next samples show what runs"
            self.reporter.report("note", text)
        asked = write_counts(change.asked, change.before)
        self.reporter.report("applied", f"asked the engine for {asked}", data | {"notes": list(patch.notes)})
        if not change.is_rollback:
            self.recorder.record(change.decision, make_outcome("applied", change, change.asked))
        return begin(state, change), True

    def roll_back(
        self, state: BridgeState, change: Change, proof: Proof, after: Sojourn, marks: Marks
    ) -> BridgeState:
        """Asks the engine, once, for the processors that ran before a change, because E[T] got worse."""
        assert proof.roll_back is not None
        back = change._replace(
            before=change.asked, asked=proof.roll_back, asked_at=self.engine.clock(), is_rollback=True
        )
        self.reporter.report(
            "rolled-back", f"{proof.why}: the change is rolled back", {"decision": change.decision}
        )
        state, is_taken = self.apply(state, back, marks)
        if is_taken:
            outcome = make_outcome("rolled-back", change, change.before, proof.why, after)
            self.recorder.record(change.decision, outcome)
        return state


def describe_by_hand(change: Change, patch: EnginePatch | None) -> str:
    """A sentence with the change that a person has to make, because the bridge cannot change the engine."""
    wanted = f"wanted: {write_counts(change.asked, change.before)}"
    if patch is None:
        return f"{wanted}; headgate cannot change this engine: change it where it is deployed"
    how = f"; run: {patch.command}" if patch.command else ""
    if patch.method:
        how = f"; it is {patch.method} {patch.path} {json.dumps(patch.body)}"
    return f"{wanted}{how}. {' '.join(patch.notes)}".strip()
