"""Whatever happened to a topology, every place shows the same recommended processors, action and staleness."""

import asyncio
import re
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.client.clients import AsyncClient
from app.demo.live.service import LIVE_NAME, start_live
from app.load.bodies.topology import FPD
from app.settings import Settings
from app.terminal.mcp_tools import ReadingTools
from planner.wording import write_change
from tests.app.decision_calls import ENOUGH, RATES, put_policy
from tests.app.processes import HEADGATE, StartService, open_session

GOAL = {"goal": {"t_max_seconds": 0.1, "t_min_seconds": 0.06}, "cooldown_seconds": 3600}
POLICIES: list[dict[str, Any]] = [
    GOAL,
    GOAL | {"bounds": {"detector": {"max_processors": 14}}},
    GOAL | {"max_snapshot_age_seconds": 1e6},
    {"goal": {"k_max": 24}},
    {"goal": {"t_max_seconds": 0.1}, "rule": "economic", "promise": 0.9, "cooldown_seconds": 0},
]
RUNNING = [ENOUGH, {"generator": 7, "detector": 15, "reporter": 4}]
ENDS = st.sampled_from([-40, -30, -20, -9, -8, -7, -6, -5, -4, -3, -2, 2, 30, 1200])
"""Minutes from now: some are older than the default limit of 15 minutes, and some further ahead than 5 minutes."""
Step = tuple[str, Any]
STEPS: st.SearchStrategy[Step] = st.one_of(
    st.tuples(
        st.just("snapshot"),
        st.tuples(ENDS, st.sampled_from([200.0, 320.0, 480.0, 900.0]), st.sampled_from(RUNNING)),
    ),
    st.tuples(st.just("policy"), st.sampled_from(POLICIES)),
    st.tuples(st.just("revision"), st.integers(1, 8)),
    st.tuples(
        st.just("decision"),
        st.one_of(
            st.just({}),
            st.just({"store": False}),
            st.builds(lambda policy: {"policy": policy}, st.sampled_from(POLICIES)),
            st.builds(lambda end: {"at": end}, ENDS),
        ),
    ),
    st.tuples(st.just("outcome"), st.sampled_from(["applied", "refused", "rolled-back"])),
)


@pytest.fixture
def with_live_demo(empty_database_url: str, start_service: StartService) -> Iterator[httpx.Client]:
    """A client of a service with two minutes of the live demo, which does not go on."""
    service = start_service(database_url=empty_database_url)
    with open_session(empty_database_url) as session:
        start_live(session, Settings(demo_minutes=0), datetime.now(UTC), 120)
        session.commit()
    with httpx.Client(base_url=service.url, timeout=60) as client:
        yield client


@pytest.fixture
def alone(empty_database_url: str, start_service: StartService) -> Iterator[httpx.Client]:
    """A client of a service whose database has only the topologies of this test."""
    service = start_service(database_url=empty_database_url)
    with httpx.Client(base_url=service.url, timeout=60) as client:
        yield client


class Place:
    """A topology of a service, and its operators."""

    def __init__(self, client: httpx.Client, name: str) -> None:
        self.client, self.name, self.url = client, name, f"/v1/topologies/{name}"
        self.operators = [
            one["name"] for one in client.get(self.url).json().get("operators", FPD["operators"])
        ]


class Play(Place):
    """Plays the steps of a history on one topology."""

    def __init__(self, client: httpx.Client) -> None:
        super().__init__(client, f"t-{uuid4().hex[:12]}")
        self.now = datetime.now(UTC)
        assert client.post("/v1/topologies", json=FPD | {"name": self.name}).status_code == 201

    def tell(self, minutes: int) -> str:
        return (self.now + timedelta(minutes=minutes)).isoformat()

    def snapshot(self, sent: tuple[int, float, dict[str, int]]) -> None:
        end, rate, running = sent
        operators = {one: {"service_rate": mu, "processors": running[one]} for one, mu in RATES.items()}
        load = {"observed_at": self.tell(end - 1), "external_rate": rate, "operators": operators}
        assert self.client.post(f"{self.url}/snapshots", json=load).status_code == 201

    def policy(self, policy: dict[str, Any]) -> None:
        put_policy(self.client, self.name, policy)

    def revision(self, least: int) -> None:
        operators = [{"name": "generator", "min_processors": least}, *FPD["operators"][1:]]  # type: ignore[index, misc]
        answer = self.client.put(self.url, json=FPD | {"name": self.name, "operators": operators})
        assert answer.is_success, answer.text

    def decision(self, body: dict[str, Any]) -> None:
        sent = body | ({"at": self.tell(body["at"])} if "at" in body else {})
        self.client.post(f"{self.url}/decisions", json=sent)  # refused where data are missing or too old

    def outcome(self, state: str) -> None:
        listed = self.client.get(f"{self.url}/decisions").json()["items"]
        for one in listed[:1]:
            self.client.put(f"/v1/decisions/{one['id']}/outcome", json={"state": state})


