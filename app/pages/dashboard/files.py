"""Serves the files of the dashboard at /ui/: plain modules, which a browser loads from this service only."""

import gzip
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from mimetypes import guess_type
from pathlib import Path

from fastapi import FastAPI, HTTPException
from fastapi.responses import RedirectResponse
from starlette.requests import Request
from starlette.responses import Response

from app.web.negotiation import is_known, read_range

STATIC = Path(__file__).parent / "static"
FRAME = "index.html"
OF_WORKER = {"layout.js", "vendor/dagre.js"}
"""Files that only the browser's worker for graphs loads."""
OF_FORECASTS = {
    f"{name}.js"
    for name in (
        "forecast",
        "forecast_ahead",
        "forecast_accuracy",
        "past_forecasts",
        "vm_schedule",
        "backtests",
        "backtest_result",
        "kept",
    )
}
"""Modules that only the page of forecasts needs, which loads them when it is opened."""


@dataclass(frozen=True)
class Sent:
    """A file in its two forms, plain and compressed, each with its ETag."""

    plain: bytes
    packed: bytes
    media_type: str
    digest: str

    def answer(self, request: Request) -> Response:
        """The file, or 304 if the browser has it."""
        is_packed = takes_gzip(request.headers.get("Accept-Encoding", ""))
        etag = f'"{self.digest}-gzip"' if is_packed else f'"{self.digest}"'
        # A browser asks for every file at each visit, and receives the files that have changed.
        headers = {"ETag": etag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if is_known(etag, request.headers.get("If-None-Match")):
            return Response(status_code=304, headers=headers)
        packing = {"Content-Encoding": "gzip"} if is_packed else {}
        content = self.packed if is_packed else self.plain
        return Response(content, media_type=self.media_type, headers=headers | packing)


def takes_gzip(accept_encoding: str) -> bool:
    """Whether an Accept-Encoding names gzip without a weight, or with a weight above 0."""
    return any(
        kind == "gzip" and weight > 0.0 for kind, weight in map(read_range, accept_encoding.split(","))
    )


def install_dashboard(app: FastAPI) -> None:
    """Adds /ui/ and all files below it; they contain no data, so they need no key."""
    files = {path.relative_to(STATIC).as_posix(): path for path in sorted(STATIC.rglob("*.*"))}
    # Without this header a browser finds most modules only after it has loaded the modules that import them.
    modules = [name for name in files if name.endswith(".js") and name not in OF_WORKER | OF_FORECASTS]
    link = ", ".join(f"</ui/{name}>; rel=modulepreload" for name in modules)

    async def send_file(request: Request) -> Response:
        name = request.path_params["name"] or FRAME
        if name not in files:
            raise HTTPException(404)
        answer = read_file(files[name], files[name].stat().st_mtime_ns).answer(request)
        if name == FRAME:
            answer.headers["Link"] = link
        return answer

    async def lead_to_pages(_: Request) -> Response:
        return RedirectResponse("/ui/", 307)

    app.add_route("/ui", lead_to_pages, include_in_schema=False)
    app.add_route("/ui/{name:path}", send_file, include_in_schema=False)


@lru_cache(maxsize=200)
def read_file(path: Path, changed: int) -> Sent:  # noqa: ARG001 - a file that has changed is read again
    """The file, read and compressed once."""
    content = path.read_bytes()
    media_type = guess_type(path.name)[0] or "text/plain"
    return Sent(content, gzip.compress(content, mtime=0), media_type, sha256(content).hexdigest()[:32])
