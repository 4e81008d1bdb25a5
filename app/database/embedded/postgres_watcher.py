"""A process that stops the embedded Postgres when all processes that use it were killed.

It sleeps until no process holds the lock of the users, and wakes at once when the kernel drops the lock of the last
one. It imports only the standard library, so that it needs little memory.
"""

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

USERS_LOCK = "postgres.users.lock"
START_LOCK = "postgres.start.lock"
WATCHER_LOCK = "postgres.watcher.lock"


def start_watcher(data_dir: Path, stop: list[str], options: dict[str, Any]) -> None:
    """Starts a watcher of a data folder unless one runs. `stop` is the command that stops the server, `options` are
    those of `subprocess.run`. The caller holds the start lock.
    """
    lock = os.open(data_dir / WATCHER_LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        subprocess.run(  # noqa: S603  # this file with our arguments
            [sys.executable, "-I", "-S", __file__, str(data_dir), str(lock), json.dumps([stop, options])],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            pass_fds=(lock,),  # the watcher holds the lock from now on
            start_new_session=True,
            check=False,
        )
    except BlockingIOError:
        pass  # one runs
    finally:
        os.close(lock)


def watch(data_dir: Path, lock: int, stop: list[str], options: dict[str, Any]) -> None:
    """Waits until no process uses the server, then stops it."""
    users = os.open(data_dir / USERS_LOCK, os.O_RDWR)
    while True:
        fcntl.flock(users, fcntl.LOCK_EX)
        fcntl.flock(users, fcntl.LOCK_UN)
        start = os.open(data_dir / START_LOCK, os.O_RDWR)
        fcntl.flock(start, fcntl.LOCK_EX)
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:  # a new user came
            os.close(start)
            continue
        subprocess.run(stop, **options, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
        os.close(lock)  # before the start lock: the next user starts another watcher
        return


if __name__ == "__main__" and os.fork() == 0:  # its starter does not have to wait for it
    watch(Path(sys.argv[1]), int(sys.argv[2]), *json.loads(sys.argv[3]))
