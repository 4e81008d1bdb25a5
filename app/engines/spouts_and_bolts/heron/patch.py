"""heron update: the command that gives bolts the recommended instances; Heron's tracker changes nothing."""

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
"""What heron update takes as the name of a component."""


def make_patch(counts: Counts, marks: Mapping[str, JsonValue]) -> EnginePatch:
    """heron update <cluster>/<role>/<environ> <topology> --component-parallelism=<bolt>:<instances> ..."""
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
    """What the change needs and costs."""
    notes = []
    if refused:
        notes.append(
            f"heron update takes letters, digits, '_', '.' and '-' in names: {join_names(refused)} cannot be changed."
        )
    if not taken:
        return [*notes, "No instances change: nothing has to be run."]
    cost = (
        "Heron packs the topology anew: the topology is deactivated, containers are added or removed, and instances "
        "that move start again. Add --dry-run to see the new packing plan first."
    )
    keys = "Keys of a fields grouping move to other instances; state in memory stays behind."
    return [*notes, cost, keys, "This was never tried on a running Heron."]
