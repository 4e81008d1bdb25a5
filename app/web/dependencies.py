"""The settings of the running service as a dependency of routes; app/settings.py imports no FastAPI."""

from typing import Annotated

from fastapi import Depends, Request

from app.settings import Settings


def find_settings(request: Request) -> Settings:
    """The settings, for a route that spares the dependency: FastAPI takes a third of a body's validation for each."""
    settings: Settings = request.app.state.settings
    return settings


async def read_settings(request: Request) -> Settings:
    """The settings; `async`, because FastAPI would start a thread for a plain function."""
    return find_settings(request)


SettingsDep = Annotated[Settings, Depends(read_settings)]
