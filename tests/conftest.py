"""What every kind of test shares: one Postgres for the whole run."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from app.storage.embedded_postgres import shared_postgres

# The planner's matrices are small: threads of BLAS only wait for each other, most of all beside other tests. Numpy
# reads this when it is loaded, by whichever test comes first; this file comes before all of them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Runs of Spark are short here: optimising what Java compiles would be half of their processor time, and save nothing.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1")

# How long an example takes says more about the machine, and about what is loaded at its first use, than about us.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

pytest_plugins = [
    "tests.app.fixtures"
]  # the tests of app, of the migrations and of the documents speak to one service


@pytest.fixture(scope="session", autouse=True)
def _state_dir() -> Iterator[None]:
    """Services of this run make themselves known in a folder of its own: no command of the user's finds them."""
    with (
        tempfile.TemporaryDirectory(prefix="headgate-state-") as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("XDG_STATE_HOME", folder)
        yield


@pytest.fixture(scope="session")
def data_dir() -> Iterator[Path]:
    """Where this run's Postgres keeps its data; open to pass, for as root Postgres runs as another user."""
    with tempfile.TemporaryDirectory(prefix="headgate-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture(scope="session")
def postgres_url(data_dir: Path) -> Iterator[str]:
    """A real Postgres, as `headgate serve` starts it; the database is not migrated."""
    with shared_postgres(data_dir) as url:
        yield url
