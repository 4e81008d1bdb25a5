"""What sources emitted between looks: in short spans, by the source's own clock, where it was not held back."""

import copy
from datetime import UTC, datetime, timedelta

import pytest

from app.engines.answers import list_answers
from app.engines.flink.asking import list_looks
from tests.app.engines.flink.recorded import Json, load, read

EMITTED = (0, 13, 30, 35, 72, 80)
"""Records emitted up to each look, one second apart."""


def make_answers(*, has_clock: bool = True, blocked: float = 0.0, is_stale: bool = False) -> list[Json]:
    """Two recorded samples of a job, eight seconds apart, with looks at its source in between."""
    answers: list[Json] = copy.deepcopy(load("chain")["answers"])
    second = next(place for place, one in enumerate(answers) if "subtasks/metrics" in one["path"])
    asked = answers[second]
    begin = datetime.fromisoformat(answers[6]["at"])
    for place, emitted in enumerate(EMITTED):
        look = copy.deepcopy(asked)
        look["at"] = (begin + timedelta(seconds=1.1 + place)).astimezone(UTC).isoformat()
        look["path"] += "#look"
        passed = 1000.0 * (place - (place == 3 and is_stale))
        changes = {
            "Source__numbers.numRecordsOut": 500.0 + (EMITTED[2] if place == 3 and is_stale else emitted),
            "accumulateBusyTimeMs": 2000.0 if has_clock else "NaN",
            "accumulateIdleTimeMs": 8000.0 + (1.0 - blocked) * passed,
            "accumulateBackPressuredTimeMs": blocked * passed,
        }
        look["body"] = [one | {"sum": changes.get(one["id"], one["sum"])} for one in look["body"]]
        answers.append(look)
    return [one for place, one in enumerate(answers) if place != second]


def list_spans(answers: list[Json]) -> list[tuple[float, float]]:
    """Seconds and tuples of the newest load's spans."""
    (*_, newest) = read({"answers": answers}).loads
    return [(one.seconds, one.tuples) for one in newest.external_counts]


def keep_two_samples(answers: list[Json]) -> list[Json]:
    """The answers of the first two samples and of the looks, without the third sample."""
    last = answers[13]["at"]
    return [
        one
        for one in answers
        if one["at"] < "2026-11-19T10:56:10" or "#look" in one["path"] or one["at"] == last
    ]


def test_each_look_ends_a_span():
    spans = list_spans(keep_two_samples(make_answers()))
    assert [tuples for _, tuples in spans] == [13.0, 17.0, 5.0, 37.0, 8.0]
    assert [seconds for seconds, _ in spans] == pytest.approx([1.0] * 5)


def ask_each_second(update_seconds: float) -> list[Json]:
    """Two samples, and looks each second, at a source without a clock that emits 60/s; Flink answers with what it
    fetched before, and starts a fetch if the one before it is `update_seconds` old.
    """
    answers: list[Json] = copy.deepcopy(load("chain")["answers"])
    begin, end = (datetime.fromisoformat(answers[place]["at"]) for place in (6, 11))
    kept, asked = [*answers[:11], *answers[12:15]], answers[11]
    last_fetch = 0.0
    for second in range(9):
        look, now = copy.deepcopy(asked), float(second)
        is_sample = second in {0, 8}
        is_due = now - last_fetch >= update_seconds
        shown = now if is_sample and is_due else last_fetch
        last_fetch = now if is_due else last_fetch
        look["at"] = (end if second == 8 else begin + timedelta(seconds=now)).astimezone(UTC).isoformat()
        look["path"] += "" if is_sample else "#look"
        changes = {"Source__numbers.numRecordsOut": 60.0 * shown, "accumulateBusyTimeMs": "NaN"}
        look["body"] = [one | {"sum": changes.get(one["id"], one["sum"])} for one in look["body"]]
        kept.append(look)
    return kept


def test_a_look_at_a_source_without_a_clock_is_of_the_time_of_the_question_before_it():
    spans = list_spans(ask_each_second(0.5))
    assert [tuples for _, tuples in spans] == [60.0] * 6 + [120.0]
    assert [60.0 * seconds for seconds, _ in spans] == pytest.approx([60.0] * 6 + [120.0], rel=0.03)


def test_looks_between_rare_fetches_tell_nothing_about_a_source_without_a_clock():
    assert list_spans(ask_each_second(3.0)) == []


def test_a_look_that_brings_nothing_new_ends_no_span():
    spans = list_spans(keep_two_samples(make_answers(is_stale=True)))
    assert [tuples for _, tuples in spans] == [13.0, 17.0, 42.0, 8.0]
    assert [seconds for seconds, _ in spans] == pytest.approx([1.0, 1.0, 2.0, 1.0])


def test_a_source_that_is_held_back_does_not_show_what_comes():
    assert list_spans(keep_two_samples(make_answers(blocked=0.3))) == []


def test_looks_change_nothing_else():
    answers = make_answers()
    plain, looked = (
        read({"answers": some}).loads
        for some in ([one for one in answers if "#" not in one["path"]], answers)
    )
    assert [one.model_copy(update={"external_counts": []}) for one in looked] == list(plain)


def test_a_look_asks_what_the_sample_asked_of_sources():
    asked = list_looks(list_answers(load("chain")))
    assert len(asked) == 2
    assert all("Source__numbers.numRecordsOut" in path for path in asked)
    assert list_looks([]) == []
