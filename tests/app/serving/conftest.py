"""Services that are run from the beginning of the command: how they start and end is what these tests are about."""

from collections.abc import Iterator

import pytest

from tests.app.processes import StartService, start_program, starting


@pytest.fixture
def start_service() -> Iterator[StartService]:
    """Starts services with the settings that the test gives; they end with the test."""
    with starting(start_program) as start_one:
        yield start_one
