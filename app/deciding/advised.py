"""What should run by a decision: the processors that it recommends, or those of the change for which it waits.

A decision to hold recommends the measured processors. Shortly after a change these are still the ones from before, and
would undo the change. So every page, report, patch, KEDA and the gauges take the processors that should run, E[T] with
them and the rate up to which they are enough from here.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, NamedTuple

from pydantic import Field
from sqlalchemy.orm import Session

from app.database.tables import DecisionRow
from app.deciding.fleet_turns import FleetShare
from app.deciding.policies.schemas import PolicyBody
from app.deciding.policies.service import find_share
from app.deciding.standing import ROLLED_BACK, find_last_change
from app.load.bodies.topology import Graph
from app.load.measurements.freshness import DataState, Withheld, find_data_state, withhold
from app.load.measurements.stored_topologies import StoredTopology
from app.web.fields import Answer, UtcTime
from planner.decisions.policy import bound_topology

UNSEEN = "This is the last change, which the measurements do not show yet."
"""Why processors should run that a decision to hold does not recommend."""


class WaitsFor(Answer):
    """An earlier change; null: not known."""

    decided_for: UtcTime
    expected_sojourn_seconds: Annotated[float | None, Field(description="E[T] with `wanted`.")]
    holds_up_to_rate: float | None


class AsOfNow(Answer):
    """The parts of a decision's answer that depend on the time at which the decision is read."""

    trial: Annotated[
        bool,
        Field(
            description="The decision never stands: made with `store: false`, under another policy than the "
            "stored one, or without the newest snapshots."
        ),
    ] = False
    data: Annotated[DataState | None, Field(description="The topology's measurements now.")] = None
    withheld: Annotated[
        Withheld | None,
        Field(description="Why not to act on what was decided, now a record; null: its data are recent."),
    ] = None
    wanted: Annotated[
        dict[str, int] | None,
        Field(
            description="The processors that should run now: those recommended, those of the change in `waits_for`, "
            "or those that run, while topologies in `after` have not given theirs up. null: withheld."
        ),
    ] = None
    after: Annotated[Sequence[str], Field(description="Topologies that give processors up first.")] = ()
    waits_for: Annotated[
        WaitsFor | None, Field(description="The last change, which measurements do not show yet; null: none.")
    ] = None


class Advised(NamedTuple):
    """The processors that should run, E[T] with them, and the rate up to which they are enough; None: not known."""

    wanted: Mapping[str, int]
    seconds: float | None = None
    holds_up_to_rate: float | None = None

    @property
    def total(self) -> int:
        """The number of processors of all operators."""
        return sum(self.wanted.values())


def describe_now(
    session: Session,
    stored: StoredTopology,
    action: str,
    decided_for: datetime,
    answer: Mapping[str, Any],
    *,
    is_trial: bool,
) -> AsOfNow:
    """Returns the state of the data now, whether the decision is withheld, and the processors that should run by it.

    `answer` is the decision as a JSON document.
    """
    data = find_data_state(session, stored)
    withheld = withhold(stored.name, data, decided_for)
    if withheld:
        return AsOfNow(trial=is_trial, data=data, withheld=withheld)
    last = find_waited_for(session, stored, action, decided_for, answer)
    wanted = want(stored, last, answer)
    waits_for = None
    share = None if is_trial else find_share(session, stored)
    if share is not None and (kept := keep_turn(wanted, answer["processors"]["current"], share)) != wanted:
        return AsOfNow(trial=is_trial, data=data, wanted=kept, after=share.givers)
    if last is not None and wanted != answer["processors"]["recommended"]:
        advised = take_numbers(wanted, last.processors, last.recommended_seconds, last.holds_up_to_rate)
        waits_for = WaitsFor(
            decided_for=last.decided_for,
            expected_sojourn_seconds=advised.seconds,
            holds_up_to_rate=advised.holds_up_to_rate,
        )
    return AsOfNow(trial=is_trial, data=data, wanted=wanted, waits_for=waits_for)


def describe_newer(decision: AsOfNow, decided_for: datetime) -> str:
    """Says that newer measurements are stored than those of a decision; the text is empty if there are none."""
    data = decision.data
    if data is None or data.measured_until is None or data.measured_until <= decided_for:
        return ""
    return f"Nothing was decided on the newest measurements yet. {data.detail}"


