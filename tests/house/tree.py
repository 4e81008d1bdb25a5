"""What stands where in the tree, and which rules of docs/architecture.md it breaks."""

import ast
import os
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
SOURCES = ("app", "planner", "ingest", "migrations")
MEASURED = (*SOURCES, "tests", "benchmarks")
MOST_LINES_OF_A_FILE, MOST_LINES_OF_A_FUNCTION = 300, 40

OVER_HTTP = {"routes", "schemas", "service", "gathering", "answers", "history"}
BY_COMMAND = {"command", "offline"}
"""The modules of a noun's folder: test_routes.py tests the first, test_command.py the second."""

UNTESTED = {
    "app/engines/patches.py": "types of patches; every test of an engine's patch uses them",
    "app/main.py": "every test over HTTP runs the service that create_app makes",
    "migrations/env.py": "Alembic calls it in every test of tests/migrations",
}
"""Modules without a test of their name, and why."""


def list_modules(*folders: str) -> list[Path]:
    """The Python files below these folders, as paths from the root."""
    found = [path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return sorted(path for path in found if "__pycache__" not in path.parts)


class Definition(NamedTuple):
    """A class or a function of a file: its name and its lines."""

    is_class: bool
    name: str
    first: int
    lines: int


@cache
def list_definitions(path: Path) -> list[Definition]:
    """Every class and function of a Python file, wherever in it."""
    return [
        Definition(
            isinstance(one, ast.ClassDef),
            one.name,
            one.lineno,
            (one.end_lineno or one.lineno) - one.lineno + 1,
        )
        for one in walk_statements(ast.parse(path.read_text()))
        if isinstance(one, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def walk_statements(part: ast.AST) -> Iterator[ast.AST]:
    """Every statement below a part of a program; what stands within an expression is not looked at."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        below = getattr(part, field, ())
        for one in below if isinstance(below, list) else ():
            yield one
            yield from walk_statements(one)


def list_page_files() -> list[Path]:
    """The scripts and styles of the dashboard, but for those of others."""
    found = (ROOT / "app" / "pages" / "dashboard" / "static").glob("*.*s")
    return sorted(path.relative_to(ROOT) for path in found)


def list_nouns() -> list[Path]:
    """The folders of `app` that answer requests."""
    return sorted(path.parent.relative_to(ROOT) for path in (ROOT / "app").rglob("routes.py"))


def find_strange_files() -> list[str]:
    """Files in a noun's folder that have another name than the rule allows."""
    allowed = {f"{name}.py" for name in OVER_HTTP | BY_COMMAND | {"__init__"}}
    return [
        str(path.relative_to(ROOT))
        for noun in list_nouns()
        for path in sorted((ROOT / noun).glob("*.py"))
        if path.name not in allowed
    ]


def name_test(module: Path) -> Path:
    """The file that tests a module."""
    stem = module.stem
    if module.parts[0] == "app" and (ROOT / module.with_name("routes.py")).exists():
        stem = "command" if stem in BY_COMMAND else "routes"
    return Path("tests") / module.parent / f"test_{stem}.py"


def is_tested(module: Path) -> bool:
    """Whether test_<module>.py exists, or test_<module>_<aspect>.py."""
    test = ROOT / name_test(module)
    return test.exists() or any(test.parent.glob(f"{test.stem}_*.py"))


def find_untested_modules() -> list[str]:
    """Modules without a test of their name, but for the listed exceptions."""
    return [
        f"{module} has no {name_test(module)}"
        for module in list_modules(*SOURCES)
        if module.stem != "__init__"
        and "versions" not in module.parts  # tests/migrations runs every migration
        and str(module) not in UNTESTED
        and not is_tested(module)
    ]


def find_doubled_classes() -> list[str]:
    """Class names that stand more than once in app, planner and ingest; names with an underscore may repeat."""
    places: dict[str, list[str]] = defaultdict(list)
    for module in list_modules("app", "planner", "ingest"):
        for one in list_definitions(ROOT / module):
            if one.is_class and not one.name.startswith("_"):
                places[one.name].append(str(module))
    return [f"{name}: {', '.join(found)}" for name, found in sorted(places.items()) if len(found) > 1]


def find_long_files() -> list[str]:
    """Files over the limit, with their lines."""
    paths = [*list_modules(*MEASURED), *list_page_files()]
    lengths = {path: len((ROOT / path).read_text().splitlines()) for path in paths}
    return [f"{path}: {lines} lines" for path, lines in lengths.items() if lines > MOST_LINES_OF_A_FILE]


def find_long_functions() -> list[str]:
    """Functions over the limit, from `def` to their last line."""
    return [
        f"{path}:{one.first} {one.name}: {one.lines} lines"
        for path in list_modules(*MEASURED)
        for one in list_definitions(ROOT / path)
        if not one.is_class and one.lines > MOST_LINES_OF_A_FUNCTION
    ]


def list_texts() -> Iterator[Path]:
    """Every text file of the project that is not made by a tool."""
    skipped = {
        ".git",
        ".venv",
        "build",
        "__pycache__",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".hypothesis",
        ".deno",
    }
    for folder, below, names in os.walk(ROOT):
        below[:] = [name for name in below if name not in skipped]
        paths = [Path(folder, name) for name in names]
        yield from (path for path in paths if path.is_file() and path.suffix != ".lock")


def find_outside_paths() -> list[str]:
    """Files that name the folder beside the project: a clone of the project alone must work."""
    outside = ("../" + "shared", "/work/" + "shared")  # written so, this file does not name it
    return [
        str(path.relative_to(ROOT))
        for path in list_texts()
        if any(name in path.read_text(errors="ignore") for name in outside)
    ]


RULES = {
    "a noun's folder holds only these modules: "
    + ", ".join(sorted(OVER_HTTP | BY_COMMAND)): find_strange_files,
    "every module has a test of its name": find_untested_modules,
    "a class name stands once": find_doubled_classes,
    f"no file has more than {MOST_LINES_OF_A_FILE} lines": find_long_files,
    f"no function has more than {MOST_LINES_OF_A_FUNCTION} lines": find_long_functions,
    "no file names a folder outside the project": find_outside_paths,
}
