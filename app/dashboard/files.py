"""Serves the files of the dashboard at /ui/: plain modules that a browser loads as they are, none from elsewhere."""

from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import RedirectResponse
from fastapi.staticfiles import StaticFiles
from starlette.responses import Response
from starlette.types import Scope

STATIC = Path(__file__).parent / "static"


class DashboardFiles(StaticFiles):
    """Files that a browser asks for again each time, and that are sent only where they have changed."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, or 304 where the browser's copy is the same."""
        answer = await super().get_response(path, scope)
        answer.headers["Cache-Control"] = "no-cache"
        return answer


def install_dashboard(app: FastAPI) -> None:
    """Adds /ui/ and all files below it; they hold no data, so they need no key."""

    @app.get("/ui", include_in_schema=False)
    async def lead_to_pages() -> Response:
        return RedirectResponse("/ui/", 307)

    app.mount("/ui", DashboardFiles(directory=STATIC, html=True), name="dashboard")
