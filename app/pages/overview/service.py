"""Reads the overview and describes each topology in a sentence."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Row
from sqlalchemy.orm import Session

from app.deciding.standing import read_wanted
from app.load.measurements.freshness import describe_data, withhold
from app.pages.overview.gathering import gather_page
from app.pages.overview.schemas import STATUSES, Overview, OverviewFilter, OverviewRow
from app.web.paging import Page
from app.web.problems.stored_data_errors import AHEAD_OF_CLOCK
from planner.wording import write_count, write_numbers_apart, write_seconds, write_seconds_apart


def to_row(row: Row[Any], now: datetime) -> OverviewRow:
    """One topology; of a decision that is withheld no number is shown."""
    data = describe_data(row.until, row.limit_seconds, row.ahead_until, now, has_policy=row.has_policy)
    withheld = withhold(row.name, data, row.decided_for, now)
    shown = None if withheld else row
    advised = find_advised(row) if shown and row.held else shown and read_own(row)
    found = OverviewRow(
        name=row.name,
        revision=row.revision,
        status=STATUSES[row.severity],
        detail="",
        decision_id=row.id,
        data=data,
        withheld=withheld,
        action=None if withheld else row.action,
        decided_for=row.decided_for,
        processors_running=shown and shown.running,
        processors_recommended=advised and advised.recommended,
        expected_sojourn_seconds=shown and shown.current_seconds,
        recommended_sojourn_seconds=advised and advised.seconds,
        measured_sojourn_seconds=row.measured,
        target_seconds=row.target,
        external_rate=row.external_rate,
        holds_up_to_rate=advised and advised.holds_up_to_rate,
        measured_until=row.until,
        outcome=row.outcome,
        rates=row.rates or [],
        day=row.day or [],
        judged_minutes=row.kept[0],
        kept_minutes=row.kept[1],
        processor_hour_price=row.processor_hour_price,
        labels=row.labels or [],
    )
    return found.model_copy(update={"detail": describe(found)})


class Advised(NamedTuple):
    """The processors that should run, E[T] with them, and the rate up to which they are enough."""

    recommended: int | None
    seconds: float | None = None
    holds_up_to_rate: float | None = None


def read_own(row: Row[Any]) -> Advised:
    """The numbers that the standing decision recommends."""
    return Advised(row.recommended, row.recommended_seconds, row.holds_up_to_rate)


def find_advised(row: Row[Any]) -> Advised:
    """The numbers of the processors that should run while a decision waits for an earlier change.

    They are those of the earlier change, if its processors are recommended; other processors have no numbers yet.
    """
    wanted = read_wanted(row, row.held)
    if wanted == row.held:
        return read_own(row)
    if row.change is not None and wanted == row.change["recommended"]:
        return Advised(sum(wanted.values()), row.change_seconds, row.change_reach)
    return Advised(sum(wanted.values()))


def describe(row: OverviewRow) -> str:
    """The status in a sentence."""
    are = "is" if row.processors_recommended == 1 else "are"
    change = (
        f"{count_running(row, 'runs', 'run')}, {write_count(row.processors_recommended)} {are} recommended"
    )
    if row.status == "target-missed":
        measured, target = write_seconds_apart(row.measured_sojourn_seconds or 0.0, row.target_seconds or 0.0)
        return f"The newest snapshot measured {measured}, above the target of {target}."
    if row.status == AHEAD_OF_CLOCK:
        return row.data.detail
    if row.withheld is not None and row.decision_id is not None:
        return f"{row.withheld.detail} {row.withheld.remedy}"
    return {
        "overloaded": f"An operator cannot keep up: {change}.",
        "target-missed-estimated": f"The estimate misses the target of {write_seconds(row.target_seconds)}: {change}.",
        "stale": f"{row.data.detail} Nothing is decided until a newer snapshot is sent.",
        "change-wanted": f"{change}.",
        "undecided": "The topology has a policy and no decision yet: ask for one.",
        "no-policy": "The topology has no policy: set a goal, such as t_max_seconds.",
        "no-measurements": "Nothing was measured yet: send a snapshot.",
        "fine": describe_hold(row),
    }[row.status]


def count_running(row: OverviewRow, of_one: str, of_more: str) -> str:
    """How many processors run, with the verb of one or of more: `1 processor runs`, `13 processors run`."""
    count = row.processors_running
    return f"1 processor {of_one}" if count == 1 else f"{write_count(count)} processors {of_more}"


def describe_hold(row: OverviewRow) -> str:
    """A sentence on a decision that holds, perhaps because it waits for an earlier change."""
    if row.processors_recommended == row.processors_running:
        return f"The newest decision holds: {count_running(row, 'runs', 'run')}.{say_beyond(row)}"
    return (
        f"The newest decision waits for the last change: {count_running(row, 'ran', 'ran')}, and "
        f"{write_count(row.processors_recommended)} should run."
    )


def say_beyond(row: OverviewRow) -> str:
    """A sentence where the newest rate is above the one up to which the processors are enough, else nothing."""
    rate, reach = row.external_rate, row.holds_up_to_rate
    if rate is None or reach is None or rate <= reach:
        return ""
    newest, enough = write_numbers_apart(rate, reach)
    return (
        f" The newest rate, {newest}/s, is above the {enough}/s up to which they are enough; no change is decided for "
        "one interval alone."
    )


def read_overview(session: Session, page: Page, wanted: OverviewFilter) -> Overview:
    """A page of topologies, the most urgent first, and the number of topologies in each status."""
    now = datetime.now(UTC)
    rows, following, counts = gather_page(session, now, page, wanted)
    items = [to_row(row, now) for row in rows]
    return Overview.model_validate({"counts": counts, "items": items, "next": following})
