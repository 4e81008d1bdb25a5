"""The bridge itself: looks, stores, asks for decisions, applies and proves them, one interval after the other.

All that it knows is read again at a start, from the engine and from the service: it may end at any moment.
"""

from datetime import datetime
from typing import Any, Literal, NamedTuple

from app.bridge.applying import Applier, Recorder, describe_by_hand
from app.bridge.asking import Unanswered
from app.bridge.choosing import choose
from app.bridge.engine_link import EngineLink
from app.bridge.health import Health
from app.bridge.machine import adopt, look
from app.bridge.outcomes import (
    find_distrusted,
    find_unproved,
    plan_change,
    say_failed,
    say_proved,
    say_refused,
)
from app.bridge.proving import prove
from app.bridge.samples import Sighting, observe
from app.bridge.service_link import NotDecided, ServiceLink
from app.bridge.states import BridgeState, Change, NextStep, Sojourn, Terms, Wish
from app.bridge.telling import Teller
from app.bridge.views import describe_decision, to_data
from app.bridge.wording import say_counts
from app.engines.answers import EngineAnswer, UnreadableAnswer

Result = Literal["nothing-to-do", "applied", "wanted", "waiting", "not-judged"]
LONGEST_GAP, LEAST_GAP_SECONDS = 4.0, 10.0
"""In intervals, and at least so long: a mean over a longer time would hide what happened in it."""


class BridgePlan(NamedTuple):
    """How a bridge was started."""

    terms: Terms
    interval_seconds: float
    policy: dict[str, Any] | None


