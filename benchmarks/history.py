"""What years of minutes cost: the times of the calls that read them, of storing one more minute, and the bytes stored.

A block of real minutes is stored by the service's own code, and Postgres copies the block back in time. Of BENCH_DAYS
(365) days of one topology with 20 operators, what retention leaves is filled: minutes of the newest 30 days, hours of
the others, which are copies of a day that retention rolled up, and four changes of processors a day. BENCH_TOPOLOGIES
sets the number of topologies that each have seven days of minutes with two operators (20; 1,000 take 14 GB).
"""

import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count, pairwise
from pathlib import Path
from statistics import median
from typing import Any

import httpx
from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.orm import Session

from app.database.embedded.embedded_postgres import shared_postgres
from app.database.retention import Retention
from app.deciding.decisions.schemas import DecisionRequest
from app.deciding.decisions.service import store_decision
from app.deciding.policies.schemas import PolicyBody
from app.deciding.policies.service import store_policy
from app.load.snapshots.schemas import SnapshotBody
from app.load.snapshots.service import store_snapshots
from app.load.topologies.schemas import TopologyBody
from app.load.topologies.service import create_topology
from app.settings import Settings
from benchmarks import fleet
from migrations.runner import migrate
from tests.app.processes import start

DAYS, TOPOLOGIES = int(os.environ.get("BENCH_DAYS", "365")), int(os.environ.get("BENCH_TOPOLOGIES", "20"))
MINUTE_DAYS = min(DAYS, Settings().keep_minutes_days)
OPERATORS, BLOCK, RUNS, FLEET_DAYS, HOUR = 20, 120, 5, 7, 60
DAY, CHANGES = 1440, 4
LONG_SECONDS = 5.0
MOST_GET_MS, MOST_POST_GROWTH, MOST_BYTES = 300.0, 1.1, 2500.0
"""The bars: of a GET, of a POST with all days compared to one day, and of a topology and minute in all tables."""
MINUTE = timedelta(minutes=1)
DRAW = random.Random(7)


