"""The measured data of Imai et al. as values."""

import csv
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from planner.arrays import Floats
from planner.vms.throughput import MstSample

FOLDER = Path(__file__).parents[1] / "golden" / "imai"
TRAIN_VMS = (3, 4, 6, 8, 24)


@cache
def worldcup_week() -> Floats:
    """10,080 minutes, Kbytes/s."""
    with (FOLDER / "worldcup_week.csv").open() as lines:
        return np.array([float(row["kbytes_per_second"]) for row in csv.DictReader(lines)])


@cache
def mst_samples(app: str) -> tuple[MstSample, ...]:
    """Six samples per number of VMs, Mbytes/s."""
    with (FOLDER / "mst_samples.csv").open() as lines:
        rows = [row for row in csv.DictReader(lines) if row["app"] == app]
    return tuple(MstSample(int(row["m"]), float(row[str(i)])) for row in rows for i in range(1, 7))


def training_samples(app: str) -> tuple[MstSample, ...]:
    """What the paper trains on."""
    return tuple(sample for sample in mst_samples(app) if sample.vms in TRAIN_VMS)


def figures() -> Any:
    """What the paper prints."""
    return json.loads((FOLDER / "figures.json").read_text())