def ask_keda(play: Place) -> dict[str, int] | None:
    """The processors that KEDA is told; None: it is told none."""
    answers = {one: play.client.get(f"{play.url}/keda/{one}") for one in play.operators}
    statuses = {one.status_code for one in answers.values()}
    assert statuses in ({200}, {503}), statuses
    return {one: answer.json()["value"] for one, answer in answers.items()} if statuses == {200} else None


def read_gauges(play: Place) -> dict[str, int] | None:
    """The recommended processors on /metrics; None: there are none."""
    sample = re.compile(
        rf'headgate_processors{{kind="recommended",operator="(\w+)",topology="{play.name}"}} (\S+)'
    )
    listed = re.compile(
        rf'headgate_processors{{topology="{play.name}",operator="(\w+)",kind="recommended"}} (\S+)'
    )
    text = play.client.get("/metrics").text
    found = {one: int(float(count)) for one, count in [*sample.findall(text), *listed.findall(text)]}
    return found or None


def decide_on_trial(play: Place) -> dict[str, int] | None:
    """The processors of a decision on the newest data that is not stored; None: it is refused."""
    answer = play.client.post(f"{play.url}/decisions", json={"store": False})
    assert answer.status_code in {200, 409}, answer.text
    wanted: dict[str, int] | None = answer.json()["wanted"] if answer.status_code == 200 else None
    return wanted


def compare_series(play: Place, decisions: list[dict[str, Any]]) -> None:
    """Asserts that a series shows what was decided, and no trial."""
    made = {(one["action"], one["processors"]["recommended_total"]) for one in decisions if not one["trial"]}
    points = play.client.get(f"{play.url}/series").json()["points"]
    assert {(one["action"], one["processors_recommended"]) for one in points if one["action"]} <= made


def compare_sentences(row: dict[str, Any], decision: dict[str, Any], report: str) -> None:
    """Asserts that what is said of a decision that is not withheld fits the processors that run and should run."""
    wanted, runs = decision["wanted"], decision["processors"]["current"]
    assert (decision["waits_for"] is not None) == (wanted != decision["processors"]["recommended"])
    assert row["processors_running"] == sum(runs.values())
    assert (row["status"] in {"fine", "rate-above-reach"}) <= (wanted == runs), row["detail"]
    assert ("no change is recommended" in row["detail"]) <= (wanted == runs), row["detail"]
    assert (wanted == runs) == decision["verdict"].startswith("Keep "), decision["verdict"]
    assert decision["verdict"].split(". ")[0].rstrip(".") in report


def compare_places(play: Place) -> None:
    """Asserts that all places agree."""
    (row,) = play.client.get("/v1/overview", params={"contains": play.name}).json()["items"]
    latest, report = play.client.get(f"{play.url}/decisions/latest"), play.client.get(f"{play.url}/report")
    listed = play.client.get(f"{play.url}/decisions", params={"limit": 1000}).json()
    assert listed["standing"] == row["decision_id"]
    compare_series(play, listed["items"])
    assert (row["status"] == "ahead-of-clock") <= (row["data"]["state"] == "ahead")
    assert (row["status"] == "stale") <= (not row["data"]["usable"])
    if latest.status_code == 404:
        assert (row["decision_id"], row["action"], row["processors_recommended"]) == (None, None, None)
        assert (report.status_code, read_gauges(play)) == (404, None)
        assert ask_keda(play) == decide_on_trial(play)
        return
    decision = latest.json()
    assert decision == play.client.get(f"/v1/decisions/{decision['id']}").json()
    patch = play.client.get(f"/v1/decisions/{decision['id']}/patch?format=json")
    assert {one: row[one] for one in ("data", "withheld")} == {
        one: decision[one] for one in ("data", "withheld")
    }
    assert (row["decision_id"], decision["trial"]) == (decision["id"], False)
    if decision["withheld"] is not None:
        assert (row["action"], row["processors_recommended"], decision["wanted"]) == (None, None, None)
        assert (patch.status_code, patch.json()["type"]) == (409, "stale-snapshots")
        assert (decision["verdict"], read_gauges(play)) == ("Nothing is recommended now.", None)
        assert decision["withheld"]["remedy"] in report.text
        assert ask_keda(play) == decide_on_trial(play)
        return
    wanted = decision["wanted"]
    compare_sentences(row, decision, report.text)
    assert (row["action"], row["processors_recommended"]) == (decision["action"], sum(wanted.values()))
    assert row["status"] not in {"stale", "undecided", "no-measurements"}
    assert (patch.json()["action"], patch.json()["body"]) == (decision["action"], wanted)
    assert read_gauges(play) == wanted
    assert "Nothing is recommended now." not in report.text
    is_newest = decision["decided_for"] == decision["data"]["measured_until"]
    assert ask_keda(play) == (wanted if is_newest else decide_on_trial(play))


