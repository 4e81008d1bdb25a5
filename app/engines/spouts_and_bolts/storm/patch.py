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
from app.engines.patches import Counts, EnginePatch
from planner.wording import join_names

FORMAT = "storm"
USUAL_WAIT_SECONDS = 30
FIRST_THAT_IGNORES = 2
IDENTITY, NAME = "<topology id>", "<topology name>"


def make_patch(
    counts: Counts,
    marks: Mapping[str, JsonValue],
    *,
    wait_seconds: int = USUAL_WAIT_SECONDS,
    workers: int | None = None,
) -> EnginePatch:
    """The rebalance of the bolts whose executors change: a command, and a request where Storm's UI takes it."""
    running = read_object(marks.get("executors"))
    changed = {name: count for name, count in counts.items() if read_count(running.get(name)) != count}
    limited, cut = limit_to_tasks(changed, marks)
    identity, name = read_text(marks.get("topology_id")), read_text(marks.get("topology_name"))
    command = write_command(limited, name, wait_seconds, workers)
    notes = (*note_version(marks), *cut, *note_costs(limited, wait_seconds))
    placeholders = () if name or command is None else (NAME,)
    if ignores_executors(marks) or not limited:
        return EnginePatch(FORMAT, command=command, notes=notes, placeholders=placeholders)
    options: dict[str, JsonValue] = {"executors": dict(limited)}
    if workers is not None:
        options["numWorkers"] = workers
    return EnginePatch(
        FORMAT,
        method="POST",
        path=f"/api/v1/topology/{quote(identity, safe='') if identity else IDENTITY}/rebalance/{wait_seconds}",
        body={"rebalanceOptions": options},
        command=command,
        notes=notes,
        placeholders=placeholders if identity else (IDENTITY, *placeholders),
    )


def limit_to_tasks(counts: Counts, marks: Mapping[str, JsonValue]) -> tuple[dict[str, int], tuple[str, ...]]:
    """Each count, at most the bolt's tasks, with a note where that cuts it or is not known."""
    tasks = read_object(marks.get("tasks"))
    limited, notes = {}, []
    for name, count in counts.items():
        most = read_count(tasks.get(name))
        limited[name] = count if not most else min(count, most)
        if most and count > most:
            notes.append(
                f"{name} has {most} tasks: it gets {most} executors, not {count}. More tasks need the topology to be "
                "submitted anew with setNumTasks."
            )
    unknown = [name for name in counts if not read_count(tasks.get(name))]
    if unknown:
        notes.append(
            f"The tasks of {join_names(unknown)} are unknown: Storm starts at most one executor for each task."
        )
    return limited, tuple(notes)


def ignores_executors(marks: Mapping[str, JsonValue]) -> bool:
    """Whether the UI is known to ignore the executors; only Storm 2.x has its version on the topology's page."""
    version = re.match(r"(\d+)\.", read_text(marks.get("storm_version")) or "")
    return version is not None and int(version[1]) >= FIRST_THAT_IGNORES


def note_version(marks: Mapping[str, JsonValue]) -> tuple[str, ...]:
    """Which of the two ways works with this version of Storm."""
    if ignores_executors(marks):
        note = (
            f"This is Storm {marks['storm_version']}: its UI would answer success to POST .../rebalance/<seconds> with "
            "rebalanceOptions, and leave all executors as they are. Run the command."
        )
    else:
        note = (
            "Storm 1.x takes the request. The UI of Storm 2.x would answer success and leave all executors as they "
            "are: run the command there. Compare the executors afterwards."
        )
    return (note,)


def note_costs(counts: Counts, wait_seconds: int) -> tuple[str, ...]:
    """What a rebalance does to the running topology."""
    if not counts:
        return ("No executor changes: nothing has to be sent.",)
    note = (
        f"The spouts stop for {wait_seconds} s, then all workers that change start anew; tuples that are still queued "
        "are lost, and replayed where spouts use message ids. Counts begin at 0: discard the first sample."
    )
    return (note,)


def write_command(counts: Counts, name: str | None, wait_seconds: int, workers: int | None) -> str | None:
    """storm rebalance <name> -w <seconds> -e <bolt>=<executors> ..."""
    if not counts:
        return None
    parts = ["storm", "rebalance", name or NAME, "-w", str(wait_seconds)]
    parts += ["-n", str(workers)] if workers is not None else []
    for bolt, count in counts.items():
        parts += ["-e", f"{bolt}={count}"]
    return " ".join([part if part == NAME else shlex.quote(part) for part in parts])
