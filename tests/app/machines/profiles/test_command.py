"""`headgate profile`: trials in a CSV file become profiles that `headgate place` reads."""

import json
from pathlib import Path

import pytest

from app.machines.profiles.offline import run_profiles
from app.terminal.commands import Refused
from tests.app.test_cli import run, run_here

EXAMPLE = Path(__file__).parents[4] / "docs" / "examples" / "placement"
FILES = [
    *("--topology", str(EXAMPLE / "topology.yaml")),
    *("--profiles", str(EXAMPLE / "profiles.yaml")),
    *("--vm-sizes", str(EXAMPLE / "vm-sizes.yaml")),
]


def write_trials(path: Path, tasks: tuple[str, ...]) -> Path:
    rows = ["task,threads,rate,at_seconds,latency_seconds,cpu,memory"]
    for task in tasks:
        for threads, rate, growth in ((1, 300, 0.0), (1, 320, 0.5), (2, 290, 0.0), (2, 310, 0.1)):
            for at in range(0, 100, 10):
                rows.append(f"{task},{threads},{rate},{at},{0.02 + growth * at},0.8,0.3")  # noqa: PERF401 -- three loops deep
    path.write_text("\n".join(rows) + "\n")
    return path


def test_profiles_from_trials_are_what_place_reads(tmp_path: Path):
    tasks = ("parse_xml", "pi", "batch_file_write", "azure_blob", "azure_table")
    built = run_here(
        "profile", "--trials", str(write_trials(tmp_path / "trials.csv", tasks)), "--output", "json"
    )
    assert built.exit_code == 0, built.stderr
    profiles = tmp_path / "profiles.json"
    profiles.write_text(built.stdout)
    assert json.loads(built.stdout)["pi"]["points"] == [
        {"threads": 1, "peak_rate": 300.0, "cpu": pytest.approx(0.8), "memory": pytest.approx(0.3)},
        {"threads": 2, "peak_rate": 290.0, "cpu": pytest.approx(0.8), "memory": pytest.approx(0.3)},
    ]
    files = [*FILES[:2], "--profiles", str(profiles), *FILES[4:]]
    placed = run_here("place", *files, "--rate", "300", "--output", "json")
    assert placed.exit_code == 0, placed.stderr
    assert json.loads(placed.stdout)["allocation"]["slots"] == 5


def test_the_mean_of_equal_values_is_that_value(tmp_path: Path):
    rows = [f"work,1,10,{at},0.1,0.1,0.1" for at in range(6)]
    path = tmp_path / "trials.csv"
    path.write_text("\n".join(["task,threads,rate,at_seconds,latency_seconds,cpu,memory", *rows]))
    (point,) = run_profiles(path, warm_up_seconds=0.0, max_slope=1e-3)["work"].points
    assert (point.cpu, point.memory) == (0.1, 0.1)


def test_the_table_of_a_profile_shows_the_evidence(tmp_path: Path):
    ended = run("profile", "--trials", str(write_trials(tmp_path / "trials.csv", ("parse",))))
    assert ended.returncode == 0, ended.stderr
    for words in ("parse", "peak rate", "unstable from", "320"):
        assert words in ended.stdout


def test_trials_that_are_no_text_are_refused_by_name(tmp_path: Path):
    (tmp_path / "trials.csv").write_bytes(b"task\xff")
    ended = run("profile", "--trials", str(tmp_path / "trials.csv"))
    assert ended.returncode == 2
    assert (
        ended.stderr
        == f"headgate: {tmp_path / 'trials.csv'}: cannot be read: it is not text in UTF-8 (see byte 4)\n"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("threads,rate\n1,2\n", "no column task"),
        ("task,threads,rate,at_seconds,latency_seconds,cpu,memory\n", "no trials"),
        ("task,threads,rate,rate,at_seconds,latency_seconds,cpu,memory\n", "column rate stands twice"),
        ("task,threads,rate,at_seconds,latency_seconds,cpu,memory\na,one,2,0,0,0,0\n", "trials.csv:2"),
        ("task,threads,rate,at_seconds,latency_seconds,cpu,memory\na,1,2,0,nan,0,0\n", "no number"),
    ],
)
def test_trials_that_cannot_be_read_are_refused_by_line(tmp_path: Path, text: str, said: str):
    path = tmp_path / "trials.csv"
    path.write_text(text)
    with pytest.raises(Refused, match=said):
        run_profiles(path, warm_up_seconds=0.0, max_slope=1e-3)
