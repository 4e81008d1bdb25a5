"""Packs the Python packages that executors need into one zip: tools/pack_workers.py build/headgate-workers.zip"""

import re
import sys
import zipfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = {"duckdb", "numpy", "pyarrow"}
LEFT_OUT = {"..", "__pycache__", "include", "tests"}


def add_required(names: set[str]) -> set[str]:
    """With all that they require, but for extras."""
    lines = [line for name in names for line in distribution(name).requires or [] if "extra ==" not in line]
    found = names | {re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in lines}
    return found if found == names else add_required(found)


def list_files() -> Iterator[tuple[str, Path]]:
    """Names in the archive, and where the files lie."""
    for path in ROOT.glob("ingest/**/*.py"):
        yield str(path.relative_to(ROOT)), path
    for name in add_required(PACKAGES):
        for file in distribution(name).files or []:
            if not LEFT_OUT & set(file.parts):
                yield str(file), Path(str(file.locate()))


def pack(target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w") as archive:
        for name, path in sorted(list_files()):
            archive.writestr(zipfile.ZipInfo(name), path.read_bytes(), zipfile.ZIP_DEFLATED, 1)


if __name__ == "__main__":
    pack(Path(sys.argv[1]))
