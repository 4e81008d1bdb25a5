"""Decisions about many topologies together, which share one budget of processors.

    plan of the fleet -> each topology's share -> its rules -> the plan again, where a rule keeps more than the share

A share is the proposal of a topology's decision. Rules may hold it back, such as a cooldown. What they keep is then
fixed, and the others share what remains, so that the decisions together never ask for more than the budget.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from planner.decisions.case import Case, DecisionQuestion, survey_case
from planner.decisions.compose import propose_decision
from planner.decisions.goals.capacity_goal import Room
from planner.decisions.policy import BudgetShare, Policy
from planner.errors import BudgetTooSmall, PlannerError
from planner.fleet.claims import Member, translate_target
from planner.fleet.common_peak import CommonPeak, JointHistory, find_common_peak
from planner.fleet.order import ShiftedTotal, Turn, order_changes
from planner.fleet.plan import FleetPlan, Share, plan_fleet
from planner.situations.situation import Situation
from planner.wording import join_names, write_counted

MOST_DRAWN = 20
"""Topologies whose target is drawn tuple by tuple, some tenths of a second each."""
NAMED = 3


@dataclass(frozen=True)
class FleetPart:
    """A topology of a fleet: the question of its own decision, and its terms in the fleet."""

    name: str
    question: DecisionQuestion
    weight: float = 1.0
    priority: int = 0
    floor: int = 0


@dataclass(frozen=True)
class SharedDecisions:
    """The plan of a fleet, and by name: the question whose decision has the share, the turn, the processors of all
    operators after the change, notes on targets, and what keeps a topology from being planned. `peak`: what is kept
    for the common peak; None: no reserve is asked for.
    """

    plan: FleetPlan
    questions: Mapping[str, DecisionQuestion]
    turns: Mapping[str, Turn]
    totals: Mapping[str, int]
    notes: Mapping[str, str]
    held: Mapping[str, PlannerError]
    peak: CommonPeak | None = None


@dataclass
class BudgetSharing:
    """The search for decisions that fit the budget: cases and members by name, the shares that they were asked to take,
    and the processors of those that are fixed.
    """

    k_max: int
    taken: int
    reserve: int = 0
    cases: dict[str, Case] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    held: dict[str, PlannerError] = field(default_factory=dict)
    asked: dict[str, BudgetShare] = field(default_factory=dict)
    fixed: dict[str, list[int]] = field(default_factory=dict)

    def add(self, part: FleetPart) -> None:
        """Adds a topology; one that cannot be surveyed is held, and keeps what runs."""
        drawn = sum(bool(note) for note in self.notes.values())
        try:
            case = survey_case(part.question)
            situation = keep_room(case.sized[0], case.policy)
            target, note, _ = find_target(situation, case.policy, may_draw=drawn < MOST_DRAWN)
        except PlannerError as error:
            self.held[part.name] = error
            self.taken += sum(part.question.running)
            return
        self.cases[part.name], self.notes[part.name] = case, note
        self.members[part.name] = Member(
            part.name,
            situation,
            target,
            part.weight,
            part.priority,
            part.floor,
            case.policy.k_max,
            case.running,
        )

    def settle(self) -> FleetPlan:
        """Plans, and plans again with what rules keep, until the decisions fit; raises BudgetTooSmall.

        Each round fixes one topology more at least, so the search ends.
        """
        plan = self.plan()
        while True:
            self.ask(plan)
            counts = {name: self.find_counts(name) for name in self.cases}
            over = [one for one in self.asked if sum(counts[one]) > sum(self.asked[one].counts)]
            over = [one for one in over if one not in self.fixed]
            if not over or self.taken + sum(map(sum, counts.values())) <= self.k_max:
                return plan
            self.fixed |= {name: counts[name] for name in over}
            try:
                plan = self.plan()
            except BudgetTooSmall:
                # What is kept is needed elsewhere: those that would take more wait for the next decisions.
                for name, case in self.cases.items():
                    if sum(self.asked[name].counts) > sum(case.running):
                        self.fixed[name] = case.running
                        detail = "The processors that it needs are not given up yet."
                        self.asked[name] = BudgetShare(case.running, detail)
                plan = self.plan()

    def plan(self) -> FleetPlan:
        """The best share of the budget with what is fixed."""
        members = [fix(one, self.fixed.get(name)) for name, one in self.members.items()]
        return plan_fleet(members, self.k_max, taken=self.taken, reserve=self.reserve)

    def ask(self, plan: FleetPlan) -> None:
        """Notes the shares of a plan; those that others need are urgent."""
        found = [share for share in plan.shares if share.member.name not in self.fixed]
        late = {share.member.name for share in found if is_late(self.members[share.member.name])}
        runs = {name: sum(case.running) for name, case in self.cases.items()}
        taken = sum(max(one.total - runs[one.member.name], 0) for one in found if one.member.name in late)
        is_short = taken > self.k_max - self.taken - sum(runs.values())
        for one in found:
            name = one.member.name
            is_urgent = name in late or (is_short and one.total < runs[name])
            self.asked[name] = BudgetShare(one.counts, self.describe(one), is_urgent=is_urgent)
        for member, error in plan.held:
            if member.name not in self.fixed:
                self.asked[member.name] = BudgetShare(list(member.running or ()), str(error))

    def describe(self, share: Share) -> str:
        """The reason for a share."""
        budget = write_counted(self.k_max, "processor")
        said = f"{share.total:,} of the {budget} that topologies share are for this one."
        if share.meets and share.total > share.needed:
            said += f" Its target takes {share.needed:,}; the others are left over, and shorten E[T]."
        return said if share.lost is None else f"{said} {share.lost}"

    def find_counts(self, name: str) -> list[int]:
        """The processors that a topology's decision recommends for its share."""
        case = self.cases[name]
        question = replace(case.question, share=self.asked[name])
        proposal = propose_decision(replace(case, question=question))[1]
        return case.running if proposal.is_held else proposal.recommended


