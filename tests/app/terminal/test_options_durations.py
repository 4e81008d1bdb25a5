"""Times and factors on the command line."""

import pytest

from app.terminal.commands import Refused
from app.terminal.options import read_duration, read_factor


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("15s", 15.0),
        ("0.2s", 0.2),
        ("200ms", 0.2),
        ("2m", 120.0),
        ("1h", 3600.0),
        ("15", 15.0),
        ("1e-3", 1e-3),
        ("1d", 86_400.0),
        (" .5 S ", 0.5),
    ],
)
def test_a_time_is_read_with_its_unit(text: str, seconds: float):
    assert read_duration("--interval", text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "s", "-1s", "2d", "1w", "1e3s", "nan", "inf", "1 2s", "25h"])
def test_what_is_no_time_is_refused_with_the_option(text: str):
    with pytest.raises(Refused, match="--interval"):
        read_duration("--interval", text)


def test_a_time_below_the_least_is_refused():
    with pytest.raises(Refused, match="at least 100 ms, at most 24 h"):
        read_duration("--interval", "50ms", 0.1)


def test_a_factor_is_read_with_and_without_its_x():
    assert [read_factor("--max-step", text, 1.0, 10.0) for text in ("2x", "1.5", "3X")] == [2.0, 1.5, 3.0]
    for text in ("0.5x", "x", "2y", "11x"):
        with pytest.raises(Refused, match="--max-step"):
            read_factor("--max-step", text, 1.0, 10.0)
