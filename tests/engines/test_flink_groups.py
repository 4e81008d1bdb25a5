"""Whole key groups, and keys of children, on a real Flink: promised beside measured."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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


def test_whole_groups_and_keys_of_children_are_promised_as_they_come(
    start: StartJob, client: httpx.Client, report: Callable[[str], None]
) -> None:
    counts = (MEASURED, *ASKED)
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
        for k in counts
    ]
    plans.append(JobPlan("words", "hash", WORDS, 40.0, has_own_keys=True))
    plans.append(JobPlan("buffered", "rebalance", BUFFERED, 60.0, buffer_timeout_ms=100))
    looks = dict(zip([one.name for one in plans], measure([start(one) for one in plans]), strict=True))
    before, after = looks[f"groups-{MEASURED}"]
    promise(client, "groups", [*before.answers, *after.answers])
    true, promised = {}, {}
    for k in ASKED:
        true[k] = find_sojourn(looks[f"groups-{k}"])
        answer = client.post("/v1/topologies/groups/estimate", json={"processors": {"Sink: score": k}}).json()
        promised[k] = answer["expected_sojourn_seconds"] or inf
        report(f"{k} of 12 groups: {true[k] * 1e3:.1f} ms, promised {promised[k] * 1e3:.1f} ms")
    answers = [one for each in looks["buffered"] for one in each.answers]
    buffered, there = find_sojourn(looks["buffered"]), promise(client, "buffered", answers)
    report(
        f"buffered: {buffered * 1e3:.1f} ms, promised {(there.expected_sojourn_seconds or inf) * 1e3:.1f} ms"
    )
    words = find_sojourn(looks["words"])
    stored = promise(client, "words", [*looks["words"][0].answers, *looks["words"][1].answers])
    found = {}
    for key in ("root", "tuple"):
        known = client.get("/v1/topologies/words").json()
        operators = [one | {"keyed_by": key} if "count" in one["name"] else one for one in known["operators"]]
        body = {part: known[part] for part in ("edges", "entries")} | {
            "name": "words",
            "operators": operators,
        }
        assert client.put("/v1/topologies/words", json=body).status_code == 200
        found[key] = client.post("/v1/topologies/words/estimate", json={}).json()["expected_sojourn_seconds"]
    report(f"words: {words * 1e3:.1f} ms, promised {found} (as read {stored.expected_sojourn_seconds})")
    assert there.expected_sojourn_seconds == pytest.approx(buffered, rel=MOST_BUFFERED_ERROR)
    assert promised == pytest.approx(true, rel=MOST_ERROR)
    assert sorted(ASKED, key=promised.__getitem__) == sorted(ASKED, key=true.__getitem__)
    assert found["tuple"] == pytest.approx(words, rel=MOST_WORD_ERROR)
