"""Where a workload goes, of a posted one and of a stored topology's."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import httpx
import pytest

from app.load.bodies.topology import FPD
from tests.app.decision_calls import TARGET, put_policy
from tests.app.load.snapshots.test_routes import START, snapshot
from tests.app.rendering.test_charts_answered import read_words


def posted_workload(client: httpx.Client, name: str) -> list[dict[str, object]]:
    stored = client.get(f"/v1/topologies/{name}/snapshots?limit=1000").json()["items"]
    return [
        {"at": one["observed_at"], "rate": one["external_rate"]}
        for one in stored
        if one["window_seconds"] == 60
    ]


def test_stored_and_stateless_forecasts_agree(client: httpx.Client, measured: str):
    choice = {"steps": 12, "level": 0.9, "window_steps": 80, "history_steps": 7}
    stored = client.get(f"/v1/topologies/{measured}/forecasts/workload", params=choice)
    assert stored.status_code == 200, stored.text
    body = choice | {"workload": posted_workload(client, measured)}
    described = client.post("/v1/forecasts/workload", json=body).json()
    assert described | {"diagnostics": []} == stored.json() | {"diagnostics": []}
    assert described["diagnostics"] == stored.json()["diagnostics"][1:]
    assert stored.json()["diagnostics"][0]["code"] == "old-snapshots"


def test_the_forecast_goes_on_where_the_measurements_end(client: httpx.Client, measured: str):
    found = client.get(f"/v1/topologies/{measured}/forecasts/workload?steps=5").json()
    times = [datetime.fromisoformat(one["at"]) for one in found["measured"] + found["expected"]]
    assert {(b - a).total_seconds() for a, b in pairwise(times)} == {60.0}
    assert times[0] == datetime(2026, 11, 18, tzinfo=UTC)
    assert found["model"]["kind"] == "lines+seasons"
    for one in found["expected"]:
        assert 0 <= one["lower"] < one["rate"] < one["upper"]


def test_who_says_on_how_many_steps_to_fit_gets_an_arma_model(client: httpx.Client, measured: str):
    address = f"/v1/topologies/{measured}/forecasts/workload?steps=5"
    by_arma = client.get(f"{address}&model=arma").json()
    assert by_arma["model"]["kind"] == "arma"
    assert client.get(f"{address}&window_steps=100").json() == by_arma


def test_a_step_that_was_filled_in_is_not_said_to_be_measured(client: httpx.Client, measured: str):
    workload = posted_workload(client, measured)
    workload[-3] |= {"rate": None}
    body = {"workload": workload, "history_steps": 5}
    found = client.post("/v1/forecasts/workload", json=body).json()
    assert [one["filled"] for one in found["measured"]] == [False, False, True, False, False]
    assert found["measured"][2]["rate"] == pytest.approx(
        (found["measured"][1]["rate"] + found["measured"][3]["rate"]) / 2
    )
    picture = client.post("/v1/forecasts/workload", json=body, headers={"Accept": "image/svg+xml"})
    assert picture.status_code == 200


def test_the_newest_window_decides_which_snapshots_are_the_series(client: httpx.Client, measured: str):
    before = client.get(f"/v1/topologies/{measured}/forecasts/workload").json()
    old_hour = snapshot(0, observed_at="2026-11-17T00:00:00Z", window_seconds=3600, external_rate=1e6)
    client.post(f"/v1/topologies/{measured}/snapshots", json=old_hour)
    assert client.get(f"/v1/topologies/{measured}/forecasts/workload").json() == before


@pytest.mark.parametrize(
    ("choice", "status", "kind"),
    [
        ({"level": 1.0}, 422, "invalid-request"),
        ({"steps": 0}, 422, "invalid-request"),
        ({"window_steps": 121}, 409, "stored-data-unusable"),
    ],
)
def test_what_cannot_be_forecast_says_why(
    client: httpx.Client, measured: str, choice: dict[str, float], status: int, kind: str
):
    refused = client.get(f"/v1/topologies/{measured}/forecasts/workload", params=choice)
    assert (refused.status_code, refused.json()["type"]) == (status, kind)


def test_a_forecast_that_ends_beyond_the_calendar_is_refused(client: httpx.Client):
    last = datetime(9999, 12, 31, 23, 59, tzinfo=UTC)
    workload = [
        {"at": (last - timedelta(minutes=before)).isoformat(), "rate": rate_of(before)}
        for before in reversed(range(120))
    ]
    refused = client.post("/v1/forecasts/workload", json={"workload": workload, "steps": 5})
    assert refused.status_code == 422, refused.text
    assert [one["pointer"] for one in refused.json()["errors"]] == ["#/steps"]


def test_a_topology_without_snapshots_has_no_forecast(client: httpx.Client, name: str):
    missing = client.get(f"/v1/topologies/{name}/forecasts/workload")
    assert (missing.status_code, missing.json()["type"]) == (404, "unknown-topology")


AS_SVG = {"Accept": "image/svg+xml"}
BY_LINES: dict[str, Any] = {"model": "lines"}


def post_rates(client: httpx.Client, name: str, rates: Mapping[int, float]) -> None:
    sent = [snapshot(minute, external_rate=rate) for minute, rate in rates.items()]
    assert client.post(f"/v1/topologies/{name}/snapshots", json=sent).status_code == 201


def rate_of(minute: int) -> float:
    return 300.0 + 60.0 * math.sin(minute / 20.0) + minute * 37 % 11


GAP = {*range(60, 64), 132}
RATES = {minute: rate_of(minute) for minute in range(140) if minute not in GAP}
# The interval of minute 130 ends half a minute after this.
AS_OF = (START + timedelta(minutes=130, seconds=30)).isoformat()


@pytest.fixture
def twins(client: httpx.Client, known: str) -> tuple[str, str]:
    """The names of two topologies: one with all snapshots, one with only those that had ended by AS_OF."""
    older = f"{known}-older"
    assert client.post("/v1/topologies", json=FPD | {"name": older}).status_code == 201
    post_rates(client, known, RATES)
    post_rates(client, older, {minute: rate for minute, rate in RATES.items() if minute < 130})
    return known, older


def ask_both(client: httpx.Client, twins: tuple[str, str], part: str, **asked: Any) -> list[Any]:
    return [client.get(f"/v1/topologies/{one}/forecasts/{part}", params=asked).json() for one in twins]


def test_as_of_a_past_time_is_what_was_known_then_beside_what_came(
    client: httpx.Client, twins: tuple[str, str]
):
    asked: dict[str, Any] = {"steps": 15, "history_steps": 9} | BY_LINES
    found, then = ask_both(client, twins, "workload", as_of=AS_OF, **asked)
    came = [one.pop("came_rate") for one in found["expected"]]
    assert came == [RATES.get(minute) for minute in range(130, 145)]
    assert [one.pop("came_rate") for one in then["expected"]] == [None] * 15
    assert found == then
    assert [one["code"] for one in found["diagnostics"]] == ["workload-gaps"]
    _, now = ask_both(client, twins, "workload", **asked)
    assert [one["code"] for one in now["diagnostics"]] == ["old-snapshots", "workload-gaps"]
    assert {one["came_rate"] for one in now["expected"]} == {None}
    assert now["expected"] == [one | {"came_rate": None} for one in then["expected"]]
    first, second = ask_both(client, twins, "accuracy", as_of=AS_OF, leads=[1, 4], origins=6)
    assert first == second
    assert first["last_origin"] == "2026-11-18T02:09:00Z"


def test_the_picture_as_of_a_past_time_has_what_came_since(client: httpx.Client, twins: tuple[str, str]):
    for name, has_come in zip(twins, (True, False), strict=True):
        url, asked = f"/v1/topologies/{name}/forecasts/workload", BY_LINES | {"as_of": AS_OF}
        picture = client.get(url, params=asked, headers=AS_SVG).content
        assert ("came since" in read_words(picture)) is has_come


def test_accuracy_counts_the_forecasts_that_would_have_been_made(client: httpx.Client, known: str):
    post_rates(client, known, {minute: rate_of(minute) for minute in range(100)})
    url = f"/v1/topologies/{known}/forecasts"
    found = client.get(f"{url}/accuracy", params={"leads": [1, 40], "origins": 3}).json()
    # 70 moments have 30 steps before them: every 24th is asked.
    assert (found["origins"], found["first_origin"][11:16], found["last_origin"][11:16]) == (
        3,
        "00:51",
        "01:39",
    )
    near, far = found["rates"]
    assert (far["judged"], far["coverage"], far["least_coverage"], far["mean_error"]) == (0, None, None, None)
    expected, came, covered, kinds = [], [], 0, []
    for minute in (51, 75, 99):
        terms: dict[str, Any] = {"as_of": (START + timedelta(minutes=minute)).isoformat(), "steps": 1}
        answer = client.get(f"{url}/workload", params=terms).json()
        kinds.append(answer["model"]["kind"])
        one = answer["expected"][0]
        expected.append(one["rate"])
        came.append(one["came_rate"])
        covered += one["lower"] <= one["came_rate"] <= one["upper"]
    assert kinds == ["lines", "lines+seasons", "lines+seasons"]
    assert came == [rate_of(minute) for minute in (51, 75, 99)]
    assert (near["judged"], near["seconds"], near["covered"]) == (3, 60.0, covered)
    assert near["mean_error"] == pytest.approx((sum(expected) - sum(came)) / sum(came))
    assert (found["quantile"], found["level"]) == (0.95, 0.95)
    put_policy(client, known, TARGET | {"qos_target": 0.8})
    assert client.get(f"{url}/accuracy?origins=1&leads=1").json()["quantile"] == 0.8


def test_a_forecast_by_lines_needs_thirty_steps_and_says_where_it_ends(client: httpx.Client, known: str):
    post_rates(client, known, {minute: rate_of(minute) for minute in range(29)})
    url = f"/v1/topologies/{known}/forecasts/workload?model=lines"
    refused = client.get(url)
    assert (refused.status_code, refused.json()["type"]) == (409, "stored-data-unusable")
    post_rates(client, known, {29: rate_of(29)})
    found = client.get(url).json()
    assert (found["model"]["kind"], len(found["expected"])) == ("lines", 10)
    assert "shorter-look-ahead" in [one["code"] for one in found["diagnostics"]]
    assert client.get(url, headers={"Accept": "image/svg+xml"}).status_code == 200


@pytest.mark.parametrize(
    ("asked", "status", "kind"),
    [
        ("workload?as_of=2026-11-17T00:00:00Z", 422, "invalid-request"),
        ("accuracy?as_of=2026-11-17T00:00:00Z", 422, "invalid-request"),
        ("accuracy?as_of=2026-11-18T00:20:00Z", 409, "stored-data-unusable"),
        ("accuracy?leads=0", 422, "invalid-request"),
        ("accuracy?origins=201", 422, "invalid-request"),
    ],
)
def test_what_cannot_be_asked_of_the_past_says_why(
    client: httpx.Client, measured: str, asked: str, status: int, kind: str
):
    refused = client.get(f"/v1/topologies/{measured}/forecasts/{asked}")
    assert (refused.status_code, refused.json()["type"]) == (status, kind), refused.text