class Bridge:
    """One job of an engine and one topology of the service."""

    def __init__(
        self, plan: BridgePlan, engine: EngineLink, service: ServiceLink, teller: Teller, health: Health
    ) -> None:
        self.plan, self.engine, self.service, self.teller, self.health = plan, engine, service, teller, health
        self.recorder = Recorder(service, teller)
        self.applier = Applier(engine, self.recorder, teller)
        self.state: BridgeState | None = None
        self.before: list[EngineAnswer] = []
        self.last_end: datetime | None = None
        self.has_policy = plan.policy is None

    def turn(self) -> Result:
        """One interval; raises Unanswered where the engine or the service does not answer."""
        self.health.succeed("loop")
        seen = self._observe()
        self.recorder.catch_up()
        if self.state is None:
            if not seen.observation.running:
                self.teller.tell("not-judged", seen.observation.flaw or "what runs is not known")
                return "not-judged"
            self.state = self._start(seen)
        self.state, found = look(self.state, seen.observation, self.plan.terms)
        try:
            return self._follow(found, seen)
        except NotDecided as error:
            self.teller.tell("not-judged", str(error))
            self.has_policy = self.plan.policy is None  # it may have been deleted
            return "not-judged"

    def _observe(self) -> Sighting:
        now = self.engine.look()
        self.health.succeed("engine")
        self.teller.conditions.clear("engine")
        if self._is_gap(now):
            self.before = []
        try:
            seen = observe(self.engine.engine, self.before, now, self.last_end)
        except UnreadableAnswer as error:
            raise Unanswered("engine", f"cannot be read: {error.detail}") from error
        if not (self.before and seen.is_early):
            self.before = now
        return seen

    def _is_gap(self, now: list[EngineAnswer]) -> bool:
        """Whether the last look was too long ago."""
        times = [
            max((one.at.timestamp() for one in asked if one.at), default=0.0) for asked in (self.before, now)
        ]
        return times[1] - times[0] > max(LONGEST_GAP * self.plan.interval_seconds, LEAST_GAP_SECONDS)

    def _start(self, seen: Sighting) -> BridgeState:
        """What was left unfinished when a bridge ended last, as the service and the engine show it."""
        if not self.plan.terms.apply:
            return adopt(seen.observation, None, self.plan.interval_seconds)
        last, step = self.service.find_last_change(), self.plan.terms.max_step
        self._reach_service()
        state = adopt(seen.observation, find_unproved(last, step), self.plan.interval_seconds)
        if state.change is not None:
            asked = say_counts(state.change.asked)
            self.teller.tell("runs", f"a change of the last start is not proved yet: {asked}")
        return state._replace(distrust=find_distrusted(last, step))

    def _reach_service(self) -> None:
        self.health.succeed("service")
        self.teller.conditions.clear("service")

    def _follow(self, found: NextStep, seen: Sighting) -> Result:
        """What the state machine says is done."""
        if found.ended is not None:
            self._end_change(found.ended, found, seen)
        change = self.state.change if self.state else None
        if found.next == "prove" and change is not None:
            return self._prove(seen, change)
        if found.next == "decide":
            self._store(seen)
            return self._decide(seen)
        self.service.reach()
        self._reach_service()
        if found.next == "wait":
            self.teller.tell("waiting", found.why.partition(",")[2].strip())
            return "waiting"
        if found.next == "discard":
            self.teller.tell("discarded", found.why)
        elif found.next == "skip":
            self.teller.tell("not-judged", found.why)
        return "not-judged"

    def _end_change(self, change: Change, found: NextStep, seen: Sighting) -> None:
        self.teller.tell("failed", found.why, {"decision": change.decision})
        if not change.is_rollback:  # that it was rolled back stays its outcome
            self.recorder.record(change.decision, say_failed(change, seen.observation.running, found.why))

    def _store(self, seen: Sighting) -> None:
        """Stores the interval; a topology that has no policy gets the one that was given."""
        self.service.store(self.engine.engine, seen.answers)
        self._reach_service()
        self.last_end = seen.find_end()
        if not self.has_policy and self.plan.policy is not None:
            stored = self.service.ensure_policy(self.plan.policy)
            self.has_policy = True
            if stored is not None:
                self.teller.tell("note", "the topology has another policy already: that one stays in force")

    def _prove(self, seen: Sighting, change: Change) -> Result:
        """Compares E[T] after a change with what was promised, and rolls it back where it got worse."""
        assert self.state is not None
        self._store(seen)
        measured = seen.load.measured_sojourn_seconds if seen.load else None
        after = Sojourn(measured, self.service.estimate(change.model))
        self.state, proof = prove(self.state, seen.observation, after)
        if proof.is_open:
            self.teller.tell("waiting", proof.why, {"decision": change.decision})
            return "not-judged"
        if proof.roll_back is not None:
            self.state = self.applier.roll_back(self.state, change, proof, after, seen.reading.marks)
            return "applied"
        self.teller.tell("proved", proof.why, {"decision": change.decision, "kept": proof.kept})
        if not change.is_rollback:
            self.recorder.record(change.decision, say_proved(change, proof, after))
        return self._decide(seen)

    def _decide(self, seen: Sighting) -> Result:
        """Asks for a decision on the interval that was stored, and does what comes of it."""
        assert self.state is not None
        decision = self.service.decide(goes_on=self.state.goes_on)
        self.state = self.state._replace(goes_on=False)
        self.health.succeed("decision")
        counts = decision.processors
        wish = Wish(decision.action, counts.current, counts.recommended)
        chosen = choose(self.state, wish, seen.observation, self.plan.terms)
        text = describe_decision(decision, chosen)
        self.teller.tell(
            "refused" if chosen.next == "refuse" else "decided", text, to_data(seen, decision, chosen)
        )
        if chosen.next == "hold":
            return "nothing-to-do"
        change = plan_change(decision, chosen.counts, self.engine.clock())
        if chosen.next == "apply":
            self.state, is_taken = self.applier.apply(self.state, change, seen.reading.marks)
            return "applied" if is_taken else "wanted"
        if chosen.next == "show":
            patch = self.engine.make_patch(chosen.counts, seen.reading.marks)
            self.teller.tell("wanted", describe_by_hand(change, patch), {"decision": decision.id})
        self.recorder.record(
            decision.id, say_refused(chosen.why or "shown only: the bridge runs without --apply")
        )
        return "wanted"
