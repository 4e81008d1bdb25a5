"""What `make run` does not need goes, and nothing in the installer's cache changes."""

import os
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]


def trim(folder: Path) -> None:
    subprocess.run(["sh", str(ROOT / "tools" / "trim.sh"), str(folder)], check=True)


def test_tests_of_large_packages_go_and_all_else_stays(tmp_path: Path):
    gone = ["numpy/tests/a.py", "scipy/signal/tests/data/b.npz", "fontTools/ttLib/d.py", "PIL/_avif.so"]
    kept = [
        "numpy/testing/a.py",
        "numpy/__init__.py",
        "other/tests/c.py",
        "fontTools/misc/e.py",
        "PIL/Image.py",
    ]
    for name in (*gone, *kept):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    trim(tmp_path)
    assert not any((tmp_path / name).exists() for name in gone)
    assert all((tmp_path / name).exists() for name in kept)


def test_a_library_is_made_anew_and_its_twin_in_the_cache_stays(tmp_path: Path):
    """Where the machine has no `strip`, both stay as they are."""
    spec = find_spec("kiwisolver._cext")
    assert spec is not None
    cached, installed = tmp_path / "cached.so", tmp_path / "kiwisolver" / Path(str(spec.origin)).name
    shutil.copy(str(spec.origin), cached)
    installed.parent.mkdir()
    os.link(cached, installed)
    size = cached.stat().st_size
    trim(tmp_path)
    assert cached.stat().st_size == size
    assert (installed.stat().st_ino == cached.stat().st_ino) is (shutil.which("strip") is None)
    assert os.access(installed, os.X_OK) == os.access(cached, os.X_OK)
    assert not list(installed.parent.glob("*.new"))
