"""The workload and the throughputs of Imai et al. as bodies and as files."""

import csv
import inspect
import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel

IMAI = Path(__file__).parents[1] / "golden" / "imai"
FILES = [
    "--workload",
    str(IMAI / "worldcup_week.csv"),
    "--mst",
    str(IMAI / "mst_samples.csv"),
    "--app",
    "grep",
]

DAY = ["--workload", "docs/examples/vms/workload.csv", *FILES[2:]]
"""A workload of 19 hours: its forecasts take a tenth of the week's time."""


def read_rows(name: str) -> list[dict[str, str]]:
    with (IMAI / name).open() as lines:
        return list(csv.DictReader(lines))


def make_body(minutes: int = 400, **fields: Any) -> dict[str, Any]:
    week = read_rows("worldcup_week.csv")[500 : 500 + minutes]
    samples = [row for row in read_rows("mst_samples.csv") if row["app"] == "grep"]
    return {
        "workload": [{"at": row["time"], "rate": float(row["kbytes_per_second"]) / 10.0} for row in week],
        "mst_samples": [
            {"vms": int(row["m"]), "throughput": float(row[str(i)])} for row in samples for i in range(1, 7)
        ],
    } | fields


def make_half_hours(days: int = 8) -> list[tuple[str, float]]:
    """A workload that is measured every half an hour, with a rhythm of days."""
    begin = datetime(2026, 3, 1, tzinfo=UTC)
    return [
        (
            (begin + timedelta(minutes=30 * i)).isoformat(),
            round(8 + 5 * math.sin(2 * math.pi * i / 48) + i * 37 % 11 / 10, 3),
        )
        for i in range(48 * days)
    ]


def write_half_hours(path: Path, days: int = 8) -> str:
    path.write_text("time,rate\n" + "".join(f"{at},{rate}\n" for at, rate in make_half_hours(days)))
    return str(path)


BEGAN = datetime(2026, 11, 1, tzinfo=UTC)


def grep_samples() -> list[dict[str, Any]]:
    rows = [row for row in read_rows("mst_samples.csv") if row["app"] == "grep"]
    throughputs = [(int(row["m"]), float(row[str(i)])) for row in rows for i in range(1, 7)]
    return [
        {"observed_at": (BEGAN + timedelta(hours=i)).isoformat(), "vms": vms, "throughput": throughput}
        for i, (vms, throughput) in enumerate(throughputs)
    ]


def list_options(command: Callable[..., None]) -> set[str]:
    """The options that are fields of the same call over HTTP."""
    return set(inspect.signature(command).parameters) - {"output", "app", "plot"}


def expect_defaults_of(command: Callable[..., None], body: type[BaseModel]) -> None:
    """No option has a default of its own, and its help names the default of the body."""
    for name, option in inspect.signature(command).parameters.items():
        if name not in {"output", "workload", "mst"}:
            assert option.default is None, name
            default = body.model_fields[name].default if name in body.model_fields else None
            if isinstance(default, int | float) and not isinstance(default, bool):
                assert str(default) in get_args(option.annotation)[1].help, name
