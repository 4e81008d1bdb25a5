"""Starts `headgate` from a process that has loaded its modules: a start takes a fifth of the processor time.

It is the real command in a process of its own, forked instead of executed. Where the start of Python itself matters,
tests use `subprocess`: tests/app/test_cli.py, tests/app/serving/test_serve.py, tests/setup.
"""

import atexit
import json
import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from select import select
from typing import IO

PROGRAM = Path(__file__).with_name("prepared_program.py")
CODE = struct.Struct("i")


class PreparedProcess:
    """A process that was forked; its methods are those of `subprocess.Popen`."""

    def __init__(self, answers: int, stderr: IO[str]) -> None:
        self._answers = answers
        self.stderr = stderr
        self.returncode: int | None = None
        self.pid = self._read()

    def _read(self) -> int:
        [number] = CODE.unpack(os.read(self._answers, CODE.size))
        return int(number)

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, when the process has ended."""
        if self.returncode is None:
            if not select([self._answers], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("headgate", timeout or 0)
            self.returncode = self._read()
            os.close(self._answers)
        return self.returncode

    def poll(self) -> int | None:
        """The exit code; None while the process runs."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def send_signal(self, number: int) -> None:
        """Sends the signal if the process runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Ends the process at once."""
        self.send_signal(signal.SIGKILL)


class Program:
    """The loaded program of this test process; it ends when this process does."""

    def __init__(self) -> None:
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(PROGRAM)], stdin=theirs.fileno(), stdout=subprocess.DEVNULL
            )
        atexit.register(self.end)

    def start(self, arguments: Sequence[str], environment: Mapping[str, str]) -> PreparedProcess:
        """Starts the command in the current folder; standard output and errors are one pipe."""
        request = {"arguments": arguments, "environment": environment, "folder": str(Path.cwd())}
        errors, theirs = os.pipe()
        answers, told = os.pipe()
        socket.send_fds(self._requests, [json.dumps(request).encode()], [theirs, told])
        os.close(theirs)
        os.close(told)
        return PreparedProcess(answers, os.fdopen(errors))

    def end(self) -> None:
        """Lets the program end."""
        self._requests.close()
        self._process.wait()


@cache
def open_program() -> Program:
    """The program, started once."""
    return Program()
