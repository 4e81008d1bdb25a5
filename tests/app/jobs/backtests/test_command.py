"""`headgate backtest`: rows, tables and pictures from files."""

import csv
import io
import json
import re
from pathlib import Path
from statistics import fmean

import pytest

from app.jobs.backtests import command
from app.jobs.backtests.schemas import BacktestRequest
from planner.wording import write_number
from tests.app.backtest_examples import SMALL, expect_rows
from tests.app.series_examples import (
    FILES,
    IMAI,
    expect_defaults_of,
    list_options,
    read_rows,
    write_half_hours,
)
from tests.app.test_cli import run, run_here


def test_half_hourly_data_are_lived_through_in_half_hours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    path = write_half_hours(tmp_path / "w.csv")
    asked = ["backtest", "--workload", path, *FILES[2:], "--policies", "0,0,mst,ground-truth", "--seeds", "1"]
    table = run_here(*asked)
    assert table.exit_code == 0, table.stderr
    assert "384 steps of 30 min; decided every 10 steps (5 h); VMs start within 2 (1 h)" in table.stderr
    assert "±" not in table.stdout
    assert "shorter than a week" not in table.stdout
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
    assert "No sample was measured with 3 VMs" in refused.stderr
    known = run_here(*asked, "--train-vms", "all")
    assert known.exit_code == 0
    assert "shorter than a week" in known.stdout


def backtest(*arguments: str) -> list[dict[str, str]]:
    ended = run_here("backtest", *arguments, "--output", "csv")
    assert ended.exit_code == 0, ended.stderr
    return list(csv.DictReader(io.StringIO(ended.stdout)))


CAUSES = ("jump", "scatter", "belief", "price", "first-hours", "max-vms")
HEADER = (
    "policy,workload,app,seed,qos_percent,cost_to_truth,cost_to_static,max_backlog,qos_target,judgeable,kept,"
    "kept_so_far,least_kept,most_kept,kept_with_demand,expected,debt_steps,price,price_cap,binding,days_below"
)


def test_with_sizes_costs_are_prices_of_the_cheapest_mixes(tmp_path: Path):
    """Eight for the price of one: as few prices as there are steps, where never more than eight VMs are needed."""
    sizes = tmp_path / "sizes.json"
    sizes.write_text(
        '[{"name": "S", "slots": 1, "hourly_price": 1}, {"name": "L", "slots": 8, "hourly_price": 1}]'
    )
    asked = [
        *FILES,
        "--policies",
        "headgate,static-peak",
        "--seeds",
        "1",
        "--scale-peak",
        "6",
        "--max-vms",
        "24",
    ]
    plain, sized = backtest(*asked), backtest(*asked, "--vm-sizes", str(sizes))
    assert [row["hourly_price"] for row in plain] == ["", ""]
    assert float(plain[0]["cost_to_truth"]) > 1.05
    for row in sized:
        assert float(row["hourly_price"]) == float(row["cost_to_truth"])
        assert 1.0 <= float(row["hourly_price"]) < 1.2
    assert float(sized[0]["qos_percent"]) >= float(plain[0]["qos_percent"])


def test_lines_below_the_table_tell_how_targets_were_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    path = write_half_hours(tmp_path / "w.csv")
    asked = ["--workload", path, *FILES[2:], "--policies", "headgate,ground-truth", "--seeds", "2"]
    rows = backtest(*asked)
    _, ours, truth = re.split(r"\w\S+ on grep: ", " ".join(run_here("backtest", *asked).stdout.split()))
    for policy, line in (("headgate", ours), ("ground-truth", truth)):
        runs = [row for row in rows if row["policy"] == policy]
        least, most = (
            min(float(one["least_kept"]) for one in runs),
            max(float(one["most_kept"]) for one in runs),
        )
        assert (
            f"serve {write_number(100 * least, digits=4)}% to {write_number(100 * most, digits=4)}%" in line
        )
        missed = [sum(int(one[f"missed_{cause}"]) for one in runs) for cause in CAUSES]
        counts = [int(count) for count in re.findall(r"(\d+) because of", line)]
        assert counts == sorted(filter(None, missed), reverse=True)
        assert ("than the target allows" in line) == ("was expected" in line) == (policy == "headgate")
        if policy == "headgate":
            debt, price, cap = (
                fmean(float(one[name]) for one in runs) for name in ("debt_steps", "price", "price_cap")
            )
            assert f"{write_number(abs(debt))} missed steps {'more' if debt > 0 else 'fewer'} than" in line
            assert (
                f"as much as {write_number(price)} VMs for a step; the most allowed was {write_number(cap)}."
                in line
            )


