"""Fixtures of all tests: one Postgres for the whole run."""

import gc
import os
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path

import psycopg
import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from app.database.embedded.embedded_postgres import shared_postgres

# As in the Makefile: without bytecode every start of a program takes twice its time. Some containers set this variable.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# The planner's matrices are small: several BLAS threads only wait for each other. NumPy reads this when it is imported,
# and this file is imported before every test.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Spark's runs are short in tests: the second stage of Java's compiler would take half of their processor time.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1")

# The time of an example depends on the machine and on what is loaded at first use, not on the code under test. Every
# run draws other examples.
settings.register_profile("suite", deadline=None, max_examples=50)
settings.load_profile("suite")

pytest_plugins = [
    "tests.app.fixtures"
]  # the tests of app, of the migrations and of the documents speak to one service


class FilesAndSpark(LoadFileScheduling):
    """Gives the next file to the process that is free; all tests of the ingest go to one, which starts Spark once."""

    def _split_scope(self, nodeid: str) -> str:
        return "tests/ingest" if nodeid.startswith("tests/ingest/") else super()._split_scope(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    """The scheduler of `--dist loadfile`."""
    return FilesAndSpark(config, log) if config.option.dist == "loadfile" else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collects tests while no garbage is looked for; afterwards the tests themselves are left out of the search."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _state_dir() -> Iterator[None]:
    """A folder of its own for the records of running services, so that the user's commands do not find them."""
    with (
        tempfile.TemporaryDirectory(prefix="headgate-state-") as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("XDG_STATE_HOME", folder)
        yield


@pytest.fixture(scope="session")
def data_dir() -> Iterator[Path]:
    """The data folder of this run's Postgres; readable by all, because under root Postgres runs as another user."""
    with tempfile.TemporaryDirectory(prefix="headgate-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture(scope="session")
def postgres_url(data_dir: Path) -> Iterator[str]:
    """A real Postgres, as `headgate serve` starts it; the database is not migrated."""
    with shared_postgres(data_dir) as url:
        stop_waiting_for_the_disk(url)
        yield url


def stop_waiting_for_the_disk(url: str) -> None:
    """Lets a server write without waiting for the disk: what it stores need not survive a loss of power."""
    with psycopg.connect(url.replace("+psycopg", "", 1), autocommit=True) as connection:
        for setting in ("fsync", "full_page_writes", "synchronous_commit"):
            connection.execute(f"ALTER SYSTEM SET {setting} = off")
        connection.execute("SELECT pg_reload_conf()")