def main() -> None:
    """Prints the tables."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # as root, Postgres runs as another user
        with shared_postgres(Path(folder)) as url:
            migrate(url)
            engine = create_engine(url)
            compare_with_a_day(engine, url)
            compare_fleet(engine, url)
            engine.dispose()


def compare_with_a_day(engine: Engine, url: str) -> None:
    """Measures a topology with one day of minutes, then with all days."""
    begin = store_block(engine, "history", OPERATORS, BLOCK)
    costs = []
    for days in (1, DAYS):
        began = time.perf_counter()
        copy_back(engine, "history", begin, min(days, MINUTE_DAYS) * DAY // BLOCK, BLOCK)
        if days > MINUTE_DAYS:
            copy_hours(engine, url, begin)
        clean_up(engine)
        print(
            f"history of {days} days, {OPERATORS} operators: {time.perf_counter() - began:.0f} s", flush=True
        )
        with serving(url) as client:
            costs.append(measure(client, "history"))
    print(f"{'':44}{'1 day':>12}{f'{DAYS} days':>12}{'bar':>14}")
    for name, first in costs[0].items():
        print(f"{name:44}{first:9.1f} ms{costs[1][name]:9.1f} ms{judge(name, first, costs[1][name])}")
    tell_bytes(engine)


def judge(name: str, first: float, last: float) -> str:
    """The bar of a call, and whether it is kept."""
    if name.startswith("GET"):
        return f"{MOST_GET_MS:11.0f} ms{'' if last <= MOST_GET_MS else '  over'}"
    return f"{MOST_POST_GROWTH:12.2f} x  {last / first:.2f}{'' if last <= MOST_POST_GROWTH * first else '  over'}"


def compare_fleet(engine: Engine, url: str) -> None:
    """Measures every GET about one of many topologies, a topology that was not asked about before, and about all."""
    store_block(engine, fleet.TEMPLATE, 2, HOUR)
    fleet.fill(engine, TOPOLOGIES, FLEET_DAYS)
    clean_up(engine)
    since = f"{datetime.now(UTC) - FLEET_DAYS * DAY * MINUTE:%Y-%m-%dT%H:%M:%SZ}"
    with serving(url) as client:
        for path in fleet.PATHS:
            paths = (path.replace("ONE", f"fleet-{n}").replace("WEEK", since) for n in count())
            cost = take(lambda: get(client, next(paths)))  # noqa: B023 - called at once
            print(f"{'GET ' + path:60}{cost:9.1f} ms{judge('GET', cost, cost)}", flush=True)


@contextmanager
def serving(url: str) -> Iterator[httpx.Client]:
    """A client of a service on this database."""
    service = start([], database_url=url)
    try:
        with httpx.Client(base_url=service.url, timeout=300) as client:
            yield client
    finally:
        service.stop()


def store_block(engine: Engine, name: str, operators: int, minutes: int) -> datetime:
    """Stores a topology with its policy and a block of minutes, each decided on; returns when the block begins."""
    begin = datetime.now(UTC).replace(second=0, microsecond=0) - (minutes + 1) * MINUTE
    names, settings = [f"operator-{place}" for place in range(operators)], Settings()
    graph = {
        "name": name,
        "operators": [{"name": one} for one in names],
        "edges": [{"source": a, "target": b} for a, b in pairwise(names)],
        "entries": [{"operator": names[0]}],
    }
    with Session(engine, expire_on_commit=False) as session:
        create_topology(session, TopologyBody.model_validate(graph), settings)
        goal = {"goal": {"t_max_seconds": 0.9}, "cooldown_seconds": 300, "max_snapshot_age_seconds": 86_400}
        store_policy(session, name, PolicyBody.model_validate(goal))
        for minute in range(minutes):
            at = begin + minute * MINUTE
            store_snapshots(session, name, draw_snapshot(names, at), settings)
            store_decision(session, name, DecisionRequest(at=at + MINUTE), settings)
        session.commit()
    return begin


def draw_snapshot(names: list[str], at: datetime) -> SnapshotBody:
    """A minute of about 1,000 tuples per second, which six or seven processors of each operator serve."""
    rate = 1000.0 * DRAW.uniform(0.9, 1.1)
    operators = {
        one: {"service_rate": DRAW.uniform(290.0, 310.0), "arrival_rate": rate, "processors": 7}
        for one in names
    }
    load = {
        "external_rate": rate,
        "measured_sojourn_seconds": DRAW.uniform(0.08, 0.1),
        "operators": operators,
    }
    return SnapshotBody.model_validate({"observed_at": at, "window_seconds": 60, **load})


def copy_back(engine: Engine, name: str, begin: datetime, blocks: int, minutes: int) -> None:
    """Copies the block of minutes back in time until there are `blocks` blocks, without what was posted after it."""
    bounds = {"name": name, "begin": begin, "end": begin + minutes * MINUTE}
    with engine.begin() as connection:
        for table in ("snapshots", "decisions"):
            stored = f"FROM {table} WHERE topology_id = (SELECT id FROM topologies WHERE name = :name)"
            connection.execute(text(f"DELETE {stored} AND {MOMENTS[table]} > :end"), bounds)
            already: int = connection.execute(text(f"SELECT count(*) {stored}"), bounds).scalar_one()
            chosen = f"{stored.partition(' WHERE ')[2]} AND {MOMENTS[table]} >= :begin"
            copy(connection, table, chosen, (already // minutes, blocks - 1), minutes, bounds=bounds)


def copy_hours(engine: Engine, url: str, begin: datetime) -> None:
    """Lets retention roll a day up that is too old for minutes, and copies its hours back, and changes beside them."""
    copy_back(engine, "history", begin, (MINUTE_DAYS + 1) * DAY // BLOCK, BLOCK)
    Retention(Settings.model_validate({"database_url": url})).make_pass(datetime.now(UTC))
    with engine.begin() as connection:
        copy(connection, "hourly_loads", "true", (1, DAYS - MINUTE_DAYS - 1), DAY)
        first = "id = (SELECT id FROM decisions WHERE answer IS NOT NULL ORDER BY decided_for LIMIT 1)"
        copies, changed = (1, (DAYS - MINUTE_DAYS) * CHANGES), {"action": "'scale_up'"}
        copy(connection, "decisions", first, copies, DAY // CHANGES, values=changed)


MOMENTS = {"snapshots": "observed_at", "decisions": "decided_for", "hourly_loads": "hour"}
SHIFTED = {*MOMENTS.values(), "created_at", "stored_at", "newest_at"}
DRAWN = {"external_rate", "rate_sum", "newest_rate"}
FRESH = {"id", "content"}


def copy(
    connection: Connection,
    table: str,
    chosen: str,
    copies: tuple[int, int],
    minutes: int,
    **others: dict[str, Any],
) -> None:
    """Copies the chosen rows of a table back by as many times these minutes as `copies` says, the oldest first."""
    listed = "SELECT column_name FROM information_schema.columns WHERE table_name = :table AND is_generated = 'NEVER'"
    columns = connection.scalars(text(listed), {"table": table}).all()
    values = {one: shift(one, minutes) for one in columns} | others.get("values", {})
    connection.execute(
        text(
            f"INSERT INTO {table} ({', '.join(values)}) SELECT {', '.join(values.values())} FROM {table},"
            " generate_series(CAST(:first AS int), CAST(:last AS int)) block"
            f" WHERE {chosen} ORDER BY block DESC, {table}.{MOMENTS[table]} ON CONFLICT DO NOTHING"
        ),
        others.get("bounds", {}) | {"first": copies[0], "last": copies[1]},
    )


def shift(column: str, minutes: int) -> str:
    """The SQL of a column of a copy that is older by `block` times these minutes."""
    if column in SHIFTED:
        return f"{column} - block * make_interval(mins => {minutes})"
    if column in FRESH:
        return "gen_random_uuid()"
    return f"{column} * (0.9 + 0.2 * random())" if column in DRAWN else column


def clean_up(engine: Engine) -> None:
    """Does what autovacuum would do some minutes later."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM ANALYZE"))


