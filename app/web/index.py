"""`/`: the dashboard for a browser, a list of addresses for a program."""

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse

from app.web.errors import NotAcceptable
from app.web.negotiation import JSON, Accept, choose_form

HTML = "text/html"
router = APIRouter()


@router.get("/", include_in_schema=False)
async def read_index(request: Request, accept: Accept = None) -> Response:
    """The list of addresses, or a redirect to /ui/; a caller that accepts neither HTML nor JSON gets JSON."""
    try:
        form = choose_form(accept, (JSON, HTML))
    except NotAcceptable:
        form = JSON
    headers = {"Vary": "Accept"}
    if form == HTML:
        return RedirectResponse("/ui/", 307, headers)
    index: dict[str, Any] = {
        "name": "headgate",
        "version": request.app.version,
        "dashboard": "/ui/",
        "docs": "/docs",
        "openapi": "/openapi.json",
        "topologies": "/v1/topologies",
        "health": "/healthz",
        "ready": "/readyz",
        "metrics": "/metrics",
    }
    return JSONResponse(index, headers=headers)
