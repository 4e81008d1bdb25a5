"""Rescales and restarts within the window of a rate: its value is too low then."""

from collections.abc import Sequence
from typing import Literal

from app.engines.prometheus.tables import SAME_TIME, Moment

Change = Literal["changed", "start_not_seen"]


def find_changes(moments: Sequence[Moment], *, is_asked: bool) -> dict[float, Change] | None:
    """The times whose windows hold a change, or may; None where the answers cannot show any.

    By the instances that ran through the window where they were asked for (no answer: there was none). Else by the
    processors at all times within the window: where the range begins later than the window, a start is not seen.
    """
    if is_asked:
        return {moment.at: "changed" for moment in moments if _has_changed(moment)}
    counted = [moment for moment in moments if _is_counted(moment)]
    if len(counted) < 2:
        return None
    found: dict[float, Change] = {}
    for moment in moments:
        start = moment.at - moment.window
        within = [one for one in moments if start - SAME_TIME <= one.at <= moment.at]
        if not all(map(_is_counted, within)) or any(_differ(one, moment) for one in within):
            found[moment.at] = "changed"
        elif not any(one.at <= start + SAME_TIME for one in counted):
            found[moment.at] = "start_not_seen"
    return found


def _is_counted(moment: Moment) -> bool:
    """Whether the number of processors is known; a gap means that the job did not run."""
    return any(values.get("processors") is not None for values in moment.operators.values())


def _has_changed(moment: Moment) -> bool:
    """Whether an operator's instances are not the same as before; those of a job that ended are not counted."""
    return any(
        values.get("unchanged_processors") is None
        or values["unchanged_processors"] != values.get("processors")
        for values in moment.operators.values()
        if values.get("served_rate") is not None or "processors" in values
    )


def _differ(one: Moment, other: Moment) -> bool:
    """Whether an operator has another number of processors; one that is absent says nothing."""
    return any(
        one.find(name, "processors") != other.find(name, "processors")
        for name in one.operators.keys() & other.operators.keys()
        if "processors" in one.operators[name] and "processors" in other.operators[name]
    )