def test_a_backtest_prints_one_row_per_policy_and_seed():
    rows = backtest(*FILES, "--policies", "0,mst+ua,ground-truth", "--seeds", "2")
    # Columns keep their places: what came later stands last.
    assert list(rows[0]) == [*HEADER.split(","), *(f"missed_{cause}" for cause in CAUSES), "hourly_price"]
    for row in rows:
        assert float(row["kept_so_far"]) == pytest.approx(float(row["qos_percent"]) / 100.0)
        missed = sum(int(row[f"missed_{cause}"]) for cause in CAUSES)
        assert missed == round((1.0 - float(row["kept_so_far"])) * 10_080)
    assert rows[0]["days_below"].startswith("1: ")
    marks = [(row["policy"], row["qos_target"], row["judgeable"], row["kept"]) for row in rows[::2]]
    assert marks == [
        ("0", "0.95", "true", "false"),
        ("1", "0.95", "true", "true"),
        ("ground-truth", "", "true", ""),
    ]
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
        ended = run("backtest", *FILES, "--policies", "0", "--seeds", "1", "--plot", str(tmp_path / name))
        assert ended.returncode == 0, ended.stderr
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
        (["--train-vms", "3,300"], "No sample was measured with 300 VMs"),
        (["--scale-peak", "high"], "a number, or none"),
        (["--scale-peak", "inf"], "--scale-peak: "),
        (["--policies", ","], "at least one policy"),
        (["--seeds", "0"], "--seeds: "),
        (["--qos-target", "95"], "invalid-qos-target"),
        (["--headgate-qos-target", "nan"], "--headgate-qos-target: "),
        (["--startup-steps", "-1"], "--startup-steps: "),
        (["--step-seconds", "0"], "give at least 1 ms"),
        (["--scale-peak", "-1"], "scale_peak"),
        (["--app", "nothing"], "no application nothing"),
        (["--workload", "/nonexistent.csv"], "cannot be read"),
        (["--mst", str(IMAI / "worldcup_week.csv")], "no column is called m"),
        (["--workload", str(IMAI / "mst_samples.csv")], "two columns are needed"),
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


def test_files_and_http_bring_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")  # as the command has it, and here put back
    points = "".join(f"{point['at']},{point['rate']!r}\n" for point in SMALL["workload"])
    (tmp_path / "w.csv").write_text("time,rate\n" + points)
    samples = "".join(f"{one['vms']},{one['throughput']!r}\n" for one in SMALL["mst_samples"])
    (tmp_path / "m.csv").write_text("m,sample\n" + samples)
    files = ["--workload", str(tmp_path / "w.csv"), "--mst", str(tmp_path / "m.csv")]
    as_posted = ["--workload-name", SMALL["workload_name"], "--scale-peak", "none", "--train-vms", "all"]
    asked = ["--policies", ",".join(SMALL["policies"]), "--seeds", str(SMALL["seeds"]), "--output", "json"]
    ended = run_here("backtest", *files, *as_posted, *asked)
    assert ended.exit_code == 0, ended.stderr
    assert json.loads(ended.stdout) == [row | {"app": "m"} for row in expect_rows(SMALL)]


def test_the_options_are_the_fields_of_the_body_and_left_to_its_defaults():
    only_stored = {"topology", "since", "until"}
    fields = BacktestRequest.model_fields.keys() - only_stored - {"app", "mst_samples"} | {"mst"}
    assert list_options(command.backtest) == fields
    expect_defaults_of(command.backtest, BacktestRequest)
