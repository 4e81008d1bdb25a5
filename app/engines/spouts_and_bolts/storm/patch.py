"""A rebalance: the request and the command that give bolts the recommended executors.

The UI of Storm 1.x takes the executors in the request's body. The UI of Storm 2.x answers "success" and reads the wait
time only (UIHelpers.putTopologyRebalance, 2.0.0 to 2.8.8): executors stay as they are. `storm rebalance` works with
both.
"""

import re
import shlex
from collections.abc import Mapping
from urllib.parse import quote

from pydantic import JsonValue

from app.engines.numbers import read_count, read_object, read_text
from app.engines.patches import Counts, EnginePatch, find_changes
from planner.wording import join_names

FORMAT = "storm"
WAIT_SECONDS = 30
FIRST_THAT_IGNORES = 2
IDENTITY, NAME = "<topology id>", "<topology name>"
IGNORED = (
    ": its UI would answer success to POST .../rebalance/<seconds> with rebalanceOptions, but leave all executors "
    "as they are. Run the command instead."
)
DEPENDS_ON_VERSION = (
    "Storm 1.x accepts the request. The UI of Storm 2.x would answer success but leave all executors as they are: "
    "run the command there. Compare the executors afterwards."
)
COSTS = (
    f"The spouts stop for {WAIT_SECONDS} s, then all workers that change restart. Tuples that are still queued are "
    "lost; spouts that use message ids replay them. Counts begin at 0: discard the first sample."
)


def make_patch(counts: Counts, marks: Mapping[str, JsonValue]) -> EnginePatch:
    """The rebalance of the bolts whose executors change: a command, and a request if Storm's UI accepts it."""
    limited, cut = limit_to_tasks(find_changes(counts, marks.get("executors")), marks)
    identity, name = read_text(marks.get("topology_id")), read_text(marks.get("topology_name"))
    command = write_command(limited, name)
    placeholders = () if name or command is None else (NAME,)
    ignores = ignores_executors(marks)
    notes = (
        f"This is Storm {marks['storm_version']}{IGNORED}" if ignores else DEPENDS_ON_VERSION,
        *cut,
        COSTS if limited else "The number of executors stays the same: there is nothing to send.",
    )
    if ignores or not limited:
        return EnginePatch(FORMAT, command=command, notes=notes, placeholders=placeholders)
    return EnginePatch(
        FORMAT,
        method="POST",
        path=f"/api/v1/topology/{quote(identity, safe='') if identity else IDENTITY}/rebalance/{WAIT_SECONDS}",
        body={"rebalanceOptions": {"executors": dict(limited)}},
        command=command,
        notes=notes,
        placeholders=placeholders if identity else (IDENTITY, *placeholders),
    )


def limit_to_tasks(counts: Counts, marks: Mapping[str, JsonValue]) -> tuple[dict[str, int], tuple[str, ...]]:
    """Each count, at most the bolt's number of tasks, with notes on counts that are reduced or whose tasks are
    unknown.
    """
    tasks = {name: read_count(read_object(marks.get("tasks")).get(name)) for name in counts}
    limited = {name: min(count, tasks[name] or count) for name, count in counts.items()}
    notes = [
        f"{name} has {most} tasks, so it gets {most} executors, not {counts[name]}. For more tasks, submit the "
        "topology again with setNumTasks."
        for name, most in limited.items()
        if most < counts[name]
    ]
    unknown = [name for name, most in tasks.items() if not most]
    if unknown:
        notes.append(
            f"The tasks of {join_names(unknown)} are unknown: Storm starts at most one executor for each task."
        )
    return limited, tuple(notes)


def ignores_executors(marks: Mapping[str, JsonValue]) -> bool:
    """Whether the UI is known to ignore the executors; only Storm 2.x has its version on the topology's page."""
    version = re.match(r"(\d+)\.", read_text(marks.get("storm_version")) or "")
    return version is not None and int(version[1]) >= FIRST_THAT_IGNORES


def write_command(counts: Counts, name: str | None) -> str | None:
    """The command `storm rebalance` that sets each bolt's executors; None if there are none to set."""
    if not counts:
        return None
    parts = ["storm", "rebalance", name or NAME, "-w", str(WAIT_SECONDS)]
    for bolt, count in counts.items():
        parts += ["-e", f"{bolt}={count}"]
    return " ".join([part if part == NAME else shlex.quote(part) for part in parts])
