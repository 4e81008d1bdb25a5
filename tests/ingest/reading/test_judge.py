"""Every fault of a field has its reason, and every usable one its exact value."""

from typing import Any

import pytest

from ingest.reading.judge import (
    NAMES,
    Bare,
    Unusable,
    convert_seconds,
    read_name,
    read_sample,
    read_sampling,
    read_time,
)
from tests.ingest.records import SECOND, T0


def find_fault(read: Any, *given: Any) -> str:
    with pytest.raises(Unusable) as caught:
        read(*given)
    return str(caught.value)


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (None, "is missing"),
        (" ", "is empty"),
        (Bare("7"), "is not a string"),
        (["o"], "is not a string"),
        (" o", "begins or ends with white space"),
        ("o ", "begins or ends with white space"),
        ("a\x00b", "holds control characters"),
        ("a\nb", "holds control characters"),
        ("\u2028", "holds control characters"),
        ("a\u00a0b", "holds control characters"),
        ("o" * 201, "is longer than 200 characters"),
    ],
)
def test_a_name_that_cannot_be_shown_or_addressed_is_refused(value: Any, fault: str):
    assert find_fault(read_name, "operator", value) == f"operator {fault}"


@pytest.mark.parametrize("name", NAMES)
def test_good_names_are_kept(name: str):
    for value in ("a b", "ядро", "o" * 200, "[::1]:6700"):
        assert read_name(name, value) == value


def test_each_name_has_its_own_rules():
    for value in ("a/b", "a\\b", ".", ".."):
        assert find_fault(read_name, "topology", value) == "topology holds a slash or is dots alone"
        assert read_name("operator", value) == value
    assert read_name("from_operator", None) is read_name("from_operator", "") is None
    assert find_fault(read_name, "from_operator", " ") == "from_operator is empty"
    assert read_name("tuple_id", " \n") == " \n"
    assert [read_name(name, Bare("7")) for name in ("instance", "tuple_id")] == ["7", "7"]
    assert read_name("instance", " i") == " i"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (T0 * SECOND + 1, T0 * SECOND + 1),
        (T0 + 0.123456, T0 * SECOND + 123_456_000),
        (T0 + 2**-10, T0 * SECOND + 976_562),
        (f" {T0}.25 ", T0 * SECOND + 250_000_000),
        (Bare("1.79496e9"), T0 * SECOND),
        (0.0, 0),
        ("1970-01-01T00:00:00Z", 0),
        ("2199-12-31 23:59:59.999999999+00", 7_258_118_400 * SECOND - 1),
        ("2026-11-18t00:00z", T0 * SECOND),
        ("2026-11-18T05:30:00.5+05:30", T0 * SECOND + SECOND // 2),
        ("2026-11-17T20:00:00.000000001 -0400", T0 * SECOND + 1),
    ],
)
def test_times_are_read_to_the_nanosecond(value: Any, expected: int):
    assert read_time("arrived_at", value) == expected


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (None, "is missing"),
        ("  ", "is missing"),
        ("soon", "is not a time"),
        ("1_763", "is not a time"),
        ("١٧٦٣", "is not a time"),
        (Bare("true"), "is not a time"),
        ("2026-02-30T00:00:00Z", "is not a time"),
        ("2026-11-18T00:00:00.1234567890Z", "is not a time"),
        ("2026-11-18T24:00:00Z", "is not a time"),
        ("2026-11-18", "is not a time"),
        ("2026-11-18T00:00:00", "has no time zone"),
        (float("nan"), "is not finite"),
        ("-Infinity", "is not finite"),
        (-1.0, "is not between 1970 and 2200"),
        (-1, "is not between 1970 and 2200"),
        (T0 * 1000.0, "is not between 1970 and 2200"),
        (7_258_118_400 * SECOND, "is not between 1970 and 2200"),
        ("1969-12-31T23:59:59Z", "is not between 1970 and 2200"),
        ("2200-01-01T00:00:00Z", "is not between 1970 and 2200"),
    ],
)
def test_what_is_no_time_is_told(value: Any, fault: str):
    assert find_fault(read_time, "arrived_at", value) == f"arrived_at {fault}"


def test_a_double_stands_for_the_microsecond_that_it_is_nearest_to():
    for micros in (1, 999_999, 123_456):
        assert convert_seconds((T0 * 10**6 + micros) / 1e6) == T0 * SECOND + micros * 1000
    assert convert_seconds(0.1 + 2**-40) == 100_000_000


def test_samples():
    assert [read_sample(value) for value in (None, "", "10", 10, 10.0, Bare("1e6"))] == [
        1,
        1,
        10,
        10,
        10,
        10**6,
    ]
    for value in (0, 1.5, "many", "1_0", "١٢", 10**6 + 1, float("nan"), ["1"], Bare("true")):
        assert "is not a whole number" in find_fault(read_sample, value)
    assert [read_sampling(value) for value in (None, "", "every-nth", "random")] == [
        False,
        False,
        False,
        True,
    ]
    for value in ("Random", Bare("7"), ["random"]):
        assert find_fault(read_sampling, value) == "sampling is neither every-nth nor random"
