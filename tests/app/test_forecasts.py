"""VM schedules and backtests, over real HTTP and from real files."""

import csv
import io
from pathlib import Path
from typing import Any

import httpx
import pytest

from planner.policies import PAPER_POLICIES
from tests.app.test_cli import run, run_here

IMAI = Path(__file__).parents[1] / "golden" / "imai"
FILES = [
    "--workload",
    str(IMAI / "worldcup_week.csv"),
    "--mst",
    str(IMAI / "mst_samples.csv"),
    "--app",
    "grep",
]


def read_rows(name: str) -> list[dict[str, str]]:
    with (IMAI / name).open() as lines:
        return list(csv.DictReader(lines))


def make_body(minutes: int = 400, **fields: Any) -> dict[str, Any]:
    week = read_rows("worldcup_week.csv")[500 : 500 + minutes]
    samples = [row for row in read_rows("mst_samples.csv") if row["app"] == "grep"]
    return {
        "workload": [{"at": row["time"], "rate": float(row["kbytes_per_second"]) / 10.0} for row in week],
        "mst_samples": [
            {"vms": int(row["m"]), "throughput": float(row[str(i)])} for row in samples for i in range(1, 7)
        ],
    } | fields


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
    assert said["detail"].startswith("4 of 400 steps")


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
        ("", {"startup_steps": 10}, "invalid-schedule", "#/startup_steps"),
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


def test_files_and_http_give_the_same_schedule(client: httpx.Client, tmp_path: Path):
    body = make_body(horizon=2)
    (tmp_path / "w.csv").write_text(
        "time,rate\n" + "".join(f"{point['at']},{point['rate']!r}\n" for point in body["workload"])
    )
    ended = run(
        "forecast", "--workload", str(tmp_path / "w.csv"), *FILES[2:], "--horizon", "2", "--output", "json"
    )
    assert ended.returncode == 0, ended.stderr
    assert httpx.Response(200, text=ended.stdout).json() == client.post("/v1/forecasts/vms", json=body).json()


def backtest(*arguments: str) -> list[dict[str, str]]:
    ended = run("backtest", *arguments, "--output", "csv")
    assert ended.returncode == 0, ended.stderr
    return list(csv.DictReader(io.StringIO(ended.stdout)))


def test_a_backtest_prints_one_row_per_policy_and_seed():
    rows = backtest(*FILES, "--policies", "0,mst+ua,ground-truth", "--seeds", "2")
    header = [
        "policy",
        "workload",
        "app",
        "seed",
        "qos_percent",
        "cost_to_truth",
        "cost_to_static",
        "max_backlog",
    ]
    assert list(rows[0]) == header
    assert [(row["policy"], row["seed"]) for row in rows] == [
        (policy, seed) for policy in ("0", "1", "ground-truth") for seed in ("0", "1")
    ]
    assert float(rows[0]["cost_to_truth"]) == pytest.approx(1.069, abs=0.005)
    assert float(rows[4]["cost_to_truth"]) == 1.0


def test_all_policies_are_the_paper_s_and_ours(tmp_path: Path):
    """On a tab-separated file with the authors' times, without an app column, and some minutes missing."""
    week = read_rows("worldcup_week.csv")[:300]
    lines = [f"6/29/1998 {i // 60}:{i % 60:02}\t{row['kbytes_per_second']}" for i, row in enumerate(week)]
    del lines[200:203]
    (tmp_path / "w.tsv").write_text("data\tval [Kbytes]\n" + "\n".join(lines) + "\n")
    samples = [row for row in read_rows("mst_samples.csv") if row["app"] == "rcount"]
    text = "m,a,b,c\n" + "".join(f"{row['m']},{row['1']},{row['2']},{row['3']}\n" for row in samples)
    (tmp_path / "m.csv").write_text(text)
    rows = backtest(
        "--workload",
        str(tmp_path / "w.tsv"),
        "--mst",
        str(tmp_path / "m.csv"),
        "--scale-peak",
        "10",
        "--seeds",
        "1",
    )
    assert [row["policy"] for row in rows] == [*"01234567", "headgate"]
    assert {(row["workload"], row["app"]) for row in rows} == {("w", "m")}


def test_a_backtest_draws_the_same_picture_every_time(tmp_path: Path):
    pictures = []
    for name in ("a.svg", "b.svg"):
        backtest(*FILES, "--policies", "0", "--seeds", "1", "--plot", str(tmp_path / name))
        pictures.append((tmp_path / name).read_text())
    assert pictures[0] == pictures[1]
    assert "<svg" in pictures[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--plot", "week.gif"], "--plot draws"),
        (["--policies", "8"], "unknown-vm-policy"),
        (["--train-vms", "3,x"], "whole numbers"),
        (["--train-vms", "5"], "too-few-mst-samples"),
        (["--scale-peak", "high"], "a number, or none"),
        (["--scale-peak", "-1"], "scale_peak"),
        (["--app", "nothing"], "no application nothing"),
        (["--workload", "/nonexistent.csv"], "cannot be read"),
        (["--mst", str(IMAI / "worldcup_week.csv")], "no column is called m"),
        (["--workload", str(IMAI / "mst_samples.csv")], "is no time"),
    ],
)
def test_a_backtest_that_cannot_be_run_says_why(
    arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")  # as the command has it, and here put back
    ended = run_here("backtest", *FILES, *arguments)
    assert ended.exit_code == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
