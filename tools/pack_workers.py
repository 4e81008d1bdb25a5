"""Packs what the executors of a cluster need of Python into one zip, for Spark's --archives (docs/ingest.md).

usage: .venv/bin/python tools/pack_workers.py build/headgate-workers.zip
"""

import re
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOTS = ("duckdb", "numpy", "pyarrow")  # with all that they require
OURS = ("ingest/*.py", "app/__init__.py", "app/tables/*.py")
LEFT_OUT = {"__pycache__", "tests", "include", "..", "bin"}


def find_distributions(names: tuple[str, ...]) -> set[str]:
    """These distributions and those that they require, without extras."""
    found: set[str] = set()
    wanted = list(names)
    while wanted:
        found.add(name := wanted.pop())
        required = [line for line in distribution(name).requires or [] if "extra ==" not in line]
        wanted += {re.split(r"[^\w.-]", line)[0] for line in required} - found
    return found


def list_files() -> dict[str, Path]:
    """The files by their name in the archive."""
    files = [(str(path.relative_to(ROOT)), path) for glob in OURS for path in ROOT.glob(glob)]
    for name in find_distributions(ROOTS):
        listed = distribution(name).files or []
        files += [(str(file), Path(str(file.locate()))) for file in listed if not LEFT_OUT & set(file.parts)]
    return dict(sorted(files))


def pack(target: Path) -> None:
    """The same bytes from the same packages: names in order, all of one date."""
    target.parent.mkdir(parents=True, exist_ok=True)
    new = target.with_suffix(".new")
    with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, path in list_files().items():
            archive.writestr(zipfile.ZipInfo(name), path.read_bytes(), zipfile.ZIP_DEFLATED, 1)
    new.rename(target)


if __name__ == "__main__":
    pack(Path(sys.argv[1]))
