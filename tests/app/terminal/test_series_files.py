"""Workload and throughput files: what would be misread is refused with its place."""

from pathlib import Path

import pytest

from tests.app.series_examples import FILES
from tests.app.test_cli import run_here

WORKLOAD = "2026-03-01T00:00:00Z,1.5\n2026-03-01T00:01:00Z,2.5\n"


@pytest.mark.parametrize(
    ("workload", "mst", "said"),
    [
        (WORKLOAD, None, "is data, not a header"),
        ("2026-03-01T00:00:00Z,\n" + WORKLOAD, None, "is data, not a header"),
        ("3/1/2026 0:00,1.5\n3/1/2026 0:01,2.5\n", None, "is data, not a header"),
        ("0,1.5\n1,2.5\n", None, "is data, not a header"),
        ("time;rate\n2026-03-01T00:00:00Z;1,5\n2026-03-01T00:01:00Z;2,5\n", None, "semicolons"),
        ("2026-03-01T00:00:00Z;1,5\n2026-03-01T00:01:00Z;2,5\n", None, "semicolons"),
        ("time,rate\n2026-03-01T00:00:00Z,1,5\n", None, "decimal comma"),
        ("time,bytes,requests\n2026-03-01T00:00:00Z,1,5\n", None, "two columns are needed"),
        ("time,rate\n1700000000000,1\n1700000060000,1\n", None, "not of milliseconds"),
        ("", None, "a header and at least one line"),
        (None, "grep,1,2.05,2.06\ngrep,2,2.1,2.2\n", "put a header above it"),
        (None, "app;m;1;2\ngrep;1;2,05;2,06\n", "semicolons"),
        (None, "app,m,1\ngrep\n", "m is missing"),
        (
            None,
            "app,m,1,2\ngrep,1,2.0,nan\n" + "".join(f"grep,{m},{m},{m}\n" for m in range(2, 9)),
            "line 2: m must be a whole number and samples must be numbers: nan is not a finite number",
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
