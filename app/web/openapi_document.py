"""The OpenAPI document: FastAPI's own, with shared problems and parameters, readable names, and each example once."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic.json_schema import models_json_schema

from app.web.documented_problems import share_problems
from app.web.plan_examples import show_plan_answers
from app.web.problems import Problem
from app.web.schema_names import rename_schemas
from app.web.schema_text import share_fields, tidy_schemas

Document = dict[str, Any]


def name_operation(route: APIRoute) -> str:
    """The operation id of a route: the name of its function in camelCase."""
    first, *others = route.name.split("_")
    return first + "".join(word.capitalize() for word in others)


def name_operations(app: FastAPI) -> None:
    """Gives every route its operation id; the routers were made before the app, so that it cannot do so itself."""
    for route in app.routes:
        if isinstance(route, APIRoute):
            route.operation_id = name_operation(route)


def describe_api(app: FastAPI) -> Document:
    """The document that the service serves and that openapi.yaml holds."""
    document = get_openapi(
        title=app.title, version=app.version, summary=app.summary, routes=app.routes, tags=app.openapi_tags
    )
    schemas = document["components"]["schemas"]
    for unused in ("HTTPValidationError", "ValidationError"):  # every 422 is a problem instead
        schemas.pop(unused, None)
    _, definitions = models_json_schema(
        [(Problem, "serialization")], ref_template="#/components/schemas/{model}"
    )
    schemas.update(definitions["$defs"])
    show_plan_answers(document)
    _share_body_examples(document)
    _say_security_once(document)
    _name_statuses(document)
    share_problems(document)
    tidy_schemas(document)
    _share_parameters(document)
    document = rename_schemas(document)
    share_fields(document)
    return document


def _list_operations(document: Document) -> Iterator[Document]:
    return (operation for operations in document["paths"].values() for operation in operations.values())


def _share_body_examples(document: Document) -> None:
    """Moves every example of a body to the components, from beside the body or from the body's schema."""
    schemas, examples = document["components"]["schemas"], document["components"]["examples"]
    shown = set()
    for operation in _list_operations(document):
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if body is None:
            continue
        if "examples" not in body:
            name = body["schema"].get("anyOf", [body["schema"]])[0]["$ref"].rpartition("/")[2]
            shown.add(name)
            [example] = schemas[name]["examples"]
            body["examples"] = {"fpd": {"value": example}}
        for key, example in body["examples"].items():
            name = f"{operation['operationId']}-{key}"
            examples[name] = example
            body["examples"][key] = {"$ref": f"#/components/examples/{name}"}
    for name in shown:
        schemas[name].pop("examples")


def _say_security_once(document: Document) -> None:
    """Moves the security of most operations to the document; one that needs no key says so."""
    document["security"] = next(one["security"] for one in _list_operations(document) if "security" in one)
    for operation in _list_operations(document):
        if operation.pop("security", None) is None:
            operation["security"] = []


def _name_statuses(document: Document) -> None:
    """Describes an answer by its status where FastAPI says `Successful Response`."""
    for operation in _list_operations(document):
        for status, response in operation["responses"].items():
            if response["description"] == "Successful Response":
                response["description"] = HTTPStatus(int(status)).phrase


def _share_parameters(document: Document) -> None:
    """Replaces a parameter that several operations take, with the same words, by a reference."""
    variants: dict[str, dict[str, Document]] = {}
    for operation in _list_operations(document):
        for parameter in operation.get("parameters", []):
            variants.setdefault(parameter["name"], {})[repr(parameter)] = parameter
    shared = {
        "".join(map(str.capitalize, name.replace("-", "_").split("_"))): next(iter(found.values()))
        for name, found in variants.items()
        if len(found) == 1
    }
    names = {repr(parameter): name for name, parameter in shared.items()}
    for operation in _list_operations(document):
        if "parameters" in operation:
            operation["parameters"] = [
                {"$ref": f"#/components/parameters/{names[repr(one)]}"} if repr(one) in names else one
                for one in operation["parameters"]
            ]
    document["components"]["parameters"] = dict(sorted(shared.items()))
