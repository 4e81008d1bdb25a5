"""The table of problem types: stable words, one status and title each, and a row for every exception."""

import re
from collections import defaultdict
from dataclasses import fields
from http import HTTPStatus
from pathlib import Path
from string import Formatter

import pytest
from sqlalchemy.exc import OperationalError

import app.web.problems.database_trouble  # noqa: F401  # adds the rows of the database's errors
from app.web.problems.errors import Overloaded, ServiceError, WaitedTooLong
from app.web.problems.problem_kinds import KINDS, find_kind
from planner.errors import FieldsError, PlannerError
from planner.placements.errors import TooManyRetries

DOCUMENTED = Path(__file__).parents[4] / "docs" / "problems.md"


def list_subclasses(base: type[FieldsError]) -> set[type[FieldsError]]:
    return {base}.union(*map(list_subclasses, base.__subclasses__()))


def test_a_type_is_a_word_with_one_status_and_one_title():
    meanings = defaultdict(set)
    for kind in KINDS.values():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", kind.type)
        assert 400 <= kind.status < 500 or kind.status == HTTPStatus.SERVICE_UNAVAILABLE
        meanings[kind.type].add((kind.status, kind.title))
    assert all(len(found) == 1 for found in meanings.values())


def test_every_type_stands_in_the_documents_with_its_status():
    rows = [line for line in DOCUMENTED.read_text().splitlines() if line.startswith("| `")]
    statuses = {
        name: row.split("|")[2].strip()
        for row in rows
        for name in re.findall(r"`([a-z-]+)`", row.split("|")[1])
    }
    for kind in KINDS.values():
        assert statuses[kind.type] == str(kind.status), kind.type


def test_every_exception_that_a_caller_can_meet_has_a_row():
    raised = list_subclasses(ServiceError) | list_subclasses(PlannerError)
    leaves = {one for one in raised if not one.__subclasses__()}
    named = {one for one in leaves if one.__module__.startswith(("app.", "planner."))}
    missing = {one.__name__ for one in named if not set(one.__mro__) & set(KINDS)}
    assert missing <= {"RefusedByPlanner"}  # has the row of the planner error that it carries


def test_a_text_names_only_fields_and_properties_of_its_exception():
    for exception in list_subclasses(FieldsError):
        if exception.__str__ is FieldsError.__str__ and not exception.__subclasses__():
            written = {name for _, name, _, _ in Formatter().parse(exception.text) if name}
            known = {*dir(exception), *(field.name for field in fields(exception))}  # type: ignore[arg-type]  # a dataclass
            assert written <= {f"self.{name}" for name in known}, exception


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (TooManyRetries("a", 2.0, 1), "placement-too-large"),
        (OperationalError(None, None, Exception()), "database-unavailable"),
        (Overloaded(3, 2), "overloaded"),
        (ValueError("a defect"), None),
    ],
)
def test_an_exception_has_the_row_of_its_nearest_class(error: Exception, kind: str | None):
    found = find_kind(error)
    assert (found and found.type) == kind


def test_a_refusal_that_passes_says_when_to_try_again():
    for error, kind in KINDS.items():
        if kind.status == 503 and error not in {Overloaded, WaitedTooLong}:
            assert int(kind.list_headers(error.__new__(error))["Retry-After"]) >= 1
    overloaded = find_kind(Overloaded(3, 7))
    assert overloaded is not None
    assert overloaded.list_headers(Overloaded(3, 7)) == {"Retry-After": "7"}
