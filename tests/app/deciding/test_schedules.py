"""Schedules: which times cron names, compared with their definition, minute by minute."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from app.deciding.schedules import Recurring, matches_day, read_cron

MONDAY = datetime(2026, 11, 16, tzinfo=UTC)


def covers(cron: str, hours: float, at: str, zone: str = "UTC") -> bool:
    return Recurring(cron=cron, hours=hours, zone=zone).covers(datetime.fromisoformat(at))


@pytest.mark.parametrize(
    ("cron", "numbers"),
    [
        ("0 8 * * 1-5", (0, 8)),
        ("*/20 9-17/4 1,15 jan-mar mon,Fri", (0, 9)),
        ("59 23 31 12 7", (59, 23)),
        ("5/30 0 * * *", (5, 0)),
    ],
)
def test_cron_is_read(cron: str, numbers: tuple[int, int]):
    found = read_cron(cron)
    assert (min(found[0]), min(found[1])) == numbers


def test_lists_ranges_steps_and_names():
    minutes, hours, days, months, weekdays = read_cron("*/20 9-17/4 1,15 jan-mar mon,Fri")
    assert [sorted(one) for one in (minutes, hours, days, months)] == [
        [0, 20, 40],
        [9, 13, 17],
        [1, 15],
        [1, 2, 3],
    ]
    assert weekdays == {1, 5}
    assert read_cron("5/30 0 * * *")[0] == {5, 35}


@pytest.mark.parametrize(
    "cron",
    [
        "",
        "0 8 * *",
        "60 8 * * *",
        "0 8 * * 8",
        "a 8 * * *",
        "0 8 0 * *",
        "0 8-7 * * *",
        "*/0 * * * *",
        "1/ * * * *",
        "0 8 * * mo",
        "-1 8 * * *",
        "@daily",
        "0,,1 8 * * *",
        "0 " * 200,
    ],
)
def test_what_is_not_cron_is_refused(cron: str):
    with pytest.raises(ValidationError, match=r"cron|field"):
        Recurring(cron=cron, hours=1.0)


@pytest.mark.parametrize("zone", ["Europe/Atlantis", "", "../etc/passwd", "Europe"])
def test_a_zone_that_is_none_is_refused(zone: str):
    with pytest.raises(ValidationError, match="time zone"):
        Recurring(cron="0 8 * * *", zone=zone, hours=1.0)


def test_working_hours_are_those_of_the_zone():
    eight = "0 8 * * 1-5"
    assert covers(eight, 10, "2026-11-16T07:00:00Z", "Europe/Berlin")
    assert not covers(eight, 10, "2026-11-16T06:59:59Z", "Europe/Berlin")
    assert covers(eight, 10, "2026-11-16T16:59:59Z", "Europe/Berlin")
    assert not covers(eight, 10, "2026-11-16T17:00:00Z", "Europe/Berlin")
    assert covers(eight, 10, "2026-07-13T06:00:00Z", "Europe/Berlin"), "summer time"
    assert not covers(eight, 10, "2026-11-15T12:00:00Z", "Europe/Berlin"), "a Sunday"


def test_hours_reach_over_midnight_and_over_days():
    assert covers("0 22 * * 5", 10, "2026-11-21T07:59:00Z")
    assert not covers("0 22 * * 5", 10, "2026-11-21T08:00:00Z")
    assert covers("0 0 * * 1", 168, "2026-11-22T23:59:00Z")


def test_a_start_that_the_clocks_skip_is_an_hour_later():
    # At 2:00 on 29 March 2026 clocks in Berlin go on to 3:00.
    assert covers("30 2 29 3 *", 1, "2026-03-29T01:30:00Z", "Europe/Berlin")
    assert not covers("30 2 29 3 *", 1, "2026-03-29T01:29:00Z", "Europe/Berlin")


def test_hours_that_end_once_do_not_come_again():
    muted = Recurring(cron="30 15 20 11 *", hours=4.0, until=datetime(2026, 11, 20, 19, tzinfo=UTC))
    times = {"2026-11-20T15:29Z": False, "2026-11-20T18:59Z": True, "2026-11-20T19:00Z": False}
    times |= {"2027-11-20T16:00Z": False, "2025-11-20T16:00Z": True}
    assert {at: muted.covers(datetime.fromisoformat(at)) for at in times} == times


CRONS = ["0 8 * * 1-5", "*/7 */5 * * *", "30 1 13 * 5", "15 6 */2 * 0", "0 0 1 1,11 *", "5,50 23 * * sat"]


@given(
    cron=st.sampled_from(CRONS),
    zone=st.sampled_from(["UTC", "Asia/Kolkata", "Pacific/Auckland"]),
    minute=st.integers(0, 60 * 24 * 30),
    hours=st.sampled_from([0.5, 3, 30]),
)
@settings(max_examples=60, deadline=None)
def test_it_is_as_if_every_minute_were_looked_at(cron: str, zone: str, minute: int, hours: float):
    at = MONDAY + timedelta(minutes=minute)
    numbers = read_cron(cron)

    def starts(then: datetime) -> bool:
        local = then.astimezone(ZoneInfo(zone))
        is_time = local.minute in numbers[0] and local.hour in numbers[1]
        return is_time and matches_day(local.date(), numbers, cron)

    expected = any(starts(at - timedelta(minutes=back)) for back in range(round(60 * hours)))
    assert Recurring(cron=cron, zone=zone, hours=hours).covers(at) == expected


@pytest.mark.parametrize(
    ("cron", "day", "is_named"),
    [
        ("0 0 13 * 5", "2026-11-13", True),
        ("0 0 13 * 5", "2026-11-20", True),
        ("0 0 13 * *", "2026-11-20", False),
        ("0 0 */2 * 5", "2026-11-20", False),
        ("0 0 * * 7", "2026-11-22", True),
        ("0 0 * 12 *", "2026-11-22", False),
    ],
)
def test_days_of_the_month_and_of_the_week(cron: str, day: str, *, is_named: bool):
    assert matches_day(datetime.fromisoformat(day).date(), read_cron(cron), cron) == is_named
