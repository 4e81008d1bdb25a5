"""An E[T] that became too long is shown with what was measured otherwise, from the intervals that are still stored."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from app.deciding.outcomes.gathering import HORIZONS, AskedDecision, bind
from migrations.runner import migrate
from tests.app.decision_calls import ENOUGH, RATES, TARGET, at, decide, observe, put_policy
from tests.app.processes import open_session

IDC = {"arrival_idc": [{"window_seconds": 1.0, "idc": 2.0}, {"window_seconds": 10.0, "idc": 3.0}]}


def measure(minute: int, sojourn: float, processors: dict[str, int], **detector: Any) -> dict[str, Any]:
    operators = {name: {"service_rate": mu, "processors": processors[name]} for name, mu in RATES.items()}
    operators["detector"] |= detector
    return {"operators": operators, "measured_sojourn_seconds": sojourn, "observed_at": at(minute - 1)}


@pytest.mark.parametrize(
    ("slow", "said"),
    [
        (
            {"service_rate": 100.0},
            "In these intervals one processor of detector served 100/s instead of 130/s",
        ),
        (
            {"arrival_idc": [{"window_seconds": 1.0, "idc": 2.0}, {"window_seconds": 10.0, "idc": 9.0}]},
            "tuples reached detector in larger bursts (an index of dispersion of 9 instead of 3)",
        ),
        ({}, "In these intervals rates, services and bursts were measured about as when it was decided."),
    ],
)
def test_the_cause_is_of_the_intervals_in_which_the_target_was_missed(
    client: httpx.Client, known: str, slow: dict[str, Any], said: str
) -> None:
    put_policy(client, known, TARGET)
    observe(client, known, 1, 320.0, ENOUGH, **measure(1, 0.08, ENOUGH, **IDC))
    made = decide(client, known, 1)
    assert made["action"] == "hold"
    observe(client, known, 2, 320.0, ENOUGH, **measure(2, 0.09, ENOUGH, **(IDC | {"service_rate": 10.0})))
    for minute in (3, 4):
        observe(client, known, minute, 320.0, ENOUGH, **measure(minute, 0.2, ENOUGH, **(IDC | slow)))
    seen = client.get(f"/v1/decisions/{made['id']}").json()["observed"]
    assert (seen["missed_intervals"], seen["intervals"]) == (2, 3)
    assert said in seen["detail"], "the interval within the target does not count"
    (listed,) = client.get(f"/v1/topologies/{known}/decisions").json()["items"]
    assert listed["observed"]["detail"] == seen["detail"]


def test_a_change_is_compared_while_its_processors_run_and_one_that_was_kept_has_no_cause(
    client: httpx.Client, known: str
) -> None:
    put_policy(client, known, TARGET)
    observe(client, known, 1, 480.0, ENOUGH, **measure(1, 0.3, ENOUGH))
    made = decide(client, known, 1)
    assert made["action"] == "scale_up"
    more = made["processors"]["recommended"]
    observe(client, known, 2, 480.0, ENOUGH, **measure(2, 0.4, ENOUGH, service_rate=10.0))
    observe(client, known, 3, 480.0, more, **measure(3, 0.05, more))
    assert "instead of" not in read(client, made)
    observe(client, known, 4, 480.0, more, **measure(4, 0.2, more, service_rate=65.0))
    assert "In this interval one processor of detector served 65/s instead of 130/s" in read(client, made)


def read(client: httpx.Client, decision: dict[str, Any]) -> str:
    found: str = client.get(f"/v1/decisions/{decision['id']}").json()["observed"]["detail"]
    return found


FILLED = """
INSERT INTO snapshots (topology_id, observed_at, window_seconds, external_rate, operators)
SELECT t.id, now() - minute * interval '1 minute', 60, 1, '{"a": {"processors": 1}}'
FROM generate_series(1, 3000) minute, topologies t
"""


def test_each_of_many_decisions_reads_only_its_own_intervals(empty_database_url: str) -> None:
    migrate(empty_database_url)
    begin = datetime.now(UTC) - timedelta(hours=40)
    since = [begin + timedelta(minutes=number) for number in range(300)]
    asked = [AskedDecision(False, one, None, 300.0, {"a": 1}, {"a": 1}, one) for one in since]  # noqa: FBT003
    with open_session(empty_database_url) as session:
        session.execute(text("INSERT INTO topologies (name, revision) VALUES ('one', 1)"))
        session.execute(text(FILLED))
        session.execute(text("ANALYZE"))
        session.execute(
            text("SET LOCAL random_page_cost = 100")
        )  # as if the rows of ten million lay far apart
        topology_id = session.scalar(text("SELECT id FROM topologies"))
        terms = bind(topology_id, asked, since) | {"covered": 0.5, "latest_end": datetime.now(UTC)}
        plan = "\n".join(session.scalars(text(f"EXPLAIN (ANALYZE, TIMING OFF) {HORIZONS}"), terms))
    assert "Rows Removed by Join Filter" not in plan, plan
