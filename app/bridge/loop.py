"""The loop of the bridge: it samples, stores, asks for decisions, applies and proves them, one interval after the
other.

The bridge may be ended at any moment: at its start it reads its state again from the engine and from the service.
"""

from dataclasses import replace
from datetime import datetime
from typing import Any, Literal, NamedTuple

from app.bridge.changes import (
    Applier,
    OutcomeRecorder,
    describe_by_hand,
    find_distrusted,
    find_unproved,
    make_failure,
    make_outcome,
    make_refusal,
    plan_change,
)
from app.bridge.decision_texts import describe_decision, to_data
from app.bridge.engine_link import EngineLink, EngineSample, observe
from app.bridge.events import Health, Reporter
from app.bridge.http_clients import Unanswered
from app.bridge.service_link import NotDecided, ServiceLink
from app.bridge.state_machine import adopt, advance, choose, prove
from app.bridge.states import BridgeState, Change, NextStep, Sojourn, Terms, Wish, write_counts
from app.engines.answers import EngineAnswer, UnreadableAnswer

Result = Literal["nothing-to-do", "applied", "wanted", "waiting", "not-judged"]
LONGEST_GAP, LEAST_GAP_SECONDS = 4.0, 10.0
"""The longest gap between two samples, in intervals and in seconds at least: a mean over a longer time would hide
what happened in it.
"""

MOST_LOOKS = 1200


class BridgePlan(NamedTuple):
    """The settings of a bridge: the options, the interval, and the policy for a topology that has none."""

    terms: Terms
    interval_seconds: float
    policy: dict[str, Any] | None


