"""Wording: what people read loses at most half a percent, and never reads shorter for a longer time."""

import json
import re
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from math import inf, nan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.wording import (
    NAMES_SHOWN,
    UNBOUNDED,
    join_counts,
    join_names,
    write_age,
    write_change,
    write_count,
    write_counted,
    write_factor,
    write_level,
    write_number,
    write_numbers_apart,
    write_percent,
    write_rate,
    write_seconds,
    write_seconds_apart,
    write_signed_percent,
    write_signed_seconds,
)

CASES = json.loads(Path(__file__).with_name("wording_cases.json").read_text(encoding="utf-8"))
WRITERS: dict[str, Callable[[float], str]] = {
    "seconds": write_seconds,
    "numbers": write_number,
    "rates": write_rate,
    "rate_limits": partial(write_rate, down=True),
    "percents": write_percent,
    "signed_percents": write_signed_percent,
    "counts": write_count,  # type: ignore[dict-item]  # its numbers are whole
    "ages": write_age,
}
LENGTHS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "days": 86_400.0}
times = st.floats(1e-15, 1e15)


def read_seconds(text: str) -> float:
    number, unit = text.replace(",", "").split(" ")
    return float(number) * LENGTHS[unit]


@pytest.mark.parametrize(
    ("kind", "value", "text"), [(kind, *case) for kind, cases in CASES.items() for case in cases]
)
def test_the_table_of_values_is_written_as_agreed(kind: str, value: float, text: str) -> None:
    assert WRITERS[kind](value) == text


@given(times)
def test_a_written_time_reads_as_the_same_time_within_half_a_percent(seconds: float) -> None:
    assert read_seconds(write_seconds(seconds)) == pytest.approx(seconds, rel=0.00501)


@given(times, times)
def test_a_longer_time_never_reads_shorter(one: float, other: float) -> None:
    shorter, longer = (read_seconds(write_seconds(seconds)) for seconds in sorted((one, other)))
    assert shorter <= longer * (1.0 + 1e-12)


@given(times, st.integers(-3, 3))
def test_a_time_close_to_a_unit_takes_that_unit(seconds: float, ulps: int) -> None:
    text = write_seconds(seconds * (1.0 + ulps * 1e-4))
    assert not re.match(r"1,?000 (ns|µs|ms)|120 s|60 min|48 h", text)


@pytest.mark.parametrize("length", LENGTHS.values())
def test_around_the_bounds_of_units_longer_times_read_longer(length: float) -> None:
    near = [
        length * factor * (1.0 + step * 1e-4)
        for factor in (1, 2, 48, 60, 120, 1000)
        for step in range(-60, 60)
    ]
    read = [read_seconds(write_seconds(seconds)) for seconds in sorted(near)]
    assert all(before <= after * (1.0 + 1e-12) for before, after in pairwise(read))


@given(times)
def test_a_negative_time_is_the_time_with_a_minus(seconds: float) -> None:
    assert write_seconds(-seconds) == f"-{write_seconds(seconds)}"
    assert write_signed_seconds(seconds) == f"+{write_seconds(seconds)}"


@given(st.floats(1e-12, 1e300))
def test_a_written_number_reads_as_the_same_number_within_half_a_percent(value: float) -> None:
    assert float(write_number(value).replace(",", "")) == pytest.approx(value, rel=0.00501)


@given(st.floats(1e-12, 1e300))
def test_a_promised_limit_is_never_written_above_itself(value: float) -> None:
    written = float(write_number(value, down=True).replace(",", ""))
    assert value * 0.99 <= written <= value
    assert write_factor(value, down=True) == f"{write_number(value, down=True)} times"


def test_infinity_has_one_word_and_what_is_not_known_one_sign() -> None:
    assert {write_seconds(inf), write_number(inf), write_rate(inf), write_seconds(None, UNBOUNDED)} == {
        "unbounded"
    }
    assert {
        write_seconds(None),
        write_seconds(nan),
        write_rate(None),
        write_percent(None),
        write_count(None),
    } == {"–"}
    assert write_rate(None, "unknown") == "unknown"


@given(st.floats(1e-6, 1e9), st.integers(1, 10**6))
def test_two_times_that_a_sentence_compares_look_different(seconds: float, part: int) -> None:
    other = seconds * (1.0 + part * 1e-6)
    one, two = write_seconds_apart(seconds, other)
    assert one != two
    assert read_seconds(one) < read_seconds(two)


@given(st.floats(1e-6, 1e6), st.integers(1, 10**6))
def test_two_numbers_that_a_sentence_compares_look_different(value: float, part: int) -> None:
    one, two = write_numbers_apart(value, value * (1.0 + part * 1e-6))
    assert float(one.replace(",", "")) < float(two.replace(",", ""))


def test_a_level_keeps_its_digits() -> None:
    assert [write_level(level) for level in (0.5, 0.95, 0.999, 0.9999)] == ["p50", "p95", "p99.9", "p99.99"]


def test_two_equal_times_have_three_digits() -> None:
    assert write_seconds_apart(0.5, 0.5) == ("500 ms", "500 ms")
    assert write_seconds_apart(0.5, 0.4998) == ("500 ms", "499.8 ms")
    assert write_seconds_apart(inf, 1.0) == ("unbounded", "1 s")


@given(st.floats(0.0, 1.0, exclude_max=True))
def test_less_than_all_is_never_written_as_all(share: float) -> None:
    assert write_percent(share) != "100%"


def test_counts_have_their_noun_in_its_number() -> None:
    assert write_counted(1, "operator") == "1 operator"
    assert write_counted(1200, "operator") == "1,200 operators"
    assert write_counted(2, "query", "queries") == "2 queries"


def test_factors_and_changes() -> None:
    assert write_factor(1.2345) == "1.23 times"
    assert write_change(13, 17) == "13 → 17"
    assert {write_change(13, 13), write_change(13, None)} == {"13"}


@given(st.lists(st.text(min_size=1, max_size=5), max_size=50))
def test_no_more_than_twenty_names_are_listed_and_the_others_are_counted(names: list[str]) -> None:
    listed = join_names(names)
    assert listed.startswith(", ".join(names[:NAMES_SHOWN]))
    assert (f" and {len(names) - NAMES_SHOWN} more" in listed) == (len(names) > NAMES_SHOWN)


def test_lists_of_counts_name_the_first() -> None:
    assert join_names(["a", "b", "c", "d", "e"], 2) == "a, b and 3 more"
    assert join_counts([("a", 3), ("b", 5)]) == "a 3, b 5"
    assert join_counts([("a", 3), ("b", 5)], 1) == "a 3 and 1 more"
