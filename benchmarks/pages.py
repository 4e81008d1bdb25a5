"""The times of an overview of 1,000 topologies, of a series of a month of minutes, and of what-ifs."""

import itertools
import json
import random
import tempfile
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import median

from sqlalchemy import Engine, create_engine, select, text
from sqlalchemy.orm import Session

from app.database.embedded.embedded_postgres import shared_postgres
from app.deciding.outcomes.service import find_outcomes
from app.deciding.promises import StoredDecision
from app.pages.overview.gathering import find_lines, select_counts
from app.pages.overview.schemas import OverviewFilter
from app.pages.series.service import read_series
from migrations import runner
from planner.gates.what_if import WhatIfTerms, explore
from planner.queueing.queueings import QUEUEINGS
from planner.situations.situation import estimate
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology

TOPOLOGIES, MONTH_MINUTES, RUNS = 1000, 43_200, 7
OPERATORS = json.dumps({f"o{i}": {"service_rate": 30.0, "processors": 5} for i in range(5)})
GRAPH = json.dumps({"operators": [{"name": f"o{i}"} for i in range(5)], "edges": [], "entries": []})
DECISIONS, HORIZON_SECONDS = 100, 1800.0
ANSWER = json.dumps({"processors": {"current_total": 25}, "reasons": ["x" * 60] * 400})


def main() -> None:
    """Prints each time in milliseconds, and as a ratio to a plain count of the same rows or to an estimate."""
    explore_what_ifs()
    with tempfile.TemporaryDirectory() as folder, shared_postgres(Path(folder)) as url:
        runner.migrate(url, "head")
        engine = create_engine(url)
        fill(engine)
        with Session(engine) as session:
            compare_pages(session)
        engine.dispose()


def fill(engine: Engine) -> None:
    """1,000 topologies with an hour of snapshots and five decisions each; the first one has a month of minutes."""
    rows = (
        "insert into topologies(name, revision) select 't' || i, 1 from generate_series(1, :topologies) i",
        (
            "insert into topology_revisions(topology_id, revision, definition) "
            "select id, 1, cast(:graph as jsonb) from topologies"
        ),
        (
            "insert into snapshots(topology_id, observed_at, window_seconds, external_rate, operators) "
            "select t.id, now() - make_interval(mins => i), 60, 20 + i % 7, cast(:operators as jsonb) "
            "from topologies t, generate_series(1, case t.name when 't1' then :month else 60 end) i"
        ),
        (
            "insert into decisions "
            "(id, topology_id, revision, answer, decided_for, action, external_rate, policy_key, is_stable) "
            "select gen_random_uuid(), t.id, 1, cast(:answer as jsonb), now() - make_interval(mins => i), 'hold', 20, "
            "gen_random_uuid(), true from topologies t, generate_series(1, 5) i"
        ),
    )
    values = {
        "topologies": TOPOLOGIES,
        "graph": GRAPH,
        "operators": OPERATORS,
        "month": MONTH_MINUTES,
        "answer": ANSWER,
    }
    with engine.begin() as connection:
        for statement in rows:
            known = {name: value for name, value in values.items() if f":{name}" in statement}
            connection.execute(text(statement), known)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("analyze"))


def compare_pages(session: Session) -> None:
    """Measures overview and series beside a count of the rows that each reads."""
    now = datetime.now(UTC)
    lines = find_lines(session, now, OverviewFilter())

    def read_overview() -> None:
        counts = select_counts(lines).scalar_subquery()
        session.execute(select(lines, counts).order_by(lines.c.severity, lines.c.name).limit(100)).all()

    def count(table: str, where: str = "true") -> Callable[[], object]:
        return lambda: session.execute(text(f"select count(*) from {table} where {where}")).all()

    of_first = "topology_id = (select id from topologies where name = 't1')"
    tell("overview of 1,000", take(read_overview), "count of all snapshots", take(count("snapshots")))
    since = now - timedelta(minutes=MONTH_MINUTES)
    series = take(lambda: read_series(session, "t1", since, None, 300))
    counted = take(count("snapshots", of_first))
    tell("series of 43,200", series, "count of them", counted)
    for is_applied in (True, False):
        outcomes = take(partial(observe_month, session, now, is_applied=is_applied))
        said = "applied" if is_applied else "never applied"
        tell(f"outcomes, {said}", outcomes, "count of them", counted)


