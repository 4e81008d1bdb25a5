"""How a process of `headgate` ends: quietly, where its user or the reader of its output ends it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.command_line import cli
from tests.app.processes import HEADGATE, environment

FPD = Path(__file__).parents[2] / "docs" / "examples" / "fpd"
FILES = ["--topology", str(FPD / "topology.yaml"), "--load", str(FPD / "load.yaml")]


def run(*arguments: str, stdin: str = "", **settings: str) -> subprocess.CompletedProcess[str]:
    """The command, with no database to go to: what needs none must not look for one."""
    return subprocess.run(
        [HEADGATE, *arguments],
        env=environment(**({"data_dir": "/nonexistent"} | settings)),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def run_here(*arguments: str, stdin: str = "") -> Result:
    """The command in this process: as many cases as need be, without a start of Python for each."""
    return CliRunner().invoke(cli, arguments, input=stdin)


@pytest.mark.parametrize("arguments", [["settings"], ["--help"], ["estimate", *FILES], ["gate", *FILES]])
def test_a_full_disk_is_a_sentence_and_2(arguments: list[str]):
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [HEADGATE, *arguments],
            env=environment(data_dir="/nonexistent"),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ended.returncode == 2
    assert ended.stderr == "headgate: the output cannot be written: No space left on device\n"


@pytest.mark.parametrize(
    "arguments", [["settings"], ["--help"], ["plan", "tradeoff", "--beta", "0.5", *FILES]]
)
@pytest.mark.parametrize("is_open", [True, False])
def test_output_that_nobody_reads_is_no_error(arguments: list[str], *, is_open: bool):
    """The reader has left, as `head` does; or there is no standard output at all."""
    read, write = os.pipe()
    os.close(read)
    command = [HEADGATE, *arguments] if is_open else ["sh", "-c", '"$@" >&-', "sh", HEADGATE, *arguments]
    ended = subprocess.run(
        command,
        env=environment(data_dir="/nonexistent"),
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(write)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.fixture
def heard_interrupt() -> Iterator[None]:
    """A shell's job in the background ignores Ctrl-C, and so do the processes that it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard_interrupt")
@pytest.mark.parametrize("module", ["typer._click.core", "pydantic.main", "numpy._core.multiarray", "yaml"])
def test_control_c_is_quiet_also_while_modules_are_loaded(module: str):
    """The command waits for standard input, so that it cannot end before the signal comes."""
    command = [sys.executable, "-X", "importtime", HEADGATE, "estimate", "--topology", "-", *FILES[2:]]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    for line in process.stderr:
        if line.rsplit("|", 1)[-1].strip() == module:
            break
    else:
        pytest.fail(f"{module} is not loaded")
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate()
    assert (process.returncode, output) == (130, "")
    assert "Traceback" not in errors
    assert "Aborted" not in errors
