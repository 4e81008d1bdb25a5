"""`headgate place` and `headgate profile`: files in, tables or JSON out."""

import json
from pathlib import Path

import httpx
import pytest
import yaml

from app.placements.offline import print_placement, run_placement
from app.profiles.offline import run_profiles
from app.terminal.refusals import Refused
from tests.app.test_cli import run

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "placement"
GOLDEN = Path(__file__).parents[2] / "golden"
FILES = [
    *("--topology", str(EXAMPLE / "topology.yaml")),
    *("--profiles", str(EXAMPLE / "profiles.yaml")),
    *("--vm-sizes", str(EXAMPLE / "vm-sizes.yaml")),
]


def test_files_and_http_place_alike(client: httpx.Client):
    ended = run("place", *FILES, "--rate", "100", "--routing", "slot-aware", "--compare", "--output", "json")
    assert ended.returncode == 0, ended.stderr
    documents = {
        key: yaml.safe_load((EXAMPLE / f"{file}.yaml").read_text("utf-8"))
        for key, file in (("topology", "topology"), ("profiles", "profiles"), ("vm_sizes", "vm-sizes"))
    }
    body = documents | {"external_rate": 100.0, "routing": "slot-aware", "compare": True}
    assert json.loads(ended.stdout) == client.post("/v1/placements", json=body).json()


def test_the_example_files_hold_the_published_profiles():
    published = json.loads((GOLDEN / "model_driven_scheduling.json").read_text("utf-8"))
    assert yaml.safe_load((EXAMPLE / "profiles.yaml").read_text("utf-8")) == published["profiles"]
    assert yaml.safe_load((EXAMPLE / "vm-sizes.yaml").read_text("utf-8")) == published["vm_sizes"]


def test_the_table_can_be_read_by_a_person():
    ended = run("place", *FILES, "--rate", "100", "--compare")
    assert ended.returncode == 0, ended.stderr
    for words in ("7 slots allocated, 7 used of 8 on 2 VMs", "azure_blob × 50", "mba + sam", "bound by"):
        assert words in ended.stdout
    assert max(map(len, ended.stdout.splitlines())) <= 120


def test_an_unknown_mapper_ends_with_two_and_says_where():
    ended = run("place", *FILES, "--rate", "100", "--mapping", "best")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "#/mapping" in ended.stderr


def test_too_few_vms_end_with_one(tmp_path: Path):
    vms = tmp_path / "vms.json"
    vms.write_text(json.dumps([{"name": "only", "slots": 2}]))
    ended = run("place", *FILES[:4], "--rate", "100", "--vms", str(vms))
    assert ended.returncode == 1
    assert "not-enough-slots" in ended.stderr


def test_nothing_to_place_on_is_said():
    with pytest.raises(Refused, match="give --vm-sizes to acquire from, or --vms"):
        run_placement(
            {"topology": EXAMPLE / "topology.yaml", "profiles": EXAMPLE / "profiles.yaml"},
            {"external_rate": 100.0},
        )


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
    built = run("profile", "--trials", str(write_trials(tmp_path / "trials.csv", tasks)), "--output", "json")
    assert built.returncode == 0, built.stderr
    profiles = tmp_path / "profiles.json"
    profiles.write_text(built.stdout)
    assert json.loads(built.stdout)["pi"]["points"] == [
        {"threads": 1, "peak_rate": 300.0, "cpu": pytest.approx(0.8), "memory": pytest.approx(0.3)},
        {"threads": 2, "peak_rate": 290.0, "cpu": pytest.approx(0.8), "memory": pytest.approx(0.3)},
    ]
    files = [*FILES[:2], "--profiles", str(profiles), *FILES[4:]]
    placed = run("place", *files, "--rate", "300", "--output", "json")
    assert placed.returncode == 0, placed.stderr
    assert json.loads(placed.stdout)["allocation"]["slots"] == 5


def test_the_mean_of_equal_values_is_that_value(tmp_path: Path):
    rows = [f"work,1,10,{at},0.1,0.1,0.1" for at in range(6)]
    path = tmp_path / "trials.csv"
    path.write_text("\n".join(["task,threads,rate,at_seconds,latency_seconds,cpu,memory", *rows]))
    (point,) = run_profiles(path, warm_up_seconds=0.0, max_slope=1e-3)["work"].points
    assert (point.cpu, point.memory) == (0.1, 0.1)


def test_one_vm_is_no_plural(capsys: pytest.CaptureFixture[str]):
    files = {key: EXAMPLE / f"{key.replace('_', '-')}.yaml" for key in ("topology", "profiles", "vm_sizes")}
    print_placement(run_placement(files, {"external_rate": 50.0}), "table")
    assert "on 1 VM for" in capsys.readouterr().out


def test_the_table_of_a_profile_shows_the_evidence(tmp_path: Path):
    ended = run("profile", "--trials", str(write_trials(tmp_path / "trials.csv", ("parse",))))
    assert ended.returncode == 0, ended.stderr
    for words in ("parse", "peak rate", "unstable from", "320"):
        assert words in ended.stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("threads,rate\n1,2\n", "no column task"),
        ("task,threads,rate,at_seconds,latency_seconds,cpu,memory\n", "no trials"),
        ("task,threads,rate,at_seconds,latency_seconds,cpu,memory\na,one,2,0,0,0,0\n", "trials.csv:2"),
        ("task,threads,rate,at_seconds,latency_seconds,cpu,memory\na,1,2,0,nan,0,0\n", "no number"),
    ],
)
def test_trials_that_cannot_be_read_are_refused_by_line(tmp_path: Path, text: str, said: str):
    path = tmp_path / "trials.csv"
    path.write_text(text)
    with pytest.raises(Refused, match=said):
        run_profiles(path, warm_up_seconds=0.0, max_slope=1e-3)
