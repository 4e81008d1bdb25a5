"""What `make run` installs: its size, and that what serves runs without what is trimmed."""

import subprocess
import sys
from pathlib import Path
from shutil import which

ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).with_name("uv")
MOST_MEGABYTES = 545 if which("strip") else 615
"""Packages with the bytecode of what was loaded; pip and Postgres' data come besides.

A machine without `strip` keeps the symbols for debuggers.
"""
SERVE = """
from app.main import create_app
from app.rendering import png_writing
from app.settings import Settings
from planner.simulation.simulate import warm_up
from planner.workloads.arma.models import find_innovations
create_app(Settings(log_level="error")).openapi()
warm_up()
print(round(float(find_innovations([0.5], [], [1.0, 2.0])[0][1]), 9))
"""


def test_what_make_run_installs_serves_and_is_small(tmp_path: Path):
    folder = tmp_path / "env"
    subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, folder], check=True)
    for offline in ("--offline", "--no-progress"):  # the packages of this environment are in the cache of uv
        installed = subprocess.run(
            [UV, "pip", "install", "--quiet", "--no-config", "--no-deps", "--require-hashes", offline,
             "--python", folder / "bin" / "python", "-r", ROOT / "requirements-serve.lock"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if installed.returncode == 0:
            break
    assert installed.returncode == 0, installed.stderr
    subprocess.run(
        [UV, "pip", "install", "--quiet", "--no-deps", "--offline", "--python", folder / "bin" / "python", "-e", ROOT],
        check=True,
    )  # fmt: skip
    [packages] = folder.glob("lib/python*/site-packages")
    subprocess.run(["sh", ROOT / "tools" / "trim.sh", packages], check=True)
    served = subprocess.run(
        [folder / "bin" / "python", "-c", SERVE], cwd=ROOT, env={"PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (served.returncode, served.stdout) == (0, "1.5\n"), served.stderr
    megabytes = sum(path.lstat().st_size for path in packages.rglob("*")) / 1e6
    assert megabytes < MOST_MEGABYTES
