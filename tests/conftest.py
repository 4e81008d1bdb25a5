"""What every kind of test shares: one Postgres for the whole run."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.embedded_postgres import shared_postgres


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where this run's Postgres keeps its data."""
    return tmp_path_factory.mktemp("headgate")


@pytest.fixture(scope="session")
def postgres_url(data_dir: Path) -> Iterator[str]:
    """A real Postgres, as `headgate serve` starts it; the database is not migrated."""
    with shared_postgres(data_dir) as url:
        yield url
