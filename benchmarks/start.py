"""How long commands take to start: processor time as a multiple of that of `python -c pass`, with the limit of each."""

import resource
import subprocess
import sys
from pathlib import Path

ROUNDS = 7
HEADGATE = Path(sys.executable).parent / "headgate"
FPD = Path(__file__).parents[1] / "docs" / "examples" / "fpd"
FILES = ["--topology", str(FPD / "topology.yaml"), "--load", str(FPD / "load.yaml")]
COMMANDS = (
    (["--help"], 25),
    (["--version"], 25),
    (["plan", "min-latency", *FILES, "--k-max", "22"], 40),
    (["estimate", *FILES], 40),
    (["gate", *FILES], 40),
)
COMPLETING = [
    "env",
    "_HEADGATE_COMPLETE=complete_bash",
    "COMP_WORDS=headgate pl",
    "COMP_CWORD=1",
    str(HEADGATE),
]
MOST_COMPLETING = 25


def measure_seconds(command: list[str]) -> float:
    """The processor time of a process and its children: other processes on the machine do not lengthen it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    bare = [sys.executable, "-c", "pass"]
    commands = [*([str(HEADGATE), *arguments] for arguments, _ in COMMANDS), COMPLETING]
    least = [float("inf")] * (1 + len(commands))
    for _ in range(ROUNDS):  # side by side, so that a busy moment lengthens all of them
        for at, command in enumerate([bare, *commands]):
            least[at] = min(least[at], measure_seconds(command))
    for (arguments, limit), seconds in zip(
        [*COMMANDS, (["completion"], MOST_COMPLETING)], least[1:], strict=True
    ):
        name = " ".join(one for one in arguments[:2] if "/" not in one and one != "--topology")
        print(f"headgate {name:<18} {seconds / least[0]:5.1f} x python -c pass (at most {limit})")
