"""/docs and the OpenAPI document; Swagger UI comes from files on this machine."""

from pathlib import Path
from typing import Any

import fastapi_offline
import yaml
from fastapi import FastAPI, Response
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles
from pydantic.json_schema import models_json_schema

from app.described.answers import to_estimate_answer
from app.described.load import FPD_LOAD, LoadBody
from app.described.topology import FPD, Graph
from app.http.problems import MEDIA_TYPE, Problem
from app.plans.answers import to_plan_answer
from planner.plans.estimation import estimate
from planner.plans.optimal import min_latency, min_processors

SWAGGER_FILES = Path(fastapi_offline.__file__).parent / "static"

# No script stands in the page itself: its policy (app/http/browsers.py) runs only what is served as a file.
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
<link rel="stylesheet" href="/docs/files/swagger-ui.css">
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
START = """window.ui = SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#swagger-ui",
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIBundle.SwaggerUIStandalonePreset],
  layout: "BaseLayout",
  deepLinking: true,
  showExtensions: true,
  showCommonExtensions: true,
  docExpansion: "list",
  tryItOutEnabled: true,
  displayRequestDuration: true,
});
"""

TAGS = [
    {"name": "topologies", "description": "Operators, edges and entries; every change is a revision."},
    {"name": "snapshots", "description": "Measured load, one interval at a time."},
    {
        "name": "plans",
        "description": "E[T], the best split of processors, the fewest processors; with reasons.",
    },
    {
        "name": "backtests",
        "description": "Policies tried on a workload of the past, as jobs; and pictures of it.",
    },
    {"name": "ingest", "description": "What the nightly ingest measured, and how its runs went."},
    {
        "name": "placements",
        "description": "Task profiles, VM catalogues, and which threads run on which slot of which VM.",
    },
    {
        "name": "gates",
        "description": "Whether a deployment holds at a rate, and how far it would; for CI jobs.",
    },
    {"name": "decisions", "description": "What to do now, and why, by a policy; nothing is actuated."},
    {"name": "forecasts", "description": "How many VMs, ahead of time: workloads, throughputs, schedules."},
    {"name": "health", "description": "For those who keep the service running."},
]


def install_documentation(app: FastAPI) -> None:
    """Adds /docs, and makes /openapi.json what `make openapi` writes."""
    app.mount("/docs/files", StaticFiles(directory=SWAGGER_FILES), name="swagger-files")

    @app.get("/docs", include_in_schema=False)
    async def read_documentation() -> HTMLResponse:
        return HTMLResponse(PAGE)

    @app.get("/docs/start.js", include_in_schema=False)
    async def read_start() -> Response:
        return Response(START, media_type="text/javascript")

    def describe() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = describe_api(app)
        return app.openapi_schema

    app.openapi = describe  # type: ignore[method-assign]  # FastAPI's documented way to extend the document


def describe_api(app: FastAPI) -> dict[str, Any]:
    """FastAPI's document, with problems for every 422 instead of FastAPI's own validation error."""
    document = get_openapi(
        title=app.title, version=app.version, summary=app.summary, routes=app.routes, tags=app.openapi_tags
    )
    schemas = document["components"]["schemas"]
    for replaced in ("HTTPValidationError", "ValidationError"):
        schemas.pop(replaced, None)
    _, definitions = models_json_schema(
        [(Problem, "serialization")], ref_template="#/components/schemas/{model}"
    )
    schemas.update(definitions["$defs"])
    _show_answers(document["paths"])
    for operations in document["paths"].values():
        for operation in operations.values():
            _show_example(operation, schemas)
            refused = operation["responses"].get("422")
            if refused and MEDIA_TYPE not in refused["content"]:
                refused["description"] = "invalid-request"
                refused["content"] = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
            elif refused:
                refused["content"].pop("application/json", None)
    return document


def _show_answers(paths: dict[str, Any]) -> None:
    """Beside each call that computes, what it answers to its own example."""
    topology = Graph.model_validate(FPD).to_values()
    load = LoadBody.model_validate(FPD_LOAD).to_values()
    plan = to_plan_answer(min_latency(topology, load, 22))
    fewest = to_plan_answer(min_processors(topology, load, 0.08))
    for ending, answer in (
        ("/estimate", to_estimate_answer(estimate(topology, load))),
        ("/plans/min-latency", plan),
        ("/plans/min-processors", fewest),
    ):
        for path in (f"/v1{ending}", f"/v1/topologies/{{name}}{ending}"):
            answered = paths[path]["post"]["responses"]["200"]["content"]["application/json"]
            answered["examples"] = {
                "fpd": {"value": _rounded(answer.model_dump(mode="json", exclude_none=True))}
            }


def _rounded(value: Any) -> Any:
    """Six digits, to read, and the same on machines whose logarithms differ in the last."""
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _show_example(operation: dict[str, Any], schemas: dict[str, Any]) -> None:
    """A body's example beside the body: most readers of the document do not follow references for it."""
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    if not body or "examples" in body:
        return
    first = body["schema"].get("anyOf", [body["schema"]])[0]
    [example] = schemas[first["$ref"].rpartition("/")[2]]["examples"]
    body["examples"] = {"fpd": {"summary": "Frequent pattern detection", "value": example}}


def render_yaml(document: dict[str, Any]) -> str:
    """As `openapi.yaml` has it."""
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=110)
