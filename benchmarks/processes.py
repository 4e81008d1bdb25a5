"""What a process and its children cost, as the kernel tells it."""

import os
from contextlib import suppress
from pathlib import Path


def peak_megabytes(process: int) -> float:
    """Of the process and its children, each at its own peak."""
    kilobytes = 0
    for each in find_family(process):
        with suppress(OSError, IndexError):  # it has ended meanwhile
            kilobytes += int(Path(f"/proc/{each}/status").read_text().split("VmHWM:")[1].split()[0])
    return kilobytes / 1024


def spent_seconds(process: int) -> float:
    """What the process and its children, living or ended, have had of the processors so far."""
    ticks = 0
    for each in find_family(process):
        with suppress(OSError):  # its parent has its time then
            ticks += sum(map(int, read_stat(each)[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def find_family(process: int) -> list[int]:
    """The process, its children, theirs, and so on."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile
            parents[int(folder.name)] = int(read_stat(int(folder.name))[1])
    family = [process]
    for member in family:
        family += [child for child, parent in parents.items() if parent == member]
    return family


def read_stat(process: int) -> list[str]:
    """From its state on: the name before may hold anything."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
