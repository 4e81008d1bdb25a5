"""app/engines/kafka/reader.py: what offsets do not say is said."""

from typing import Any

import pytest

from app.engines.diagnostics import find_diagnostics
from app.engines.kafka.loads import make_group_loads
from app.engines.kafka.reader import RULES, ReadGroup
from app.engines.kafka.samples import make_lag_samples, read_rows
from tests.app.engines.kafka.made import row


def note(*lists: list[Any], seconds: float = 10.0) -> dict[str, str]:
    """The diagnostics by their code."""
    rows = [one for place, listed in enumerate(lists) for one in read_rows(listed, 100.0 + seconds * place)]
    samples = make_lag_samples(rows)
    group = ReadGroup("g", samples, make_group_loads("g", samples))
    return {one.code: one.detail for one in find_diagnostics(RULES, group)}


def test_a_group_that_keeps_up_shows_no_service_rate():
    assert note([row(0, 0, 0)], [row(0, 100, 100)]).keys() == {"queueing-unknown", "service-rate-unknown"}


def test_a_group_that_falls_behind_shows_it():
    said = note([row(0, 0, 900)], [row(0, 100, 1300)])
    assert said.keys() == {"queueing-unknown", "service-rate-at-saturation", "lag-counts-from-commits"}
    assert "1 of 1 consumers had messages waiting" in said["service-rate-at-saturation"]
    assert "an error of 50%" in said["service-rate-at-saturation"]


@pytest.mark.parametrize(
    ("partitions", "says"),
    [(1, "1 partition, so more than 1 consumer would"), (2, "2 partitions, so more than 2")],
)
def test_partitions_bound_the_consumers(partitions: int, says: str):
    listed = [row(place, 0, 0) for place in range(partitions)]
    assert says in note(listed, listed)["queueing-unknown"]


@pytest.mark.parametrize(
    ("code", "lists", "says"),
    [
        ("one-sample", [[row(0, 20, 50)]], "30 messages wait"),
        ("members-unknown", [[row(0, 0, 0, None)], [row(0, 1, 1, None)]], "no known consumer"),
        ("members-changed", [[row(0, 0, 0)], [row(0, 1, 1, "m-2")]], "moved between consumers"),
        ("partitions-missing", [[row(0, 0, 0), row(1, 0, 0)], [row(0, 1, 1)]], "1 of 2 samples"),
        (
            "offsets-reset",
            [[row(k, 9, 9) for k in range(7)], [row(k, 1, 1) for k in range(7)]],
            "clicks-4 and 2 more",
        ),
        ("position-moved-back", [[row(0, 9, 9)], [row(0, 1, 11)]], "clicks-0 went back"),
    ],
)
def test_each_trap_is_said(code: str, lists: list[list[Any]], says: str):
    assert says in note(*lists)[code]


def test_samples_without_a_time_of_their_own_are_said():
    assert "1 interval shorter" in note([row(0, 0, 0)], [row(0, 1, 1)], seconds=0.1)["samples-too-close"]
