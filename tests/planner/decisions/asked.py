"""A decision from loose values, as tests ask for it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from planner.decisions.case import DecisionQuestion
from planner.decisions.catch_up import CatchUpTerms
from planner.decisions.compose import Decision
from planner.decisions.compose import decide as decide_question
from planner.decisions.horizon import NO_OUTLOOK, RateOutlook
from planner.decisions.policy import LastChange, Policy
from planner.values import Load, Topology
from planner.workloads.rates_ahead import RateAhead


def ask(
    topology: Topology,
    load: Load,
    running: Sequence[int],
    policy: Policy,
    last: LastChange | None = None,
    *,
    rate_ahead: float | None = None,
    catch_up: CatchUpTerms | None = None,
    **options: Any,
) -> DecisionQuestion:
    outlook = NO_OUTLOOK
    if rate_ahead is not None:
        outlook = RateOutlook(RateAhead(rate_ahead, rate_ahead, 1, policy.qos_target, "given", 0))
    left = None if catch_up is None else catch_up.left_seconds
    policy = replace(policy, catch_up_seconds=None if catch_up is None else catch_up.within_seconds)
    return DecisionQuestion(
        topology, load, running, policy, last, outlook=outlook, catch_up_left_seconds=left, **options
    )


def decide(*values: Any, **options: Any) -> Decision:
    return decide_question(ask(*values, **options))