def measure(client: httpx.Client, name: str) -> dict[str, float]:
    """The time of each call in milliseconds."""
    at, since = f"/v1/topologies/{name}", datetime.now(UTC) - timedelta(days=DAYS)
    paths = {
        "series of all": f"/series?from={since:%Y-%m-%dT%H:%M:%SZ}",
        "series of a day": "/series",
        "past forecasts": "/past-forecasts",
        "accuracy": "/forecasts/accuracy",
        "workload forecast": "/forecasts/workload",
        "decisions": "/decisions",
        "decisions/latest": "/decisions/latest",
        "changes": "/decisions?action=scale_up",
        "snapshots": "/snapshots",
        "report": "/report?format=html",
    }
    found = {f"GET {what}": take(partial(get, client, at + path)) for what, path in paths.items()}
    found["GET /v1/overview"] = take(lambda: get(client, "/v1/overview"))
    found["GET /metrics"] = take(lambda: get(client, "/metrics"))
    stored = []
    for _ in range(4 * RUNS):
        begun = time.perf_counter()
        post(client, f"{at}/snapshots", next_minute())
        between = time.perf_counter()
        post(client, f"{at}/decisions", None)
        stored.append((between - begun, time.perf_counter() - between))
    # The fastest ones: a longer history slows all of them, other work on this machine some.
    found["POST snapshot"] = 1e3 * min(one for one, _ in stored)
    found["POST decision"] = 1e3 * min(one for _, one in stored)
    return found


def next_minute() -> dict[str, Any]:
    """The minute that ends now."""
    names = [f"operator-{place}" for place in range(OPERATORS)]
    at = datetime.now(UTC) - MINUTE
    return draw_snapshot(names, at).model_dump(mode="json", exclude_none=True)


def get(client: httpx.Client, path: str) -> None:
    """Asks for an address, whose answer must be a success."""
    answer = client.get(path)
    if not answer.is_success:
        print(f"{path}: {answer.status_code}, {answer.text[:300]}")


def post(client: httpx.Client, path: str, body: dict[str, Any] | None) -> None:
    """Posts a body, which must be stored."""
    answer = client.post(path) if body is None else client.post(path, json=body)
    assert answer.is_success, f"{path}: {answer.text}"


def take(call: Callable[[], object]) -> float:
    """The median time of several calls after a first one, in milliseconds; of one call that takes long, its time."""
    times: list[float] = []
    while len(times) <= RUNS and sum(times) < LONG_SECONDS:
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return 1e3 * median(times[1:] or times)


SIZES = """
SELECT coalesce(parent.relname, c.relname) AS name, sum(pg_total_relation_size(c.oid)) AS bytes
FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class parent ON parent.oid = i.inhparent
WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
GROUP BY 1 HAVING sum(pg_total_relation_size(c.oid)) > 1000000 ORDER BY 2 DESC
"""


def tell_bytes(engine: Engine) -> None:
    """Prints the bytes of each large table with its indexes, in all and by each minute that it covers."""
    with engine.connect() as connection:
        rows = connection.execute(text(SIZES)).all()
    minutes = {"hourly_loads": (DAYS - MINUTE_DAYS) * DAY}
    by_minute = {name: float(size) / minutes.get(name, MINUTE_DAYS * DAY) for name, size in rows}
    for name, size in rows:
        print(f"{name:44}{float(size) / 1e6:9.1f} MB {by_minute[name]:9.0f} B a minute")
    size, total = sum(float(size) for _, size in rows), sum(by_minute.values())
    verdict = "" if total <= MOST_BYTES else "  over"
    print(f"{'all':44}{size / 1e6:9.1f} MB {total:9.0f} B a minute   bar {MOST_BYTES:.0f} B{verdict}")
