"""The settings of the running service as a dependency of routes; app/settings.py imports no FastAPI."""

from typing import Annotated

from fastapi import Depends, Request

from app.settings import Settings


async def read_settings(request: Request) -> Settings:
    """The settings; `async`, because FastAPI would start a thread for a plain function."""
    settings: Settings = request.app.state.settings
    return settings


SettingsDep = Annotated[Settings, Depends(read_settings)]
