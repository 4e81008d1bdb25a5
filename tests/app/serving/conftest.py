"""Services that are run from the beginning of the command: how they start and end is what these tests are about."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.app.processes import Service, StartService, start_program


@pytest.fixture
def start_service() -> Iterator[StartService]:
    """Starts services with the settings that the test gives; they end with the test."""
    with ExitStack() as stack:

        def start_one(*arguments: str, **settings: str) -> Service:
            service = start_program(list(arguments), **settings)
            stack.callback(service.stop)
            return service

        yield start_one