def find_wanted(
    session: Session, stored: StoredTopology, action: str, decided_for: datetime, answer: Mapping[str, Any]
) -> dict[str, int]:
    """Returns the processors that should run by a decision, whomever it waits for; `answer` is its JSON document."""
    return want(stored, find_waited_for(session, stored, action, decided_for, answer), answer)


def find_waited_for(
    session: Session, stored: StoredTopology, action: str, decided_for: datetime, answer: Mapping[str, Any]
) -> DecisionRow | None:
    """Returns the change that began the cooldown for which a decision holds; None if it holds for no cooldown."""
    is_waiting = action == "hold" and answer["cooldown_left_seconds"] > 0.0  # as standing.WAITS in SQL
    return find_last_change(session, stored, decided_for) if is_waiting else None


def want(stored: StoredTopology, last: DecisionRow | None, answer: Mapping[str, Any]) -> dict[str, int]:
    """Returns the processors that should run by a decision that waits for `last`."""
    recommended = answer["processors"]["recommended"]
    return bound_wanted(recommended, read_counts(last), stored.definition, answer["policy"])


def take_numbers(
    wanted: Mapping[str, int], change: Mapping[str, Any] | None, seconds: float | None, reach: float | None
) -> Advised:
    """The processors that should run, with the numbers of a change if they are all that the change recommended."""
    is_whole = change is not None and wanted == change["recommended"]
    return Advised(wanted, seconds, reach) if is_whole else Advised(wanted)


def bound_wanted(
    recommended: Mapping[str, int], since: Mapping[str, int], definition: Any, policy: Any
) -> dict[str, int]:
    """Returns the processors that run `since` the change for which a decision waits, within the present bounds.

    The change may be older than the bounds of the topology and the policy.
    """
    wanted = {name: since.get(name, count) for name, count in recommended.items()}
    if not since:
        return wanted
    topology = Graph.model_validate(definition).to_values()
    for one in bound_topology(topology, PolicyBody.model_validate(policy).to_value()).operators:
        if one.name in wanted:
            most = wanted[one.name] if one.ceiling is None else min(wanted[one.name], one.ceiling)
            wanted[one.name] = max(most, one.min_processors)
    return wanted


def read_wanted(row: Any, recommended: Mapping[str, int]) -> dict[str, int]:
    """Returns the processors that should run, from a row with columns of `select_decided` and `select_waited_for`."""
    since = {} if row.change is None else join_counts(row.change, row.change_outcome)
    wanted = bound_wanted(recommended, since, row.definition, row.held_policy)
    share = None if row.share is None else FleetShare(row.share, row.after or ())
    return keep_turn(wanted, row.before_turn, share)


def keep_turn(
    wanted: Mapping[str, int], running: Mapping[str, int] | None, share: FleetShare | None
) -> dict[str, int]:
    """Returns what runs, where more is wanted than the share of a fleet's budget, or before others gave processors up;
    else what is wanted.
    """
    total = sum(wanted.values())
    if share and running and total > sum(running.values()) and (share.givers or total > share.processors):
        return dict(running)
    return dict(wanted)


def read_waited_for(row: Any) -> Advised | None:
    """Returns what should run by the change for which the standing decision waits, from such a row; None if it waits
    for none that its measurements do not show.
    """
    wanted = read_wanted(row, row.held) if row.held else row.held
    if wanted == row.held:
        return None
    return take_numbers(wanted, row.change, row.change_seconds, row.change_reach)


def read_counts(change: DecisionRow | None) -> dict[str, int]:
    """Returns the processors that run since a change: as reported, else as recommended, or as before if the change was
    rolled back.
    """
    return (
        {}
        if change is None or change.answer is None
        else join_counts(change.answer["processors"], change.outcome)
    )


def join_counts(processors: Mapping[str, Any], outcome: Mapping[str, Any] | None) -> dict[str, int]:
    """Returns what `read_counts` returns, from the processors in a change's answer and the outcome of the change."""
    reported = outcome or {}
    since = "current" if reported.get("state") == ROLLED_BACK else "recommended"
    counts: dict[str, int] = processors[since]
    return counts | (reported.get("processors") or {})
