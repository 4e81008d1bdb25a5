"""Sends changes to the engine, and records what became of decisions; a record that fails is tried again later."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from app.bridge.asking import Unanswered
from app.bridge.choosing import begin
from app.bridge.engine_link import EngineLink, PatchRefused
from app.bridge.outcomes import say_applied, say_refused, say_rolled_back
from app.bridge.service_link import NotDecided, ServiceLink
from app.bridge.states import AFTER_A_REFUSAL, BridgeState, Change, Distrust, Proof, Sojourn
from app.bridge.telling import Teller
from app.bridge.wording import say_counts
from app.engines.patches import EnginePatch

Marks = Mapping[str, JsonValue]


class Recorder:
    """Outcomes that the service was not told yet; after a kill the next start finds them again."""

    def __init__(self, service: ServiceLink, teller: Teller) -> None:
        self.service, self.teller = service, teller
        self.waiting: dict[str, dict[str, Any]] = {}

    def record(self, decision: str, outcome: dict[str, Any]) -> None:
        """Records now, or keeps the newest outcome of the decision for later."""
        self.waiting[decision] = outcome
        try:
            self.catch_up()
        except Unanswered:
            return

    def catch_up(self) -> None:
        """Records what was kept."""
        for decision in list(self.waiting):
            try:
                if not self.service.record(decision, self.waiting[decision]):
                    self.teller.tell_once("the service keeps no outcomes: it is older than this bridge")
            except NotDecided as error:
                self.teller.tell_once(f"the service does not take the outcome of a decision: {error}")
            del self.waiting[decision]


class Applier:
    """Changes the engine, one change at a time."""

    def __init__(self, engine: EngineLink, recorder: Recorder, teller: Teller) -> None:
        self.engine, self.recorder, self.teller = engine, recorder, teller

    def apply(self, state: BridgeState, change: Change, marks: Marks) -> tuple[BridgeState, bool]:
        """Asks the engine for a change; false where it would not take it on."""
        patch = self.engine.make_patch(change.asked, marks)
        if patch is None or patch.method is None or patch.placeholders:
            by_hand = describe_by_hand(change, patch)
            self.teller.tell("wanted", by_hand, {"decision": change.decision})
            self.recorder.record(change.decision, say_refused(by_hand))
            return state, False
        try:
            self.engine.send(patch)
        except PatchRefused as refused:
            self.recorder.record(change.decision, {"state": "failed", "detail": str(refused)})
            self.teller.tell("failed", str(refused), {"decision": change.decision})
            return _distrust(state, change, str(refused)), False
        except Unanswered as error:
            # Nobody knows whether the engine took it on: the next looks show what runs.
            self.teller.tell(
                "note", f"{error}, when asked for a change: what runs will show whether it has it"
            )
        asked = say_counts(change.asked, change.before)
        data: dict[str, JsonValue] = {"decision": change.decision, "notes": list(patch.notes)}
        self.teller.tell("applied", f"asked the engine for {asked}", data)
        if not change.is_rollback:
            self.recorder.record(change.decision, say_applied(change))
        return begin(state, change), True

    def roll_back(
        self, state: BridgeState, change: Change, proof: Proof, after: Sojourn, marks: Marks
    ) -> BridgeState:
        """Asks for what ran before a change, once."""
        assert proof.roll_back is not None
        back = change._replace(
            before=change.asked, asked=proof.roll_back, asked_at=self.engine.clock(), is_rollback=True
        )
        self.teller.tell("rolled-back", f"{proof.why}: rolled back", {"decision": change.decision})
        state, is_taken = self.apply(state, back, marks)
        if is_taken:
            self.recorder.record(change.decision, say_rolled_back(change, proof.why, after))
        return state


def _distrust(state: BridgeState, change: Change, why: str) -> BridgeState:
    found = Distrust(change.action, change.asked, change.rate, change.asked_at, why, AFTER_A_REFUSAL)
    return state._replace(distrust=found)


def describe_by_hand(change: Change, patch: EnginePatch | None) -> str:
    """What somebody has to do, where the bridge cannot."""
    wanted = say_counts(change.asked, change.before)
    if patch is None:
        return f"wanted: {wanted}; headgate cannot change this engine: change it where it is deployed"
    how = f"; run: {patch.command}" if patch.command else ""
    if patch.method:
        how = f"; it is {patch.method} {patch.path} {json.dumps(patch.body)}"
    return f"wanted: {wanted}{how}. {' '.join(patch.notes)}".strip()
