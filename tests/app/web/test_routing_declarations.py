"""What a route declares: the key that it needs, its summary and what it can answer."""

from app.web.callers.security import may_read, may_store
from app.web.problems.documented_problems import document_problems
from app.web.routing import declare


def test_a_route_asks_for_the_key_that_it_was_declared_with():
    for permission in (may_read, may_store):
        assert [needed.dependency for needed in declare(permission, "Read")["dependencies"]] == [permission]


def test_a_route_answers_its_problems_and_what_else_was_declared():
    declared = declare(may_read, "Read", "unknown-plan", also={304: {"description": "Unchanged."}})
    assert declared["summary"] == "Read"
    assert declared["responses"].pop(304) == {"description": "Unchanged."}
    assert declared["responses"] == document_problems("unknown-plan")
