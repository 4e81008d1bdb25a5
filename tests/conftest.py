"""What every kind of test shares: one Postgres for the whole run."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.embedded_postgres import shared_postgres


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
