"""Installs Spark's half gigabyte when the first ingest needs it."""

import subprocess
import sys
from importlib import invalidate_caches
from importlib.util import find_spec
from pathlib import Path

from app.terminal.commands import fail, say

ROOT = Path(__file__).parents[2]
LOCK = "requirements.lock"


def install_ingest(root: Path = ROOT) -> None:
    """Installs what `headgate ingest` needs if it is missing: in a checkout by its lock; elsewhere it says how."""
    if find_spec("pyspark") is not None:
        return
    script = root / "tools" / "setup.sh"
    if not script.is_file() or Path(sys.prefix) != root / ".venv":
        raise fail("ingest needs Spark, which is not installed: pip install 'headgate[ingest]'")
    say(
        "the first ingest installs Spark and a Java for it (about 0.7 GB); `make setup-ingest` does it beforehand"
    )
    done = subprocess.run(["sh", script, LOCK], stdout=sys.stderr, check=False)  # noqa: S603, S607
    if done.returncode:
        raise fail("Spark could not be installed: see the lines above", 1)
    invalidate_caches()
