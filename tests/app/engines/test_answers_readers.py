"""app/engines/answers.py: which answers a body holds, and what an unusable one is told."""

from datetime import UTC, datetime

import pytest
from pydantic import JsonValue

from app.engines.answers import EngineAnswer, UnreadableAnswer, list_answers


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