def observe_month(session: Session, now: datetime, *, is_applied: bool) -> None:
    """Stores the outcomes of 100 changes in the month; the snapshots have 5 processors at each operator."""
    topology_id = session.execute(text("select id from topologies where name = 't1'")).scalar_one()
    counts = {f"o{i}": 5 if is_applied else 6 for i in range(5)}
    decisions = []
    for place in range(DECISIONS):
        at = now - timedelta(minutes=MONTH_MINUTES * (place + 1) / DECISIONS)
        before = (at - timedelta(minutes=1)).isoformat()
        answer = {
            "processors": {"current": dict.fromkeys(counts, 4), "recommended": counts},
            "expected_sojourn_seconds": 0.1,
            "policy": {"goal": {"t_max_seconds": 0.2}, "cooldown_seconds": HORIZON_SECONDS},
            "moving": {},
            "current": {},
            "counterfactuals": {"holds_up_to_rate": 30.0},
            "basis": {"first_observed_at": before, "last_observed_at": before},
        }
        decisions.append(StoredDecision("scale_up", at, answer, None))
    states = {one.observed.state for one in find_outcomes(session, topology_id, decisions)}
    assert ("applied" in states) == is_applied, states


def explore_what_ifs() -> None:
    """Measures the planner's time for what-ifs, the median and the longest, beside that of an estimate."""
    for size in (3, 20, 200, 1000):
        for queueing in QUEUEINGS:
            for scvs in ({}, {"arrival_scv": 1.5, "service_scv": 0.7}):
                topology, load = make_chain(size, queueing, scvs)
                beside = take(partial(estimate, topology, load))
                times = [take(partial(explore, topology, load, terms)) for terms in list_terms(size)]
                kind = f"{queueing}{', SCVs' if scvs else ''}"
                told = f"what-if, {size:4} operators, {kind:17}"
                middle, longest = 1e3 * median(times), 1e3 * max(times)
                print(
                    f"{told} {middle:6.1f} to {longest:6.1f} ms   {max(times) / beside:5.1f} estimates at most"
                )


def make_chain(size: int, queueing: str, scvs: Mapping[str, float]) -> tuple[Topology, Load]:
    """A chain of operators with utilisations from 7% to 67%, the same in each run."""
    draw = random.Random(3)
    names = [f"o{i}" for i in range(size)]
    measured = {
        name: OperatorLoad(
            draw.uniform(5.0, 50.0),
            processors=30,
            arrival_scv=scvs.get("arrival_scv"),
            service_scv=scvs.get("service_scv"),
        )
        for name in names
    }
    operators = tuple(Operator(name, queueing=queueing) for name in names)
    edges = tuple(Edge(a, b) for a, b in itertools.pairwise(names))
    return Topology(operators, edges, (Entry(names[0]),)), Load(100.0, measured)


def list_terms(size: int) -> list[WhatIfTerms]:
    """What-ifs at several loads, with and without a target, with budgets from too small to far too large."""
    budgets = [None, size, 5 * size, 25 * size, 100 * size]
    return [WhatIfTerms(1.1, t_max, k_max) for t_max in (None, size * 0.15, size * 0.06) for k_max in budgets]


def take(call: Callable[[], object]) -> float:
    """The median time of several calls, in seconds."""
    times = []
    for _ in range(RUNS):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return median(times)


def tell(what: str, seconds: float, beside: str, other: float) -> None:
    print(
        f"{what:24} {1e3 * seconds:7.1f} ms   {beside:24} {1e3 * other:7.1f} ms   {seconds / other:5.1f} times"
    )