def decide_together(
    parts: Sequence[FleetPart],
    k_max: int,
    taken: int = 0,
    joint: JointHistory | None = None,
    growing: Mapping[str, int] | None = None,
) -> SharedDecisions:
    """Shares a budget among topologies, so that each has a decision; raises BudgetTooSmall.

    `taken` of the budget run at topologies without a question. With a joint history, what the common peak takes is kept
    free for targets. `growing`: what earlier decisions let topologies run, which may not be measured yet.
    """
    sharing = BudgetSharing(k_max, taken)
    for part in parts:
        sharing.add(part)
    peak = None if joint is None else find_common_peak(list(sharing.members.values()), joint)
    sharing.reserve = 0 if peak is None else peak.processors
    plan = sharing.settle()
    totals = {name: sum(sharing.find_counts(name)) for name in sharing.cases}
    may_run = growing or {}
    changes = [
        ShiftedTotal(
            name,
            max(sum(case.running), may_run.get(name, 0)),
            totals[name],
            sharing.members[name].priority,
        )
        for name, case in sharing.cases.items()
    ]
    turns = order_changes(changes, k_max - sharing.taken - sum(one.before for one in changes))
    questions = {
        name: replace(case.question, share=say_turn(sharing.asked[name], turns[name]))
        for name, case in sharing.cases.items()
    }
    return SharedDecisions(plan, questions, turns, totals, sharing.notes, sharing.held, peak)


def say_turn(share: BudgetShare, turn: Turn) -> BudgetShare:
    """The share with a sentence on who gives before this topology takes, or who takes what it gives."""
    said = share.detail
    if turn.after:
        said += f" It waits until {join_names(turn.after, NAMED)} gave processors up."
    if turn.takers:
        said += f" What it gives up goes to {join_names(turn.takers, NAMED)}."
    return replace(share, detail=said)


def is_late(member: Member) -> bool:
    """Whether a topology misses its target, or cannot keep up, with what runs."""
    situation, running = member.situation, member.running or []
    stations = situation.stations
    floors = stations.list_least_stable([int(one) for one in stations.min_processors])
    if any(count < least for count, least in zip(running, floors, strict=True)):
        return True
    seconds = situation.sum_sojourns(situation.wait_seconds(running))
    return not seconds <= (float("inf") if member.t_max_seconds is None else member.t_max_seconds)


def fix(member: Member, counts: Sequence[int] | None) -> Member:
    """The topology with these processors and no others; None: as it is."""
    if counts is None:
        return member
    stations = replace(member.situation.stations, min_processors=counts, max_processors=counts)
    situation = member.situation._replace(stations=stations)
    return member._replace(situation=situation, floor=0, most=None, running=list(counts))


def keep_room(situation: Situation, policy: Policy) -> Situation:
    """The situation, with as many processors at least as a goal of `utilisation` takes."""
    if policy.utilisation is None:
        return situation
    least = Room(situation.stations, policy.utilisation).find_fewest()
    return situation._replace(stations=replace(situation.stations, min_processors=least))


def find_target(
    situation: Situation, policy: Policy | None, *, may_draw: bool
) -> tuple[float | None, str, bool]:
    """The target of E[T] that stands for a policy's goal, a note on it, and whether tuples were drawn for it."""
    limit = None if policy is None else policy.limit
    if limit is None:
        keeps = "keeps up" if policy is None or policy.utilisation is None else "keeps its room"
        return None, f"It has no target of time: it {keeps}, and has its part of what targets leave.", False
    if limit.is_expected_sojourn:
        return limit.seconds, "", False
    if not may_draw:
        return None, f"It is planned without its target: {MOST_DRAWN} others are drawn tuple by tuple.", False
    seconds = translate_target(situation, limit)
    return seconds, f"E[T] stands for {limit.measured}: the E[T] of the fewest processors that keep it.", True
