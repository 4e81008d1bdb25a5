"""The memory and the processor time of a process and its children, as the kernel reports them."""

import os
from contextlib import suppress
from pathlib import Path


def peak_megabytes(process: int) -> float:
    """The sum of the peak memory of the process and of each of its children."""
    return sum(map(own_megabytes, find_family(process)))


def own_megabytes(process: int) -> float:
    """The peak memory of the process alone; 0 if it has ended meanwhile."""
    with suppress(OSError, IndexError):
        return int(Path(f"/proc/{process}/status").read_text().split("VmHWM:")[1].split()[0]) / 1024
    return 0.0


def spent_seconds(process: int) -> float:
    """The processor time of the process and its children so far; ended children count."""
    ticks = 0
    for each in find_family(process):
        with suppress(OSError):  # its parent has its time then
            ticks += sum(map(int, read_stat(each)[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def own_seconds(process: int) -> float:
    """The processor time of the process alone so far."""
    return sum(map(int, read_stat(process)[11:13])) / os.sysconf("SC_CLK_TCK")


def find_family(process: int) -> list[int]:
    """The ids of the process and of all its descendants."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile
            parents[int(folder.name)] = int(read_stat(int(folder.name))[1])
    family = [process]
    for member in family:
        family += [child for child, parent in parents.items() if parent == member]
    return family


def read_stat(process: int) -> list[str]:
    """The fields of /proc/PID/stat from the state on; the name before them may hold spaces and brackets."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
