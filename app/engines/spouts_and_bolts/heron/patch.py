"""heron update: the command that gives bolts the recommended instances; Heron's tracker cannot change a topology."""

import re
import shlex
from collections.abc import Mapping

from pydantic import JsonValue

from app.engines.numbers import read_text
from app.engines.patches import Counts, EnginePatch, find_changes
from app.engines.spouts_and_bolts.heron.documents import IDENTITY
from planner.wording import join_names

FORMAT = "heron"
ACCEPTED = re.compile(r"[\w.-]+")
"""The names of components that heron update accepts."""


def make_patch(counts: Counts, marks: Mapping[str, JsonValue]) -> EnginePatch:
    """The command that changes the instances of bolts: heron update <cluster>/<role>/<environ> <topology> ..."""
    changed = find_changes(counts, marks.get("instances"))
    refused = [name for name in changed if not ACCEPTED.fullmatch(name)]
    taken = {name: max(count, 1) for name, count in changed.items() if name not in refused}
    parts = {key: read_text(marks.get(key)) for key in IDENTITY}
    placeholders = tuple([f"<{key}>" for key, value in parts.items() if value is None])
    said = {key: f"<{key}>" if value is None else shlex.quote(value) for key, value in parts.items()}
    options = "".join([f" --component-parallelism={name}:{count}" for name, count in taken.items()])
    where = f"{said['cluster']}/{said['role']}/{said['environ']} {said['topology']}"
    return EnginePatch(
        FORMAT,
        command=f"heron update {where}{options}" if taken else None,
        notes=tuple(make_notes(taken, refused)),
        placeholders=placeholders if taken else (),
    )


def make_notes(taken: Counts, refused: list[str]) -> list[str]:
    """The notes of the heron update: what it needs and costs, and which bolts it leaves out."""
    notes = []
    if refused:
        notes.append(
            f"{join_names(refused)} cannot be changed: heron update accepts only letters, digits, '_', '.' and '-' "
            "in names."
        )
    if not taken:
        return [*notes, "The number of instances stays the same: there is nothing to run."]
    cost = (
        "Heron packs the topology again: it deactivates the topology, adds or removes containers, and restarts "
        "the instances that move. Add --dry-run to see the new packing plan first."
    )
    keys = "Keys of a fields grouping move to other instances; state in memory is not moved with them."
    return [*notes, cost, keys, "This command was not tested on a running Heron."]
