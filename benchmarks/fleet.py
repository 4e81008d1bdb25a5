"""Fills many topologies with days of minutes, set by set, and compares the rows with those that the service stored.

The service's own code stores the topology TEMPLATE with its policy, and an hour of its minutes with their decisions.
Postgres copies the hour into all topologies and back in time, the oldest hour first and minute by minute, so the rows
of a topology lie as far apart as if all had posted each minute. Indexes are made anew afterwards.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, text

TEMPLATE = "fleet-0"
TEMPLATE_ID = f"(SELECT id FROM topologies WHERE name = '{TEMPLATE}')"
MINUTES = {"snapshots": "observed_at", "decisions": "decided_for"}
"""The tables that have a row for each minute, with the column of its time."""
MOVED = {"observed_at", "stored_at", "created_at", "decided_for", "finished_by"}
IDS = {"id", "base_id", "content"}
NAMED = "INSERT INTO topologies (name, revision) SELECT 'fleet-' || n, 1 FROM generate_series(1, :last) n"
AUDITED = """
INSERT INTO audit (at, method, address, name, status, is_counted, count)
SELECT date_trunc('hour', now()) - hour * interval '1 hour', 'POST', '/v1/topologies/' || name || '/' || posted, name,
  201, true, 60
FROM generate_series(:hours, 1, -1) hour, topologies, unnest(ARRAY['snapshots', 'decisions']) posted
"""
OF_ONE = "/v1/topologies/ONE"
PATHS = (
    *(
        "/v1/overview",
        "/v1/overview?limit=1000",
        "/v1/overview?contains=99",
        "/v1/topologies?limit=1000",
        "/metrics",
    ),
    *("/v1/audit", "/v1/audit?name=ONE", "/v1/audit?name=unknown", "/v1/audit?key=unknown"),
    *(
        OF_ONE + part
        for part in ("", "/policy", "/plans", "/placements", "/mst-samples", "/summaries", "/windows")
    ),
    *(OF_ONE + "/series" + asked for asked in ("", "?from=WEEK")),
    *(OF_ONE + part for part in ("/past-forecasts", "/forecasts/accuracy", "/forecasts/workload")),
    *(
        OF_ONE + "/decisions" + asked
        for asked in ("", "?limit=1000", "?action=scale_up", "?from=WEEK", "/latest")
    ),
    *(OF_ONE + part for part in ("/snapshots?limit=1000", "/report?format=html", "/keda/operator-0")),
)
"""The calls to measure: ONE is the name of a topology, another one at each call, and WEEK the time a week ago."""
MOST_OFF = 0.05
"""By which part of a row's bytes the mean bytes of a column may differ from those of posted rows."""


def fill(engine: Engine, topologies: int, days: int) -> None:
    """Makes topologies `fleet-1` and on, and copies the template's hour into all of them and back in time."""
    began = time.perf_counter()
    with engine.begin() as connection:
        connection.execute(text(NAMED), {"last": topologies - 1})
        connection.execute(text(AUDITED), {"hours": days * 24})
        for table in ("topology_revisions", "policies"):
            copy(connection, table, "topology_id", hours=1)
    for table, moment in MINUTES.items():
        with engine.begin() as connection, without_indexes(connection, table):
            copy(connection, table, moment, hours=days * 24)
    print(
        f"{topologies} topologies of {days} days: filled in {time.perf_counter() - began:.0f} s", flush=True
    )
    for table in MINUTES:
        compare_bytes(engine, table)


def copy(connection: Connection, table: str, order: str, hours: int) -> None:
    """Inserts the template's rows for each topology and for each of so many hours, the oldest hour first."""
    connection.execute(text("DROP TABLE IF EXISTS template"))
    rows = f"SELECT * FROM {table} WHERE topology_id = {TEMPLATE_ID}"
    connection.execute(text(f"CREATE TEMP TABLE template ON COMMIT DROP AS {rows}"))
    values = {one: write_value(one) for one in list_columns(connection, table)}
    copied = text(
        f"INSERT INTO {table} ({', '.join(values)}) SELECT {', '.join(values.values())}"
        " FROM template, topologies fleet"
        " WHERE fleet.name LIKE 'fleet-%' AND (:hour > 0 OR fleet.id <> template.topology_id)"
        f" ORDER BY template.{order}, fleet.id"
    )
    for hour in range(hours - 1, -1, -1):
        connection.execute(copied, {"hour": hour})


def write_value(column: str) -> str:
    """The SQL of a column of a copy. Ids are made from the template's, so that a copy's base is the base's copy."""
    if column == "topology_id":
        return "fleet.id"
    if column in MOVED:
        return f"template.{column} - make_interval(hours => :hour)"
    if column in IDS:
        return f"md5(template.{column}::text || fleet.id || '/' || :hour)::uuid"
    return f"template.{column}" + (" * (0.9 + 0.2 * random())" if column == "external_rate" else "")


def list_columns(connection: Connection, table: str) -> list[str]:
    """The columns of a table that Postgres does not fill itself."""
    listed = "SELECT column_name FROM information_schema.columns WHERE table_name = :table AND is_generated = 'NEVER'"
    return list(connection.scalars(text(listed), {"table": table}))


@contextmanager
def without_indexes(connection: Connection, table: str) -> Iterator[None]:
    """Drops the table's indexes and constraints, and makes them anew. The table is not written to Postgres' log."""
    of_table = {"table": table}
    constraints = connection.execute(
        text(
            "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE conrelid = CAST(:table AS regclass) AND contype <> 'n' ORDER BY contype DESC"
        ),
        of_table,
    ).all()
    for name, _ in constraints:
        connection.execute(text(f"ALTER TABLE {table} DROP CONSTRAINT {name}"))
    listed = text("SELECT indexname, indexdef FROM pg_indexes WHERE tablename = :table")
    indexes = connection.execute(listed, of_table).all()
    for name, _ in indexes:
        connection.execute(text(f"DROP INDEX {name}"))
    connection.execute(text(f"ALTER TABLE {table} SET UNLOGGED"))
    yield
    connection.execute(text("SET LOCAL maintenance_work_mem = '512MB'"))
    for name, definition in constraints:
        connection.execute(text(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}"))
    for _, definition in indexes:
        connection.execute(text(definition))


def compare_bytes(engine: Engine, table: str) -> None:
    """Prints the bytes of a generated row beside those of a posted one; ends the benchmark where a column differs."""
    with engine.connect() as connection:
        names = list_columns(connection, table)
        means = ", ".join(f"avg(coalesce(pg_column_size({one}), 0))" for one in names)
        one = "(SELECT t.id FROM topologies t WHERE t.name = :name)"
        measured = f"SELECT {means} FROM {table} WHERE topology_id = {one}"
        last_hour = f"{measured} AND {MINUTES[table]} > now() - interval '1 hour 5 minutes'"
        posted = connection.execute(text(last_hour), {"name": TEMPLATE}).one()
        copied = connection.execute(text(measured), {"name": "fleet-1"}).one()
    most = MOST_OFF * float(sum(posted))
    for name, ours, theirs in zip(names, copied, posted, strict=True):
        assert abs(ours - theirs) <= most, f"{table}.{name}: {ours:.0f} B generated, {theirs:.0f} B posted"
    print(f"{table}: {sum(copied):.0f} B in columns of a generated row, {sum(posted):.0f} B of a posted one")