class Bridge:
    """A bridge between one job of an engine and one topology of the service."""

    def __init__(
        self, plan: BridgePlan, engine: EngineLink, service: ServiceLink, reporter: Reporter, health: Health
    ) -> None:
        self.plan, self.engine, self.service, self.health = plan, engine, service, health
        self.reporter = reporter
        self.recorder = OutcomeRecorder(service, reporter)
        self.applier = Applier(engine, self.recorder, reporter)
        self.state: BridgeState | None = None
        self.before: list[EngineAnswer] = []
        self.looks: list[EngineAnswer] = []
        self.last_end: datetime | None = None
        self.has_policy = plan.policy is None

    def turn(self) -> Result:
        """Does the work of one interval; raises Unanswered if the engine or the service does not answer."""
        self.health.succeed("loop")
        sample = self._take_sample()
        seen = sample.observation
        self.recorder.catch_up()
        if self.state is None:
            if not seen.running:
                self.reporter.report("not-judged", seen.flaw or "the running processors are unknown")
                return "not-judged"
            self.state = self._start(sample)
        self.state, step = advance(self.state, seen, self.plan.terms)
        try:
            return self._follow(step, sample)
        except NotDecided as error:
            self.reporter.report("not-judged", str(error), {"code": error.kind})
            self.has_policy = self.plan.policy is None  # it may have been deleted
            return "not-judged"

    def _take_sample(self) -> EngineSample:
        now = self.engine.take_sample()
        self._note_answer("engine")
        if self._is_gap(now):
            self.before = []
        try:
            sample = observe(self.engine.engine, self.before, now, self.last_end)
        except UnreadableAnswer as error:
            raise Unanswered("engine", f"cannot be read: {error.detail}") from error
        if not (self.before and sample.is_early):
            sample = replace(sample, answers=(*sample.answers, *self.looks))
            self.before, self.looks = now, []
        return sample

    def list_looks(self) -> list[str]:
        """The paths that count what sources emitted; empty if there are none, or enough was counted."""
        return self.engine.list_looks(self.before) if len(self.looks) < MOST_LOOKS else []

    def look(self) -> None:
        """Counts what sources emitted up to now, between two samples."""
        self.looks += self.engine.look(self.list_looks())

    def _note_answer(self, who: Literal["engine", "service"]) -> None:
        self.health.succeed(who)
        self.reporter.report_back(who)

    def _is_gap(self, now: list[EngineAnswer]) -> bool:
        """Whether the last sample is too old to form an interval with the present one."""
        times = [
            max((one.at.timestamp() for one in asked if one.at), default=0.0) for asked in (self.before, now)
        ]
        return times[1] - times[0] > max(LONGEST_GAP * self.plan.interval_seconds, LEAST_GAP_SECONDS)

    def _start(self, sample: EngineSample) -> BridgeState:
        """The state that the last bridge left behind, read from the service and from a sample of the engine."""
        if not self.plan.terms.apply:
            return adopt(sample.observation, None, self.plan.interval_seconds)
        last, step = self.service.find_last_change(), self.plan.terms.max_step
        self._note_answer("service")
        state = adopt(sample.observation, find_unproved(last, step), self.plan.interval_seconds)
        if state.change is not None:
            asked = write_counts(state.change.asked)
            self.reporter.report(
                "runs", f"the effect of a change by an earlier bridge is not measured yet: {asked}"
            )
        return state._replace(distrust=find_distrusted(last, step))

    def _follow(self, step: NextStep, sample: EngineSample) -> Result:
        """Carries out the step that the state machine chose."""
        if step.ended is not None:
            self._end_change(step.ended, step, sample)
        change = self.state.change if self.state else None
        if step.next == "prove" and change is not None:
            return self._prove(sample, change)
        if step.next == "decide":
            self._store(sample)
            return self._decide(sample)
        self.service.reach()
        self._note_answer("service")
        if step.next == "wait":
            self.reporter.report("waiting", step.why.partition(",")[2].strip())
            return "waiting"
        if step.next == "discard":
            self.reporter.report("discarded", step.why)
        elif step.next == "skip":
            self.reporter.report("not-judged", step.why)
        return "not-judged"

    def _end_change(self, change: Change, step: NextStep, sample: EngineSample) -> None:
        self.reporter.report("failed", step.why, {"decision": change.decision})
        if not change.is_rollback:  # that it was rolled back stays its outcome
            running = sample.observation.running
            self.recorder.record(change.decision, make_failure(change, running, step.why))

    def _store(self, sample: EngineSample) -> None:
        """Stores the measured interval; if the topology has no policy, stores the policy from the options."""
        self.service.store(self.engine.engine, sample.answers)
        self._note_answer("service")
        self.last_end = sample.ends_at
        if not self.has_policy and self.plan.policy is not None:
            stored = self.service.ensure_policy(self.plan.policy)
            self.has_policy = True
            if stored is not None:
                text = "the topology has another policy already, which stays in force"
                self.reporter.report("note", text)

    def _prove(self, sample: EngineSample, change: Change) -> Result:
        """Compares E[T] after a change with the promised E[T], and rolls the change back if E[T] got worse."""
        assert self.state is not None
        self._store(sample)
        measured = sample.load.measured_sojourn_seconds if sample.load else None
        after = Sojourn(measured, self.service.estimate(change.model))
        self.state, proof = prove(self.state, sample.observation, after)
        if proof.is_open:
            self.reporter.report("waiting", proof.why, {"decision": change.decision})
            return "not-judged"
        if proof.roll_back is not None:
            self.state = self.applier.roll_back(self.state, change, proof, after, sample.reading.marks)
            return "applied"
        self.reporter.report("proved", proof.why, {"decision": change.decision, "kept": proof.kept})
        if not change.is_rollback:
            outcome = make_outcome("applied", change, change.asked, proof.why, after)
            self.recorder.record(change.decision, outcome)
        return self._decide(sample)

    def _decide(self, sample: EngineSample) -> Result:
        """Asks the service for a decision on the stored interval, and carries the decision out."""
        assert self.state is not None
        decision = self.service.decide(goes_on=self.state.goes_on)
        self.state = self.state._replace(goes_on=False)
        self.health.succeed("decision")
        counts, marks = decision.processors, sample.reading.marks
        wish = Wish(decision.action, counts.current, counts.recommended)
        chosen = choose(self.state, wish, sample.observation, self.plan.terms)
        data = to_data(sample.reading, sample.load, decision, chosen)
        kind: Literal["refused", "decided"] = "refused" if chosen.next == "refuse" else "decided"
        self.reporter.report(kind, describe_decision(decision, chosen), data)
        if chosen.next == "hold":
            return "nothing-to-do"
        change = plan_change(decision, chosen.counts, self.engine.clock())
        if chosen.next == "apply":
            self.state, is_taken = self.applier.apply(self.state, change, marks)
            return "applied" if is_taken else "wanted"
        if chosen.next == "show":
            by_hand = describe_by_hand(change, self.engine.make_patch(chosen.counts, marks))
            self.reporter.report("wanted", by_hand, {"decision": decision.id})
        why = chosen.why or "shown only, because the bridge runs without --apply"
        self.recorder.record(decision.id, make_refusal(why))
        return "wanted"
