"""Forecasts of VMs over HTTP: of a posted workload, and of a stored topology."""

from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest

from app.load.bodies.load import FPD_LOAD
from planner.vms.sigma_policies import PAPER_POLICIES
from tests.app.series_examples import BEGAN, grep_samples, make_body


@pytest.mark.parametrize("policy", ["headgate", *(policy.name for policy in PAPER_POLICIES), "7"])
def test_every_policy_schedules_the_coming_intervals(client: httpx.Client, policy: str):
    answered = client.post("/v1/forecasts/vms", json=make_body(policy=policy, horizon=3))
    assert answered.status_code == 200, answered.text
    body = answered.json()
    intervals = body["intervals"]
    assert body["policy"] == policy
    assert len(intervals) == 3
    # The last minute measured begins at 14:59 UTC-4: VMs asked for at its end are ready two minutes on.
    assert intervals[0]["from"] == "1998-06-29T19:01:00Z"
    assert [one["from"] for one in intervals[1:]] == [one["to"] for one in intervals[:-1]]
    for one in intervals:
        assert 1 <= one["vms"] <= 128
        assert 0.0 <= one["probability"] <= 1.0
        assert one["vms_for_mean"] + one["vms_for_model"] + one["vms_for_forecast"] == one["vms"]


@pytest.mark.parametrize("policy", ["headgate", "mst+ua+ol;arma"])
def test_a_higher_target_takes_more_vms(client: httpx.Client, policy: str):
    low, high = (
        client.post("/v1/forecasts/vms", json=make_body(policy=policy, qos_target=target)).json()
        for target in (0.6, 0.99)
    )
    assert low["intervals"][0]["vms"] < high["intervals"][0]["vms"]


SIZES = [{"name": "S", "slots": 1, "hourly_price": 1.0}, {"name": "L", "slots": 4, "hourly_price": 3.0}]


@pytest.mark.parametrize("policy", ["headgate", "mst+ua"])
def test_of_several_sizes_the_cheapest_mix_is_bought(client: httpx.Client, policy: str):
    body = make_body(policy=policy, horizon=3)
    plain = client.post("/v1/forecasts/vms", json=body).json()
    sized = client.post("/v1/forecasts/vms", json=body | {"vm_sizes": SIZES}).json()
    assert all(one["mix"] is None for one in plain["intervals"])
    for one in sized["intervals"]:
        large, small = one["mix"]["vms"].get("L", 0), one["mix"]["vms"].get("S", 0)
        least = min(3 * many + max(one["vms"] - 4 * many, 0) for many in range(40))
        assert one["mix"]["slots"] == 4 * large + small >= one["vms"]
        assert one["mix"]["hourly_price"] == 3 * large + small == least
        if policy == "headgate":
            assert one["vms"] % 4 != 3  # a large one costs no more than three small ones, and serves more


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ([{"name": "S", "slots": 1}], "No hourly_price for S"),
        ([SIZES[0], SIZES[0]], "Two VM sizes are named S"),
    ],
)
def test_sizes_that_cannot_be_bought_are_refused(client: httpx.Client, sizes: list[Any], said: str):
    refused = client.post("/v1/forecasts/vms", json=make_body(vm_sizes=sizes))
    assert refused.status_code == 422
    assert refused.json()["type"].endswith("invalid-catalogue")
    assert said in refused.json()["detail"]


def test_what_held_without_saturating_makes_fewer_vms_enough(client: httpx.Client):
    body = make_body(policy="headgate", qos_target=0.99)
    known = client.post("/v1/forecasts/vms", json=body).json()
    held = [{"vms": vms, "throughput": 14.5, "saturated": False} for vms in (14, 15)] * 20
    more = client.post("/v1/forecasts/vms", json=body | {"mst_samples": body["mst_samples"] + held}).json()
    assert more["intervals"][0]["vms"] < known["intervals"][0]["vms"]


def test_a_target_out_of_reach_is_said(client: httpx.Client):
    answer = client.post("/v1/forecasts/vms", json=make_body(policy="mst+ua;arma", max_vms=2)).json()
    assert answer["intervals"][0]["vms"] == 2
    assert not answer["intervals"][0]["meets_target"]
    assert "target-not-met" in {one["code"] for one in answer["diagnostics"]}


def test_gaps_are_filled_and_said(client: httpx.Client):
    body = make_body()
    body["workload"][17]["rate"] = None
    del body["workload"][50:53]
    answer = client.post("/v1/forecasts/vms", json=body).json()
    said = next(one for one in answer["diagnostics"] if one["code"] == "workload-gaps")
    assert said["detail"].startswith("4 of the 400 rates")


def test_a_window_without_variation_falls_back_and_says_so(client: httpx.Client):
    body = make_body(policy="mst;arma")
    for point in body["workload"][-100:]:
        point["rate"] = 7.0
    answer = client.post("/v1/forecasts/vms", json=body)
    assert answer.status_code == 200, answer.text
    assert "forecast-fallback" in {one["code"] for one in answer.json()["diagnostics"]}