WAITING: list[Step] = [("snapshot", (-4, 480.0, ENOUGH)), ("decision", {})]
"""The change was decided a minute ago, and the newest snapshot does not show it yet: the decision waits for it."""


@example(steps=WAITING)
@example(steps=[("policy", POLICIES[1]), *WAITING])
@example(steps=[("revision", 7), *WAITING, ("outcome", "rolled-back")])
@example(steps=[*WAITING, ("snapshot", (-3, 900.0, ENOUGH))])
@example(steps=[("snapshot", (-4, 900.0, ENOUGH)), ("decision", {"policy": POLICIES[3]})])
@example(steps=[("policy", POLICIES[4]), *WAITING, ("snapshot", (-3, 900.0, ENOUGH)), ("decision", {})])
@example(steps=[("snapshot", (1200, 10.0, ENOUGH)), ("decision", {}), ("decision", {"at": -20})])
@settings(
    max_examples=9,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=st.lists(STEPS, min_size=3, max_size=9))
def test_every_place_shows_the_same_after_any_history(alone: httpx.Client, steps: list[Step]):
    play = Play(alone)
    play.policy(POLICIES[0])
    for kind, sent in [("snapshot", (-5, 480.0, ENOUGH)), ("decision", {}), *steps]:
        getattr(play, kind)(sent)
    compare_places(play)
    assert alone.delete(play.url).status_code == 204


async def ask_assistant(url: str) -> list[dict[str, Any]]:
    """The overview as an assistant reads it."""
    async with AsyncClient(url) as client:
        listed: list[dict[str, Any]] = (await ReadingTools(client).overview())["topologies"]
        return listed


def compare_listings(play: Place) -> None:
    """Asserts that an assistant and a terminal are shown what the overview has."""
    (row,) = play.client.get("/v1/overview").json()["items"]
    url = str(play.client.base_url)
    (told,) = asyncio.run(ask_assistant(url))
    of_decision = ("name", "status", "detail", "action", "processors_running", "processors_recommended")
    assert {one: told[one] for one in of_decision} == {one: row[one] for one in of_decision}
    asked = [HEADGATE, "status", "--url", url]
    printed = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    counts = write_change(row["processors_running"], row["processors_recommended"])
    assert re.search(rf"{row['name']} +{row['status']} +{counts} ", printed), printed
    assert row["detail"] in " ".join(printed.split())


def compare_fleet(play: Place) -> None:
    """Asserts that a decision of the fleet is the topology's own decision in every place."""
    assert play.client.put("/v1/fleet/policy", json={"k_max": 200}).is_success
    made = play.client.post("/v1/fleet/decisions")
    assert made.status_code == 201, made.text
    (share,) = made.json()["topologies"]
    latest = play.client.get(f"{play.url}/decisions/latest").json()
    assert share["decision_id"] == latest["id"]
    assert share["processors"] == latest["processors"]["recommended"]
    compare_places(play)
    assert play.client.delete("/v1/fleet/policy").is_success


def test_every_place_shows_the_same_of_the_live_demo(with_live_demo: httpx.Client):
    live = Place(with_live_demo, LIVE_NAME)
    compare_places(live)
    latest = with_live_demo.get(f"{live.url}/decisions/latest").json()
    assert (latest["withheld"], latest["trial"], sorted(latest["wanted"])) == (
        None,
        False,
        sorted(live.operators),
    )
    compare_listings(live)
    compare_fleet(live)
    assert with_live_demo.delete(live.url).status_code == 204
