"""Stores a topology discovered in a log, or compares it with the posted topology of the same name."""

import json
from typing import Any

from psycopg import Connection

from ingest.request import RunDiagnosticRow
from ingest.windows.discovery import Discovery, Known, compare_topologies, find_unlogged, report_queueings


def store_topology(connection: Connection, found: Discovery) -> list[RunDiagnosticRow]:
    """Stores a discovered topology, as a new revision if it changed; a posted topology is compared, never changed."""
    stored = connection.execute(
        "SELECT t.id, t.revision, r.definition, r.source FROM topologies t JOIN topology_revisions r"
        " ON r.topology_id = t.id AND r.revision = t.revision WHERE t.name = %s FOR UPDATE OF t",
        (found.name,),
    ).fetchone()
    known = read_known(stored[2]) if stored is not None else Known(frozenset(), {})
    definition = found.to_definition(known.queueings, known.keyed)
    inferred = report_queueings(found.name, found.queueings, known.queueings)
    if stored is None:
        row = connection.execute(
            "INSERT INTO topologies (name, revision) VALUES (%s, 1) RETURNING id", (found.name,)
        ).fetchone()
        assert row is not None
        add_revision(connection, row[0], 1, definition)
    elif stored[3] != "discovered":
        return compare_topologies(found, known) + find_unlogged(found)
    elif stored[2] != definition:
        connection.execute("UPDATE topologies SET revision = revision + 1 WHERE id = %s", (stored[0],))
        add_revision(connection, stored[0], stored[1] + 1, definition)
    return inferred + find_unlogged(found)


def add_revision(
    connection: Connection, topology_id: int, revision: int, definition: dict[str, object]
) -> None:
    connection.execute(
        "INSERT INTO topology_revisions (topology_id, revision, definition, source)"
        " VALUES (%s, %s, %s, 'discovered')",
        (topology_id, revision, json.dumps(definition)),
    )


def read_known(definition: dict[str, Any]) -> Known:
    stated = {
        str(one["name"]): one.get("queueing") or definition.get("queueing") for one in definition["operators"]
    }
    return Known(
        frozenset(str(operator["name"]) for operator in definition["operators"]),
        {(str(e["source"]), str(e["target"])): float(str(e["selectivity"])) for e in definition["edges"]},
        {name: str(queueing) for name, queueing in stated.items() if queueing},
        {str(one["name"]): str(one["keyed_by"]) for one in definition["operators"] if one.get("keyed_by")},
    )
