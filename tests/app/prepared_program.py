"""A program that has loaded the modules of `headgate serve`, and becomes that command at each request.

Run by tests.app.prepared. A request is one message on standard input, a socket: arguments, environment and folder as
JSON, with the file descriptors for output and errors, and of the pipe for process id and exit code.
"""

import json
import os
import signal
import socket
import struct
import sys
from contextlib import suppress
from typing import Any

import app.command_line
import app.serving.serve  # noqa: F401
from app.cli import main as run_headgate

LONGEST_REQUEST = 1 << 20  # bytes


def become(request: dict[str, Any], errors: int) -> None:
    """Makes this process what a shell would have started."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under `nohup`
    os.dup2(errors, 1)
    os.dup2(errors, 2)
    with open(os.devnull) as nothing:  # noqa: PTH123  # pathlib opens it in the same way
        os.dup2(nothing.fileno(), 0)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    sys.argv = ["headgate", *request["arguments"]]


def tell_and_wait(pid: int, answers: int) -> None:
    """Tells the process id at once, and the exit code when there is one."""
    os.write(answers, struct.pack("i", pid))
    _, status = os.waitpid(pid, 0)
    os.write(answers, struct.pack("i", os.waitstatus_to_exitcode(status)))
    os._exit(0)


def is_the_command(requests: socket.socket) -> bool:
    """Serves requests; returns True in a process that is to be the command, False when nobody asks any more."""
    while True:
        text, descriptors, _, _ = socket.recv_fds(requests, LONGEST_REQUEST, 2)
        if not text:
            return False
        errors, answers = descriptors
        if os.fork() == 0:
            requests.close()
            if pid := os.fork():
                os.close(errors)
                tell_and_wait(pid, answers)
            os.close(answers)
            become(json.loads(text), errors)
            os.close(errors)
            return True
        os.close(errors)
        os.close(answers)
        forget_ended()


def forget_ended() -> None:
    """Takes note of the processes that waited for a command and have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def main() -> None:
    """Serves requests; in a process that was forked for one, runs the command."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if is_the_command(socket.socket(fileno=os.dup(0))):
        run_headgate()


if __name__ == "__main__":
    main()
