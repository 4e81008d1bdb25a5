"""Workloads and throughput samples from CSV or TSV files."""

import csv
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from planner.mst import MstSample
from planner.workload import Measurement, Workload, regularise_workload

MINUTE_SECONDS = 60.0
TIME_FORMATS = ("%m/%d/%Y %H:%M", "%m/%d/%Y %H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M")
VMS_COLUMNS = ("m", "vms")


class UnreadableFile(ValueError):
    """A file that is not what it should be; the text says where and what is wanted."""


def read_workload(path: Path) -> Workload:
    """Two columns with a header, time and rate, in steps of a minute; empty rates are missing ones."""
    rows = _read_rows(path)[1:]
    measurements = []
    for line, row in enumerate(rows, 2):
        if len(row) < 2:
            raise UnreadableFile(f"{path}, line {line}: a time and a rate are wanted, there is {row}.")
        measurements.append(Measurement(_read_time(path, line, row[0]), _read_rate(path, line, row[1])))
    return regularise_workload(measurements, MINUTE_SECONDS)


def read_samples(path: Path) -> dict[str, tuple[MstSample, ...]]:
    """Columns: app (if there is one), m, then samples; what stands before m besides is no sample."""
    header, *rows = _read_rows(path)
    names = [name.strip().lower() for name in header]
    at = next((names.index(name) for name in VMS_COLUMNS if name in names), None)
    if at is None:
        raise UnreadableFile(f"{path}: no column is called m; the header has {', '.join(header)}.")
    samples: dict[str, list[MstSample]] = {}
    for line, row in enumerate(rows, 2):
        app = row[names.index("app")].strip() if "app" in names else path.stem
        samples.setdefault(app, []).extend(_read_line(path, line, row, at))
    return {app: tuple(found) for app, found in samples.items()}


def _read_line(path: Path, line: int, row: list[str], at: int) -> Iterator[MstSample]:
    try:
        vms = int(row[at])
        for cell in row[at + 1 :]:
            if cell.strip():
                yield MstSample(vms, float(cell))
    except (ValueError, IndexError) as error:
        raise UnreadableFile(
            f"{path}, line {line}: m is a whole number and samples are numbers: {error}."
        ) from error


def _read_rows(path: Path) -> list[list[str]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as error:
        raise UnreadableFile(f"{path}: cannot be read: {error}") from error
    first = text.partition("\n")[0]
    rows = [row for row in csv.reader(text.splitlines(), delimiter="\t" if "\t" in first else ",") if row]
    if len(rows) < 2:
        raise UnreadableFile(f"{path}: a header and at least one line are wanted.")
    return rows


def _read_time(path: Path, line: int, text: str) -> float:
    """ISO 8601, m/d/Y H:M, or a count of minutes; without a zone UTC, for only distances matter."""
    text = text.strip()
    try:
        return float(text) * MINUTE_SECONDS if abs(float(text)) < 1e8 else float(text)
    except ValueError:
        pass
    try:
        return _in_seconds(datetime.fromisoformat(text))
    except ValueError:
        pass
    for known in TIME_FORMATS:
        try:
            return _in_seconds(datetime.strptime(text, known).replace(tzinfo=UTC))
        except ValueError:
            continue
    raise UnreadableFile(f"{path}, line {line}: {text!r} is no time: write 2026-11-18T00:00:00Z.")


def _in_seconds(at: datetime) -> float:
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


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
