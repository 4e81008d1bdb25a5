"""app/engines/answers.py: which answers a body holds, and what an unusable one is told."""

from datetime import UTC, datetime

import pytest
from pydantic import JsonValue

from app.engines.answers import (
    ENGINES,
    EngineAnswer,
    EngineName,
    UnreadableAnswer,
    list_answers,
    read_answers,
)


@pytest.mark.parametrize(
    ("sent", "answers"),
    [
        ({"jid": "a"}, [EngineAnswer({"jid": "a"})]),
        ([{"jid": "a"}, 3], [EngineAnswer({"jid": "a"}, pointer="#/0"), EngineAnswer(3, pointer="#/1")]),
        (
            {"answers": [{"path": "/jobs", "at": "2026-11-18T01:00:00+01:00", "body": []}]},
            [EngineAnswer([], "/jobs", datetime(2026, 11, 18, tzinfo=UTC), "#/answers/0/body")],
        ),
    ],
)
def test_a_body_is_one_answer_or_a_list_or_answers_with_paths(sent: JsonValue, answers: list[EngineAnswer]):
    assert list_answers(sent) == answers


@pytest.mark.parametrize(
    ("answer", "pointer"),
    [
        ({"path": "/jobs"}, "#/answers/0"),
        (7, "#/answers/0"),
        ({"path": 7, "body": {}}, "#/answers/0/path"),
        ({"at": "yesterday", "body": {}}, "#/answers/0/at"),
        ({"at": 1795041254793, "body": {}}, "#/answers/0/at"),
    ],
)
def test_an_answer_that_cannot_be_used_is_named(answer: JsonValue, pointer: str):
    with pytest.raises(UnreadableAnswer) as caught:
        list_answers({"answers": [answer]})
    assert caught.value.pointer == pointer


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("<html>\n<body>503 Service Unavailable</body></html>", "'<html> <body>503 Service Unavailable"),
        ({"errors": ["Not found: /jobs/x", "at java.base"]}, "'Not found: /jobs/x'"),
        ({"error": "Not Found", "errorMessage": "NotAliveException(msg:x)"}, "NotAliveException"),
        ({"status": "failure", "message": "no such topology", "result": {}}, "'no such topology'"),
        ({"error_code": 404, "message": "HTTP 404 Not Found"}, "'HTTP 404 Not Found'"),
        ("x" * 1000, "x…'"),
        (None, ""),
        ([], ""),
        (5, ""),
        ({"errors": [None], "message": 7}, ""),
    ],
)
def test_a_refusal_quotes_the_text_or_the_error_that_came_instead(
    engine: EngineName, body: JsonValue, said: str
):
    answers = list_answers({"answers": [{"path": "/x", "at": "2026-11-18T00:00:00Z", "body": body}]})
    with pytest.raises(UnreadableAnswer) as caught:
        read_answers(engine, answers)
    assert said in caught.value.detail
    assert ("An answer is" in caught.value.detail) == bool(said)
    assert 40 < len(caught.value.detail) < 600
