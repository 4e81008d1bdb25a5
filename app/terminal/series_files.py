"""Reads workloads and throughput samples from CSV or TSV files, and tells how they were read."""

import csv
from collections.abc import Iterator
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Protocol

from app.terminal.files import read_text
from planner.vms.throughput import MstSample
from planner.wording import write_counted, write_seconds
from planner.workloads.series import Measurement, Workload


class ScheduleTerms(Protocol):
    """A request whose times are numbers of steps of its workload."""

    @property
    def interval_steps(self) -> int: ...
    @property
    def startup_steps(self) -> int: ...


def describe_timing(series: Workload, terms: ScheduleTerms) -> list[str]:
    """Returns notes on the length of a step, and on the interval and the start of VMs in steps and in time."""
    step = series.step_seconds
    return [
        f"{write_counted(len(series.rates), 'step')} of {write_seconds(step)}",
        f"decided every {write_counted(terms.interval_steps, 'step')} ({write_seconds(terms.interval_steps * step)})",
        f"VMs start within {terms.startup_steps} ({write_seconds(terms.startup_steps * step)})",
    ]


def write_verdict(meets_target: bool | None) -> str:  # noqa: FBT001  (None is a third value)
    """Returns the verdict as a word, because a file has no colours and some readers cannot distinguish them."""
    return {None: "no target", True: "met", False: "MISSED"}[meets_target]


MINUTE_SECONDS = 60.0
# A number below this is a count of minutes, above it a count of seconds since the epoch.
LEAST_EPOCH_SECONDS, MOST_EPOCH_SECONDS = 1e8, 253_402_300_799.0
TIME_FORMATS = ("%m/%d/%Y %H:%M", "%m/%d/%Y %H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M")
VMS_COLUMNS = ("m", "vms")


class UnreadableFile(ValueError):
    """The error for a file with wrong content; the text names the place and the expected content."""


def read_workload(path: Path) -> list[Measurement]:
    """Reads a file with the columns time and rate, oldest first, under a header; an empty rate is a missing one."""
    header, *rows = _read_rows(path)
    if _is_time(header[0]) or (len(header) > 1 and _is_number(header[1])):
        raise UnreadableFile(
            f"{path}: the first line, {','.join(header)!r}, is data, not a header: put a line above it, such as "
            "time,rate."
        )
    if len(named := [name for name in header if name.strip()]) > 2:
        raise UnreadableFile(
            f"{path}: two columns are needed, time and rate; found {len(named)}: {', '.join(named)}."
        )
    measurements = []
    for line, row in enumerate(rows, 2):
        if len(row) < 2:
            raise UnreadableFile(f"{path}, line {line}: a time and a rate are needed; found {row}.")
        if any(cell.strip() for cell in row[2:]):
            raise UnreadableFile(
                f"{path}, line {line}: more than a time and a rate (a decimal comma?): {row}."
            )
        measurements.append(Measurement(_read_time(path, line, row[0]), _read_rate(path, line, row[1])))
    return measurements


def read_samples(path: Path) -> dict[str, tuple[MstSample, ...]]:
    """Reads throughput samples by application, from the columns app (optional), m (number of VMs), and samples.

    Other columns before m are ignored.
    """
    header, *rows = _read_rows(path)
    names = [name.strip().lower() for name in header]
    at = next((names.index(name) for name in VMS_COLUMNS if name in names), None)
    if at is None:
        raise UnreadableFile(
            f"{path}: no column is called m in the first line, {','.join(header)!r}: where it is data, put a header "
            "above it, such as app,m,1,2,3."
        )
    samples: dict[str, list[MstSample]] = {}
    for line, row in enumerate(rows, 2):
        if len(row) <= at:
            raise UnreadableFile(f"{path}, line {line}: m is missing: {row}.")
        app = row[names.index("app")].strip() if "app" in names[:at] else path.stem
        samples.setdefault(app, []).extend(_read_line(path, line, row, at))
    return {app: tuple(found) for app, found in samples.items()}


def _read_line(path: Path, line: int, row: list[str], at: int) -> Iterator[MstSample]:
    try:
        vms = int(row[at])
        for cell in row[at + 1 :]:
            if cell.strip():
                yield MstSample(vms, _read_finite(cell))
    except ValueError as error:
        raise UnreadableFile(
            f"{path}, line {line}: m must be a whole number and samples must be numbers: {error}."
        ) from error


def _read_finite(text: str) -> float:
    if not isfinite(number := float(text)):
        raise ValueError(
            f"{text.strip()} is not a finite number; leave the cell empty if nothing was measured"
        )
    return number


def _read_rows(path: Path) -> list[list[str]]:
    lines = read_text(path).splitlines()
    first = lines[0] if lines else ""
    if "\t" not in first and ";" in first and all(";" in line for line in lines[1:2]):
        raise UnreadableFile(
            f"{path}: columns are separated by semicolons: separate them by commas or tabs, and write decimals with "
            "a point."
        )
    rows = [row for row in csv.reader(lines, delimiter="\t" if "\t" in first else ",") if row]
    if len(rows) < 2:
        raise UnreadableFile(f"{path}: a header and at least one line of data are needed.")
    return rows


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_time(text: str) -> bool:
    return _is_number(text) or _parse_time(text) is not None


def _parse_time(text: str) -> datetime | None:
    """Reads a time in ISO 8601 or as m/d/Y H:M; without a zone it is in UTC, because only distances matter."""
    text = text.strip()
    try:
        return _with_zone(datetime.fromisoformat(text))
    except ValueError:
        pass
    for known in TIME_FORMATS:
        try:
            return datetime.strptime(text, known).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


def _with_zone(at: datetime) -> datetime:
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _read_time(path: Path, line: int, text: str) -> float:
    """Returns the seconds of a time or of a number; small numbers are minutes, large ones seconds since 1970."""
    if _is_number(text):
        number = float(text)
        seconds = number * MINUTE_SECONDS if abs(number) < LEAST_EPOCH_SECONDS else number
        if abs(seconds) <= MOST_EPOCH_SECONDS:
            return seconds
        raise UnreadableFile(
            f"{path}, line {line}: {text.strip()} is no time: a large number is of seconds since 1970, not of "
            "milliseconds."
        )
    at = _parse_time(text)
    if at is None:
        raise UnreadableFile(f"{path}, line {line}: {text.strip()!r} is no time: write 2026-11-18T00:00:00Z.")
    return at.timestamp()


def _read_rate(path: Path, line: int, text: str) -> float | None:
    if not text.strip():
        return None
    try:
        rate = float(text)
    except ValueError as error:
        raise UnreadableFile(
            f"{path}, line {line}: {text!r} is no rate: write a number, or nothing."
        ) from error
    return None if rate != rate else rate  # noqa: PLR0124  (NaN is how some tools write a missing number)
