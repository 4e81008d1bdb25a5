"""The settings that the running service was started with, for its routes; app/settings.py knows no FastAPI."""

from typing import Annotated

from fastapi import Depends, Request

from app.settings import Settings


async def read_settings(request: Request) -> Settings:
    """`async`, for a thread would cost more than the look."""
    settings: Settings = request.app.state.settings
    return settings


SettingsDep = Annotated[Settings, Depends(read_settings)]