def bad(change: str) -> dict[str, Any]:
    body = make_body()
    workload, samples = body["workload"], body["mst_samples"]
    if change == "few samples":
        body["mst_samples"] = samples[:3]
    elif change == "one m":
        body["mst_samples"] = samples[:6]
    elif change == "negative throughput":
        samples[4]["throughput"] = -1.0
    elif change == "constant":
        body["workload"] = [point | {"rate": 5.0} for point in workload]
    elif change == "missing":
        body["workload"] = [p | {"rate": p["rate"] if i % 100 == 0 else None} for i, p in enumerate(workload)]
    elif change == "short":
        body["workload"] = workload[:50]
    elif change == "twice":
        workload[9] = workload[8]
    elif change == "disordered":
        workload[8], workload[9] = workload[9], workload[8]
    elif change == "negative rate":
        workload[3]["rate"] = -2.0
    return body


@pytest.mark.parametrize(
    ("change", "fields", "kind", "pointer"),
    [
        ("few samples", {}, "too-few-mst-samples", "#/mst_samples"),
        ("one m", {}, "too-few-mst-samples", "#/mst_samples"),
        ("negative throughput", {}, "invalid-mst-samples", "#/mst_samples/4/throughput"),
        ("constant", {}, "constant-workload", "#/workload"),
        ("missing", {}, "workload-too-sparse", "#/workload"),
        ("short", {}, "workload-too-short", "#/workload"),
        ("twice", {}, "invalid-workload", "#/workload/9/at"),
        ("disordered", {}, "invalid-workload", "#/workload/9/at"),
        ("negative rate", {}, "invalid-workload", "#/workload/3/rate"),
        ("", {"qos_target": 0.4}, "invalid-qos-target", "#/qos_target"),
        ("", {"qos_target": 1.0}, "invalid-qos-target", "#/qos_target"),
        ("", {"record": [{"vms": 1, "saturated": False}] * 401}, "invalid-schedule", "#/record"),
        ("", {"policy": "magic"}, "unknown-vm-policy", "#/policy"),
    ],
)
def test_bad_input_says_what_is_needed(
    client: httpx.Client, change: str, fields: dict[str, Any], kind: str, pointer: str
):
    refused = client.post("/v1/forecasts/vms", json=bad(change) | fields)
    assert refused.status_code == 422
    problem = refused.json()
    assert problem["type"] == kind
    assert problem["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize("policy", ["headgate", "mst+ua;arma"])
@pytest.mark.parametrize(
    ("step_minutes", "fields"),
    [
        (60, {"horizon": 3}),
        (60, {"horizon": 24}),
        (30, {"interval_steps": 48}),
        (1440, {"interval_steps": 2, "startup_steps": 0, "horizon": 2}),
    ],
)
def test_an_interval_may_lie_a_day_ahead_and_further(
    client: httpx.Client, policy: str, step_minutes: int, fields: dict[str, Any]
):
    body = make_body(policy=policy) | fields
    for step, point in enumerate(body["workload"]):
        point["at"] = (BEGAN + timedelta(minutes=step_minutes * step)).isoformat()
    answered = client.post("/v1/forecasts/vms", json=body)
    assert answered.status_code == 200, answered.text
    intervals = answered.json()["intervals"]
    assert len(intervals) == fields.get("horizon", 1)
    assert all(one["expected_rate"] > 0 and 0 <= one["probability"] <= 1 for one in intervals)


@pytest.mark.parametrize(
    ("ends", "fields", "pointer"),
    [
        ("9999-12-31T23:59:00+00:00", {}, "#/horizon"),
        ("9999-12-31T23:00:00+00:00", {"policy": "mst"}, "#/horizon"),
        ("2026-11-18T00:00:00+00:00", {"step_seconds": 5e-324}, "#/step_seconds"),
        ("2026-11-18T00:00:00+00:00", {"qos_target": 1e300}, "#/qos_target"),
    ],
)
def test_times_and_numbers_beyond_their_bounds_are_refused(
    client: httpx.Client, ends: str, fields: dict[str, Any], pointer: str
):
    body = make_body() | fields
    for before, point in enumerate(reversed(body["workload"])):
        point["at"] = (datetime.fromisoformat(ends) - timedelta(minutes=before)).isoformat()
    refused = client.post("/v1/forecasts/vms", json=body)
    assert refused.status_code == 422, refused.text
    assert [one["pointer"] for one in refused.json()["errors"]] == [pointer]


def test_what_is_stored_is_scheduled_as_what_is_sent(client: httpx.Client, grep_week: str):
    asked = {"policy": "mst+ua+ol;arma", "horizon": 2}
    answer = client.post(f"/v1/topologies/{grep_week}/forecasts/vms", json=asked)
    assert answer.status_code == 200, answer.text
    described = client.post("/v1/forecasts/vms", json=make_body(400, **asked)).json()
    numbers = ("vms", "expected_rate", "covered_rate", "probability")
    for ours, theirs in zip(answer.json()["intervals"], described["intervals"], strict=True):
        assert [ours[name] for name in numbers] == pytest.approx([theirs[name] for name in numbers])


def test_seconds_become_whole_steps(client: httpx.Client, grep_week: str):
    body = {"policy": "mst", "interval_seconds": 290.0, "startup_seconds": 61.0}
    (interval,) = client.post(f"/v1/topologies/{grep_week}/forecasts/vms", json=body).json()["intervals"]
    begins, ends = (datetime.fromisoformat(interval[key]) for key in ("from", "to"))
    # The last minute begins at 399; a start of 61 s takes two steps, an interval of 290 s five.
    assert begins == BEGAN + timedelta(minutes=401)
    assert ends - begins == timedelta(minutes=5)


@pytest.mark.parametrize("field", ["interval_seconds", "startup_seconds"])
@pytest.mark.parametrize("seconds", [31_536_000.0, 120_001.0])
def test_an_interval_and_a_start_have_at_most_two_thousand_steps(
    client: httpx.Client, grep_week: str, field: str, seconds: float
):
    body = {"policy": "mst+ua;arma", field: seconds}
    refused = client.post(f"/v1/topologies/{grep_week}/forecasts/vms", json=body)
    assert (refused.status_code, refused.json()["type"]) == (422, "invalid-schedule"), refused.text
    assert refused.json()["errors"][0]["pointer"] == f"#/{field}"


@pytest.mark.parametrize("policy", ["mst", "headgate"])
def test_a_start_may_take_longer_than_an_interval(client: httpx.Client, grep_week: str, policy: str):
    body = {"policy": policy, "interval_seconds": 300.0, "startup_seconds": 1800.0, "horizon": 2}
    answer = client.post(f"/v1/topologies/{grep_week}/forecasts/vms", json=body)
    assert answer.status_code == 200, answer.text
    begins = [datetime.fromisoformat(one["from"]) for one in answer.json()["intervals"]]
    # The last minute begins at 399.
    assert begins == [BEGAN + timedelta(minutes=399 + 30), BEGAN + timedelta(minutes=399 + 35)]


@pytest.mark.parametrize("policy", ["mst+ua;arma", "headgate"])
def test_hours_among_the_minutes_change_no_forecast(client: httpx.Client, grep_week: str, policy: str):
    """An hour's mean lies between minutes, at another distance and another level: it is no step of their series."""
    address = f"/v1/topologies/{grep_week}/forecasts/vms"
    before = client.post(address, json={"policy": policy}).json()
    hours = [
        FPD_LOAD
        | {
            "observed_at": (BEGAN + timedelta(minutes=60 * i, seconds=30)).isoformat(),
            "window_seconds": 3600.0,
            "external_rate": 1e4,
        }
        for i in range(6)
    ]
    assert client.post(f"/v1/topologies/{grep_week}/snapshots", json=hours).status_code == 201
    assert client.post(address, json={"policy": policy}).json() == before


def test_one_snapshot_alone_is_as_long_as_its_window(client: httpx.Client, stored: str):
    client.post(f"/v1/topologies/{stored}/mst-samples", json=grep_samples())
    newest = client.get(f"/v1/topologies/{stored}/snapshots").json()["items"][-1]
    answer = client.post(f"/v1/topologies/{stored}/forecasts/vms", json={"policy": "mst"})
    assert answer.status_code == 200, answer.text
    (interval,) = answer.json()["intervals"]
    ended = datetime.fromisoformat(newest["observed_at"]) + timedelta(seconds=newest["window_seconds"])
    steps = -(-120 // newest["window_seconds"])
    begins = ended + timedelta(seconds=newest["window_seconds"] * (steps - 1))
    assert datetime.fromisoformat(interval["from"]) == begins


def test_snapshots_further_apart_than_an_interval_still_make_a_schedule(client: httpx.Client, stored: str):
    half_hour = FPD_LOAD | {"observed_at": "2026-11-18T01:00:00Z", "window_seconds": 1800}
    assert client.post(f"/v1/topologies/{stored}/snapshots", json=half_hour).status_code == 201
    client.post(f"/v1/topologies/{stored}/mst-samples", json=grep_samples())
    address = f"/v1/topologies/{stored}/forecasts/vms"
    answer = client.post(address, json={"policy": "mst"})
    assert answer.status_code == 200, answer.text
    (interval,) = answer.json()["intervals"]
    lasts = datetime.fromisoformat(interval["to"]) - datetime.fromisoformat(interval["from"])
    assert lasts == timedelta(minutes=30)
    said = {one["code"] for one in answer.json()["diagnostics"]}
    assert said >= {"interval-lengthened", "old-snapshots"}
