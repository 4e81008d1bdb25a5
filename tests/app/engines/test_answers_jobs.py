"""app/engines/answers.py: which job of an engine is meant, and the order of its answers."""

from datetime import UTC, datetime

import pytest

from app.engines.answers import EngineAnswer, RunningJob, UnreadableAnswer, choose_job, sort_by_time

A, B, A2 = RunningJob("1", "a", 5.0), RunningJob("2", "b", 9.0), RunningJob("3", "a", 7.0)


@pytest.mark.parametrize(
    ("jobs", "wanted", "chosen"),
    [
        ([A], None, A),
        ([A, B], "a", A),
        ([A, B], "2", B),
        ([A2, B, A], "a", A2),  # the one that started last
        ([A2, B, A], "1", A),
    ],
)
def test_a_job_is_chosen_by_its_name_its_id_or_as_the_only_one(
    jobs: list[RunningJob], wanted: str | None, chosen: RunningJob
):
    assert choose_job(jobs, wanted, "Name one.") == chosen


@pytest.mark.parametrize(
    ("jobs", "wanted", "told"),
    [
        ([], None, "no job runs."),
        ([A, B], "c", "no job with the name or id 'c' runs. Running: a, b."),
        ([B, A], None, "more than one job fits: a, b. Name one."),
        ([A, A._replace(id="4")], "a", "more than one job fits: 1, 4. Name one."),
    ],
)
def test_a_choice_that_is_not_clear_is_refused_with_the_names(
    jobs: list[RunningJob], wanted: str | None, told: str
):
    with pytest.raises(UnreadableAnswer) as caught:
        choose_job(jobs, wanted, "Name one.")
    assert caught.value.detail == told


def test_answers_are_in_the_order_of_their_times_where_all_have_one():
    late, early = (EngineAnswer(n, at=datetime(2026, 11, n, tzinfo=UTC)) for n in (2, 1))
    assert list(sort_by_time([late, early, late])) == [early, late, late]
    assert list(sort_by_time([late, early, EngineAnswer(3)])) == [late, early, EngineAnswer(3)]
