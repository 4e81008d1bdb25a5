"""VM schedules and backtests, over real HTTP and from real files."""

import csv
import inspect
import io
import json
import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest

from app.backtests.schemas import BacktestRequest
from app.forecasts import command
from app.forecasts.schemas import VmForecastRequest
from planner.vms.sigma_policies import PAPER_POLICIES
from tests.app.test_cli import run, run_here

IMAI = Path(__file__).parents[2] / "golden" / "imai"
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


def make_half_hours(days: int = 8) -> list[tuple[str, float]]:
    """A workload that is measured every half an hour, with a rhythm of days."""
    begin = datetime(2026, 3, 1, tzinfo=UTC)
    return [
        (
            (begin + timedelta(minutes=30 * i)).isoformat(),
            round(8 + 5 * math.sin(2 * math.pi * i / 48) + i * 37 % 11 / 10, 3),
        )
        for i in range(48 * days)
    ]


def write_half_hours(path: Path, days: int = 8) -> str:
    path.write_text("time,rate\n" + "".join(f"{at},{rate}\n" for at, rate in make_half_hours(days)))
    return str(path)


def test_files_and_http_take_the_step_from_the_data(
    client: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    path = write_half_hours(tmp_path / "w.csv")
    fields = {"horizon": 2, "interval_steps": 4, "startup_steps": 1, "qos_target": 0.9, "policy": "mst+ua"}
    body = make_body() | fields | {"workload": [{"at": at, "rate": rate} for at, rate in make_half_hours()]}
    options = [text for name, value in fields.items() for text in (f"--{name.replace('_', '-')}", str(value))]
    ended = run_here("forecast", "--workload", path, *FILES[2:], *options, "--output", "json")
    assert ended.exit_code == 0, ended.stderr
    assert json.loads(ended.stdout) == client.post("/v1/forecasts/vms", json=body).json()
    assert "steps of 30 min" in ended.stderr


def test_half_hourly_data_are_lived_through_in_half_hours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    path = write_half_hours(tmp_path / "w.csv")
    asked = ["backtest", "--workload", path, *FILES[2:], "--policies", "0,0,mst,ground-truth", "--seeds", "1"]
    table = run_here(*asked)
    assert table.exit_code == 0, table.stderr
    assert "384 steps of 30 min; decided every 10 steps (5 h); VMs start within 2 (1 h)" in table.stderr
    assert "±" not in table.stdout
    policies = [line.split()[1] for line in table.stdout.splitlines() if line.strip().startswith("grep")]
    assert policies == ["0", "ground-truth"]
    assert "95" in table.stdout
    assert "no target" in table.stdout
    for target, verdict in (("0.5", "met"), ("0.999", "MISSED")):
        said = run_here(*asked, "--policies", "3", "--qos-target", target, "--interval-steps", "4",
                        "--startup-steps", "1")  # fmt: skip
        assert verdict in said.stdout
        assert "decided every 4 steps (2 h); VMs start within 1 (30 min)" in said.stderr
    assert "±" in run_here(*asked[:-1], "2").stdout


def test_hourly_steps_can_be_asked_for_where_half_of_them_are_missing(tmp_path: Path):
    lines = [f"{i * 60},{5 + i % 7}" for i in range(300) if i % 3 != 1]
    (tmp_path / "w.csv").write_text("minutes,rate\n" + "\n".join(lines) + "\n")
    asked = ["--workload", str(tmp_path / "w.csv"), *FILES[2:], "--step-seconds", "3600"]
    ended = run_here("forecast", *asked, "--output", "json")
    assert ended.exit_code == 0, ended.stderr
    said = next(one for one in json.loads(ended.stdout)["diagnostics"] if one["code"] == "workload-gaps")
    assert said["detail"].startswith("100 of 300 steps")


def list_options(command: Callable[..., None]) -> set[str]:
    return set(inspect.signature(command).parameters) - {"output", "app", "plot"}


def test_the_options_are_the_fields_of_the_bodies_and_left_to_their_defaults():
    stored_only = {"topology", "since", "until"}
    assert list_options(command.backtest) == BacktestRequest.model_fields.keys() - stored_only - {
        "app", "mst_samples"} | {"mst"}  # fmt: skip
    assert list_options(command.forecast) == VmForecastRequest.model_fields.keys() - {"mst_samples"} | {"mst"}
    for asked, body in ((command.backtest, BacktestRequest), (command.forecast, VmForecastRequest)):
        for name, option in inspect.signature(asked).parameters.items():
            if name not in {"output", "workload", "mst"}:
                assert option.default is None, name
                default = body.model_fields[name].default if name in body.model_fields else None
                if isinstance(default, int | float) and not isinstance(default, bool):
                    info = get_args(option.annotation)[1]
                    assert str(default) in info.help, name


def test_what_was_not_measured_at_the_paper_s_m_is_trained_on_all(tmp_path: Path):
    (tmp_path / "m.csv").write_text(
        "m,a,b,c\n" + "".join(f"{m},{m},{m * 1.1},{m * 1.2}\n" for m in (1, 2, 5, 9))
    )
    path = write_half_hours(tmp_path / "w.csv", days=3)
    asked = [
        "backtest",
        "--workload",
        path,
        "--mst",
        str(tmp_path / "m.csv"),
        "--policies",
        "0",
        "--seeds",
        "1",
    ]
    ended = run_here(*asked)
    assert ended.exit_code == 0, ended.stderr
    assert "trained on all of 1, 2, 5, 9" in ended.stderr
    refused = run_here(*asked, "--train-vms", "2,3")
    assert refused.exit_code == 2
    assert "No sample is at 3 VMs" in refused.stderr
    assert run_here(*asked, "--train-vms", "all").exit_code == 0


WORKLOAD = "2026-03-01T00:00:00Z,1.5\n2026-03-01T00:01:00Z,2.5\n"


@pytest.mark.parametrize(
    ("workload", "mst", "said"),
    [
        (WORKLOAD, None, "is data and no header"),
        ("2026-03-01T00:00:00Z,\n" + WORKLOAD, None, "is data and no header"),
        ("3/1/2026 0:00,1.5\n3/1/2026 0:01,2.5\n", None, "is data and no header"),
        ("0,1.5\n1,2.5\n", None, "is data and no header"),
        ("time;rate\n2026-03-01T00:00:00Z;1,5\n2026-03-01T00:01:00Z;2,5\n", None, "semicolons"),
        ("2026-03-01T00:00:00Z;1,5\n2026-03-01T00:01:00Z;2,5\n", None, "semicolons"),
        ("time,rate\n2026-03-01T00:00:00Z,1,5\n", None, "decimal comma"),
        ("time,bytes,requests\n2026-03-01T00:00:00Z,1,5\n", None, "two columns are wanted"),
        ("time,rate\n1700000000000,1\n1700000060000,1\n", None, "not of milliseconds"),
        ("", None, "a header and at least one line"),
        (None, "grep,1,2.05,2.06\ngrep,2,2.1,2.2\n", "put a header above it"),
        (None, "app;m;1;2\ngrep;1;2,05;2,06\n", "semicolons"),
        (None, "app,m,1\ngrep\n", "there is no m"),
        (
            None,
            "app,m,1,2\ngrep,1,2.0,nan\n" + "".join(f"grep,{m},{m},{m}\n" for m in range(2, 9)),
            "line 2: m is a whole number and samples are numbers: nan is none",
        ),
    ],
)
@pytest.mark.parametrize("asked", ["backtest", "forecast"])
def test_a_file_that_would_be_misread_is_refused(
    asked: str, workload: str | None, mst: str | None, said: str, tmp_path: Path
):
    paths = []
    for name, option, text, known in (("w.csv", "--workload", workload, 1), ("m.csv", "--mst", mst, 3)):
        (tmp_path / name).write_text(text or "")
        paths += [option, FILES[known] if text is None else str(tmp_path / name)]
    ended = run_here(asked, *paths, "--app", "grep")
    assert ended.exit_code == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr


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
        (["--train-vms", "3,300"], "No sample is at 300 VMs"),
        (["--scale-peak", "high"], "a number, or none"),
        (["--scale-peak", "inf"], "--scale-peak: "),
        (["--policies", ","], "at least one policy"),
        (["--seeds", "0"], "--seeds: "),
        (["--qos-target", "95"], "invalid-qos-target"),
        (["--headgate-qos-target", "nan"], "--headgate-qos-target: "),
        (["--startup-steps", "10"], "startup_steps"),
        (["--step-seconds", "0"], "--step-seconds: "),
        (["--scale-peak", "-1"], "scale_peak"),
        (["--app", "nothing"], "no application nothing"),
        (["--workload", "/nonexistent.csv"], "cannot be read"),
        (["--mst", str(IMAI / "worldcup_week.csv")], "no column is called m"),
        (["--workload", str(IMAI / "mst_samples.csv")], "two columns are wanted"),
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
