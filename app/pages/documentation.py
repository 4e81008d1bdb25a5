"""/docs and /openapi.json, with Swagger UI from this machine's files; `/` leads to the dashboard or lists addresses."""

from pathlib import Path
from typing import Any

import fastapi_offline
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles

from app.pages.openapi_document import describe_api, name_operations
from app.web.negotiation import JSON, Accept, choose_form
from app.web.problems.errors import NotAcceptable

SWAGGER_FILES = Path(fastapi_offline.__file__).parent / "static"

# The page contains no script: its content security policy (app/web/middleware.py) allows only scripts from files.
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
<link rel="stylesheet" href="/docs/files/swagger-ui.css">
<link rel="stylesheet" href="/docs/look.css">
<link rel="icon" href="/docs/files/favicon.png">
<title>Headgate</title>
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/files/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
"""
# Light or dark is as the dashboard has it (app/pages/dashboard/static/theme.js), or else as the system has it.
START = """const dark = matchMedia("(prefers-color-scheme: dark)");
const look = () => {
  const kept = localStorage.getItem("headgate-look");
  const isDark = kept === "dark" || (kept !== "light" && dark.matches);
  document.documentElement.classList.toggle("dark-mode", isDark);
};
look();
dark.addEventListener("change", look);

// The filter finds calls by words of their group, path, summary and description, and opens the groups that have any.
const read = (group, call) =>
  [group, call.get("method"), call.get("path"), call.getIn(["operation", "summary"]),
    call.getIn(["operation", "description"])].join(" ").toLowerCase();
const opsFilter = (groups, text) => {
  const words = text.toLowerCase().split(/\\s+/);
  const has = (group) => (call) => words.every((word) => read(group, call).includes(word));
  return groups.map((group, name) => group.update("operations", (calls) => calls.filter(has(name))))
    .filter((group) => group.get("operations").size > 0);
};
const updateFilter = (update, system) => (text) => {
  update(text);
  for (const group of system.specSelectors.taggedOperations().keys()) {
    system.layoutActions.show(["operations-tag", group], Boolean(text));
  }
};
window.ui = SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#swagger-ui",
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIBundle.SwaggerUIStandalonePreset],
  plugins: [() => ({ fn: { opsFilter }, statePlugins: { layout: { wrapActions: { updateFilter } } } })],
  layout: "BaseLayout",
  deepLinking: true,
  showExtensions: true,
  showCommonExtensions: true,
  docExpansion: "none",
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  onComplete: () => {
    document.querySelector(".operation-filter-input").placeholder = "Filter by words, such as: store policy";
  },
});
// A link to a call opens it on this page.
document.addEventListener("click", (event) => {
  const address = event.target.closest("a[href^='#/']")?.getAttribute("href");
  if (!address || event.target.closest(".opblock, .opblock-tag")) return;
  event.preventDefault();
  location.hash = address;
  window.ui.layoutActions.parseDeepLinkHash(address);
});
"""
# Swagger UI has its own dark colours; the system's own controls follow.
LOOK = """:root.dark-mode {
  color-scheme: dark;
}
"""

START_HERE = (
    "**Start here**: [store a topology](#/topologies/createTopology), [send its load](#/snapshots/storeSnapshots), "
    "[set a goal](#/decisions/putPolicy), [ask what to change](#/decisions/decide). [Pages](/ui/) show the answers."
)

TAGS = [
    {"name": "topologies", "description": "Operators, edges and entries; every change makes a revision."},
    {"name": "snapshots", "description": "Measured load, one interval each."},
    {
        "name": "plans",
        "description": "E[T], the best split of processors and the fewest processors, with reasons.",
    },
    {
        "name": "simulations",
        "description": "Simulations of a topology tuple by tuple, which show the error of the model for this input.",
    },
    {
        "name": "backtests",
        "description": "Policies replayed on a past workload, as jobs, with plots.",
    },
    {"name": "ingest", "description": "The measurements of the nightly ingest, and the state of its runs."},
    {
        "name": "placements",
        "description": "Task profiles, VM catalogues, and placements of threads on slots of VMs.",
    },
    {
        "name": "gates",
        "description": "Checks whether a deployment holds at a rate, and up to which rate it holds; for CI jobs.",
    },
    {
        "name": "decisions",
        "description": "The change to make now, by a policy, with its reasons. The service only advises.",
    },
    {"name": "forecasts", "description": "Forecasts of workloads, throughput samples, and schedules of VMs."},
    {"name": "sessions", "description": "The permissions of the caller; sign-in for browsers."},
    {"name": "health", "description": "Liveness, readiness and metrics."},
]


def install_documentation(app: FastAPI) -> None:
    """Adds /docs, and makes /openapi.json the document that `make openapi` writes."""
    app.mount("/docs/files", StaticFiles(directory=SWAGGER_FILES), name="swagger-files")

    @app.get("/docs", include_in_schema=False)
    async def read_documentation() -> HTMLResponse:
        return HTMLResponse(PAGE)

    @app.get("/docs/start.js", include_in_schema=False)
    async def read_start() -> Response:
        return Response(START, media_type="text/javascript")

    @app.get("/docs/look.css", include_in_schema=False)
    async def read_look() -> Response:
        return Response(LOOK, media_type="text/css")

    def describe() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = describe_api(app)
        return app.openapi_schema

    name_operations(app)
    app.openapi = describe  # type: ignore[method-assign]  # FastAPI's documented way to extend the document


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
