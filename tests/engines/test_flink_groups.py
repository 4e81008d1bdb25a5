"""Whole key groups, and keys of children, on a real Flink: promised beside measured."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from math import inf

import httpx
import pytest

from tests.engines.flink_jobs import Job, JobPlan, Operator, StartJob
from tests.engines.test_flink_numbers import Look, look, promise

GROUPS, MEASURED, ASKED = 12, 8, (7, 9, 10, 12)
RATE, SERVICE_SECONDS, SKEW, KEYS = 150.0, 0.018, 0.8, 1000
SETTLING_SECONDS, MEASURED_SECONDS = 10.0, 100.0
MOST_ERROR, MOST_WORD_ERROR, MOST_BUFFERED_ERROR = 0.25, 0.10, 0.25
BUFFERED = (Operator("parse", 0.010, 2), Operator("score", 0.020, 3), Operator("write", 0.005, 1))
CHANCE = 0.08
WORDS = (Operator("split", 0.004, 2, copies=3), Operator("count", 0.02, 10))


def measure(jobs: list[Job]) -> list[tuple[Look, Look]]:
    """Two looks at each job, all over the same time."""
    with ThreadPoolExecutor(len(jobs)) as pool:
        time.sleep(SETTLING_SECONDS)
        earlier = list(pool.map(look, jobs))
        time.sleep(MEASURED_SECONDS)
        return list(zip(earlier, pool.map(look, jobs), strict=True))


def find_sojourn(looks: tuple[Look, Look]) -> float:
    """E[T] between two looks by the job's own clock."""
    before, after = looks
    tallies = [after.tallies[name].minus(before.tallies[name]) for name in after.tallies]
    return sum(one.sojourn_seconds for one in tallies) / tallies[0].services


@pytest.fixture(scope="module")
def looks(start: StartJob) -> dict[str, tuple[Look, Look]]:
    """Two looks at each of seven jobs, which run at the same time."""
    plans = [
        JobPlan(
            f"groups-{k}",
            "hash",
            (Operator("score", SERVICE_SECONDS, k),),
            RATE,
            KEYS,
            0,
            SKEW,
            groups=GROUPS,
        )
        for k in (MEASURED, *ASKED)
    ]
    plans.append(JobPlan("words", "hash", WORDS, 40.0, has_own_keys=True))
    plans.append(JobPlan("buffered", "rebalance", BUFFERED, 60.0, buffer_timeout_ms=100))
    return dict(zip([one.name for one in plans], measure([start(one) for one in plans]), strict=True))


def promise_between(client: httpx.Client, name: str, looks: tuple[Look, Look]) -> float:
    """E[T] by the service, of what runs, from the answers of two looks."""
    return (
        promise(client, name, [one for each in looks for one in each.answers]).expected_sojourn_seconds or inf
    )


def test_other_numbers_of_instances_are_promised_as_whole_groups_make_them(
    looks: dict[str, tuple[Look, Look]], client: httpx.Client, report: Callable[[str], None]
) -> None:
    promise_between(client, "groups", looks[f"groups-{MEASURED}"])
    true, promised = {}, {}
    for k in ASKED:
        true[k] = find_sojourn(looks[f"groups-{k}"])
        answer = client.post("/v1/topologies/groups/estimate", json={"processors": {"Sink: score": k}}).json()
        promised[k] = answer["expected_sojourn_seconds"] or inf
        report(f"{k} of 12 groups: {true[k] * 1e3:.1f} ms, promised {promised[k] * 1e3:.1f} ms")
    assert promised == pytest.approx(true, rel=MOST_ERROR)
    for few, many in combinations(ASKED, 2):  # where promises differ by more than chance
        if abs(promised[few] / promised[many] - 1.0) > CHANCE:
            assert (promised[few] < promised[many]) == (true[few] < true[many]), (few, many)
    assert promised[10] > promised[9], "one instance more has the hottest group and another one"


def test_children_with_keys_of_their_own_are_promised_as_they_come(
    looks: dict[str, tuple[Look, Look]], client: httpx.Client, report: Callable[[str], None]
) -> None:
    true, found = find_sojourn(looks["words"]), {"root": promise_between(client, "words", looks["words"])}
    known = client.get("/v1/topologies/words").json()
    operators = [one | {"keyed_by": "tuple"} if "count" in one["name"] else one for one in known["operators"]]
    body = {part: known[part] for part in ("edges", "entries")} | {"name": "words", "operators": operators}
    assert client.put("/v1/topologies/words", json=body).status_code == 200
    found["tuple"] = client.post("/v1/topologies/words/estimate", json={}).json()["expected_sojourn_seconds"]
    report(f"words: {true * 1e3:.1f} ms, promised {found}")
    assert found["tuple"] == pytest.approx(true, rel=MOST_WORD_ERROR)
    assert found["root"] > (1.0 + MOST_ERROR) * true


def test_time_in_buffers_is_promised_too(
    looks: dict[str, tuple[Look, Look]], client: httpx.Client, report: Callable[[str], None]
) -> None:
    true, found = find_sojourn(looks["buffered"]), promise_between(client, "buffered", looks["buffered"])
    report(f"buffered for 100 ms: {true * 1e3:.1f} ms, promised {found * 1e3:.1f} ms")
    assert found == pytest.approx(true, rel=MOST_BUFFERED_ERROR)
