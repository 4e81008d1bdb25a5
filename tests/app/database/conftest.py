"""Folders in which an embedded Postgres can keep its data."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.database.embedded.embedded_postgres import shared_postgres
from tests.app.processes import make_open_folder


@pytest.fixture
def postgres_folder() -> Iterator[Path]:
    with make_open_folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def folder_in_use() -> Iterator[tuple[Path, str]]:
    with make_open_folder() as folder, shared_postgres(folder) as url:
        yield folder, url
