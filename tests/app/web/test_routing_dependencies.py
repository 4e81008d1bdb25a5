"""A route gets the settings that the service was started with."""

import asyncio
from types import SimpleNamespace

from fastapi import Request

from app.settings import Settings
from app.web.routing import read_settings


def test_a_route_gets_the_settings_of_its_own_service():
    settings = Settings(max_operators=7)
    service = SimpleNamespace(state=SimpleNamespace(settings=settings))
    assert asyncio.run(read_settings(Request({"type": "http", "app": service}))) is settings
