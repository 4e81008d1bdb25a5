"""The image of the gate: the steps of its Dockerfile, done in a folder without docker."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.processes import environment

ROOT = Path(__file__).parents[2]
STEPS = (ROOT / "ci" / "gate.Dockerfile").read_text().replace("\\\n", " ")
UV = Path(sys.executable).with_name("uv")
BASE_MEGABYTES = 130
"""python:3.12-slim, unpacked."""
MOST_MEGABYTES = 300
FPD = ROOT / "docs" / "examples" / "fpd"


def list_steps(word: str) -> list[str]:
    """What stands behind the steps of this kind."""
    return re.findall(rf"^{word} (.+)$", STEPS, re.MULTILINE)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The environment that the steps COPY and RUN make of the tree, in place of the image's Python."""
    folder, packages = tmp_path_factory.mktemp("image"), tmp_path_factory.mktemp("packages")
    for copied in list_steps("COPY"):
        *sources, target = copied.split()
        for source in sources:
            place = folder / target / (source if target == "./" else "")
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, place, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / source, place)
    subprocess.run([UV, "venv", "--quiet", "--clear", "--python", sys.executable, packages], check=True)
    for step in [part.strip() for run in list_steps("RUN") for part in run.split("&&")]:
        if step.startswith("uv pip install"):
            given = [one for one in shlex.split(step)[1:] if one not in {"--system", "--no-cache"}]
            install(folder, [*given, "--quiet", "--python", str(packages / "bin" / "python")])
    return packages / "bin"


def install(folder: Path, given: list[str]) -> None:
    """Runs uv in a folder: with the packages in its cache, else with those of the index."""
    for offline in ("--offline", "--no-progress"):
        done = subprocess.run([UV, *given, offline], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return
    raise AssertionError(done.stderr)


def test_the_image_stays_small_with_all_bytecode(built: Path):
    size = sum(path.lstat().st_size for path in built.parent.rglob("*"))
    assert BASE_MEGABYTES + size / 1e6 < MOST_MEGABYTES


def test_it_runs_the_gate_as_its_entry_point(built: Path):
    assert list_steps("ENTRYPOINT") == ['["headgate"]']
    files = [str(FPD / "topology.yaml"), "--load", str(FPD / "load.yaml")]
    command = [str(built / "headgate"), "gate", *files, "--t-max", "0.07"]
    ended = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False, cwd=built)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("pass: 22 processors")


def test_it_runs_as_nobody_in_particular_and_keeps_no_installer(built: Path):
    assert list_steps("USER") == ["10001"]
    assert "pip uninstall --yes --quiet uv" in STEPS
    assert not (built / "uv").exists()


def test_what_is_copied_is_in_the_context_of_the_build():
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    for copied in list_steps("COPY"):
        for source in copied.split()[:-1]:
            assert source in sent or (source.endswith(".lock") and "requirements*.lock" in sent), source
