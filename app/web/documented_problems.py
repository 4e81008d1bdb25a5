"""The problems in the OpenAPI document: which types an operation answers, shared responses, one example per type."""

from typing import Any

from app.web.problem_examples import PROBLEM_EXAMPLES
from app.web.problem_kinds import KINDS
from app.web.problems import MEDIA_TYPE, describe_problem

BODY = ("payload-too-large", "unsupported-media-type")
"""The problems of every call that takes a body."""
DESCRIBED_CALL = ("invalid-topology", "invalid-load", "no-steady-state", *BODY)
"""The problems of every call that describes a topology and its load in the body."""
STORED_CALL = ("unknown-topology", "no-snapshot", "stored-data-unusable")
"""The problems of every call on the stored measurements of a topology."""
ANY_CALL = ("invalid-request", "unauthorized", "forbidden", "overloaded")
"""The problems of every call below /v1."""
MOST_TYPES_NAMED = 2
STATUS_NAMES = {"404": "Unknown", "409": "Conflict", "422": "Unprocessable", "503": "Unavailable"}
"""A response of more types has the examples of its whole status, and a description of its own that lists the types."""
PROBLEM_SCHEMA = {"$ref": "#/components/schemas/Problem"}

Component = dict[str, Any]


def document_problems(*types: str) -> dict[int | str, dict[str, Any]]:
    """A route's `responses`: by status, the problem types it can answer, with those of any call."""
    by_status: dict[int | str, list[str]] = {}
    for kind in KINDS.values():
        listed = by_status.setdefault(kind.status, [])
        if kind.type in {*types, *ANY_CALL} and kind.type not in listed:
            listed.append(kind.type)
    return {status: {"description": ", ".join(listed)} for status, listed in by_status.items() if listed}


def share_problems(document: dict[str, Any]) -> None:
    """Replaces the refusals of every operation by references to components, and adds these to the document."""
    responses: dict[str, Component] = {}
    for operations in document["paths"].values():
        for operation in operations.values():
            for status in [status for status in operation["responses"] if status >= "400"]:
                types = _read_types(operation["responses"][status])
                is_named = len(types) <= MOST_TYPES_NAMED
                name = name_response(types) if is_named else STATUS_NAMES[status]
                responses[name] = _make_response(types if is_named else _list_types(int(status)))
                own = {} if is_named else {"description": ", ".join(types)}
                operation["responses"][status] = {"$ref": f"#/components/responses/{name}"} | own
    document["components"]["responses"] = dict(sorted(responses.items()))
    document["components"].setdefault("examples", {}).update(sorted(_make_examples().items()))


def _list_types(status: int) -> list[str]:
    return list(dict.fromkeys(kind.type for kind in KINDS.values() if kind.status == status))


def name_response(types: list[str]) -> str:
    """`unknown-topology` becomes `UnknownTopology`; several types are joined by `Or`."""
    return "Or".join("".join(word.capitalize() for word in kind.split("-")) for kind in types)


def _read_types(response: Component) -> list[str]:
    """The types that `document_problems` listed; FastAPI's own 422 becomes `invalid-request`."""
    types: list[str] = response["description"].split(", ")
    return types if set(types) <= {kind.type for kind in KINDS.values()} else ["invalid-request"]


def _make_response(types: list[str]) -> Component:
    examples = {kind: {"$ref": f"#/components/examples/{kind}"} for kind in types}
    return {
        "description": ", ".join(types),
        "content": {MEDIA_TYPE: {"schema": PROBLEM_SCHEMA, "examples": examples}},
    }


def _make_examples() -> dict[str, Component]:
    """By problem type, the body that the service answers to one real request (without its `instance`)."""
    bodies = [describe_problem(error) for error in PROBLEM_EXAMPLES]
    return {body["type"]: {"value": body} for body in bodies if body is not None}
