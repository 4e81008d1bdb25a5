"""A bridge between a stand-in engine and the real service."""

from collections.abc import Iterator

import pytest

from tests.app.bridge.bridges import Stage, staged
from tests.app.processes import Service


@pytest.fixture
def stage(service: Service, name: str) -> Iterator[Stage]:
    with staged(service.url, name) as found:
        yield found
