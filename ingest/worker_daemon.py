"""Spark's daemon of Python workers, changed so that idle workers end silently when Spark closes them.

Spark closes the socket of an idle worker first, and ends its process a moment later. In between, a worker of Spark's
own daemon treats the closed socket as a failure, tries to report it there, and prints a broken pipe.
"""

import os
import socket

from pyspark import daemon
from pyspark.daemon import manager
from pyspark.daemon import worker as run_task


def run_next_task(sock: socket.socket, authenticated: bool) -> int:  # noqa: FBT001  # called so by Spark
    """Waits for a task and runs it; ends the process if Spark closes the socket instead."""
    try:
        begun = sock.recv(1, socket.MSG_PEEK)
    except ConnectionError:
        begun = b""
    if not begun:
        os._exit(0)
    return run_task(sock, authenticated)


if __name__ == "__main__":
    daemon.worker = run_next_task
    manager()
