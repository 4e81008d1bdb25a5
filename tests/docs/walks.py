"""Which modules execute while a route answers or a log is read, and what docs/architecture.md says of it."""

import inspect
import re
import sys
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FrameType
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from pydantic import BaseModel

from tests.docs.consoles import ROOT, read_page

PAGE = read_page("docs/architecture.md")


def read_section(title: str) -> str:
    """The text between a heading of the page and the next heading of any level."""
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, title
    return found.group(1)


def read_links(title: str) -> list[str]:
    """The files that a section links to, in their order."""
    return [path for path in re.findall(r"\[([^\]]+)\]\(\.\./", read_section(title)) if path.endswith(".py")]


def read_drawing(title: str) -> str:
    """The drawn trace of a section."""
    found = re.search(r"^```\n(.*?)^```$", read_section(title), re.MULTILINE | re.DOTALL)
    assert found, title
    return found.group(1)


def draw(files: Sequence[str]) -> str:
    """The number of files of a trace, and their names by room, in the order of the first call."""
    rooms: dict[str, list[str]] = {}
    for file in files:
        top, room, *rest = file.removesuffix(".py").split("/")
        rooms.setdefault(f"{top}/{room}" if rest else top, []).append("/".join(rest or [room]))
    width = max(map(len, rooms)) + 2
    rows = (f"{room:{width}}{' '.join(names)}\n" for room, names in rooms.items())
    return f"{len(files)} files\n" + "".join(rows)


def list_routes(routes: Sequence[Any]) -> Iterator[APIRoute]:
    """The routes of an app, those of its routers included."""
    for route in routes:
        if isinstance(route, APIRoute):
            yield route
        else:
            yield from list_routes(getattr(getattr(route, "original_router", route), "routes", ()))


def find_endpoint(app: FastAPI, path: str) -> Callable[..., Any]:
    """The function that answers POST requests at a path."""
    [route] = [one for one in list_routes(app.routes) if one.path == path and "POST" in (one.methods or ())]
    return route.endpoint


def bind(endpoint: Callable[..., Any], known: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of an endpoint: those that are known by name, and the body as its own type."""
    hints = typing.get_type_hints(endpoint)
    arguments: dict[str, Any] = {}
    for name in inspect.signature(endpoint).parameters:
        if name in known:
            arguments[name] = known[name]
            continue
        kinds = typing.get_args(hints[name]) or (hints[name],)
        [kind] = [one for one in kinds if inspect.isclass(one) and issubclass(one, BaseModel)]
        arguments[name] = kind.model_validate(body)
    return arguments


def trace(call: Callable[[], object], *folders: str) -> list[str]:
    """The files of these folders whose functions run, each once, in the order of their first call."""
    seen: dict[str, None] = {}
    roots = tuple(f"{ROOT / name}/" for name in folders or ("app", "planner"))

    def note(frame: FrameType, event: str, _argument: object) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(roots) and frame.f_code.co_name != "<module>":
            seen.setdefault(path.removeprefix(f"{ROOT}/"))

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return list(seen)
