"""Notes and refusals that `headgate forecast` and `headgate backtest` share."""

import re
from typing import Any, Protocol, TypeVar

from app.terminal.commands import Refused
from app.terminal.files import check_body
from planner.wording import write_seconds
from planner.workloads.series import Workload

B = TypeVar("B")


class ScheduleTerms(Protocol):
    """A body whose times are numbers of steps of its workload."""

    @property
    def interval_steps(self) -> int: ...
    @property
    def startup_steps(self) -> int: ...


def check_options(body_type: type[B], given: dict[str, Any]) -> B:
    """The body; Refused names the wrong options instead of pointers into the body."""
    try:
        return check_body(body_type, given)
    except Refused as refused:
        named = re.sub(
            r"^#/(?!workload|mst)(\w+)",
            lambda found: f"--{found[1].replace('_', '-')}",
            str(refused),
            flags=re.MULTILINE,
        )
        raise Refused(named) from refused


def describe_timing(series: Workload, terms: ScheduleTerms) -> list[str]:
    """Notes with the length of a step, and the interval and the start of VMs in steps and in time."""
    step = series.step_seconds
    return [
        f"{len(series.rates)} steps of {write_seconds(step)}",
        f"decided every {terms.interval_steps} steps ({write_seconds(terms.interval_steps * step)})",
        f"VMs start within {terms.startup_steps} ({write_seconds(terms.startup_steps * step)})",
    ]


def write_verdict(meets_target: bool | None) -> str:  # noqa: FBT001  (None is a third value)
    """The verdict as a word: a file loses colours, and some readers cannot distinguish them."""
    return {None: "no target", True: "met", False: "MISSED"}[meets_target]
