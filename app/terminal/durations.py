"""Times and factors on the command line: 15s, 500ms, 2m, 1h; 2x."""

import re

from app.terminal.refusals import Refused

SECONDS = {"ms": 1e-3, "s": 1.0, "": 1.0, "m": 60.0, "h": 3600.0}
NUMBER = r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)"


def read_duration(option: str, text: str, least: float = 0.0, most: float = 86_400.0) -> float:
    """The seconds of a time such as 15s; a number alone is of seconds."""
    found = re.fullmatch(NUMBER + r"\s*(ms|s|m|h|)", text.strip().lower())
    if found is None:
        raise Refused(f"{option} {text}: write a time as 15s, 500ms, 2m or 1h")
    seconds = float(found[1]) * SECONDS[found[2]]
    if not least <= seconds <= most:
        raise Refused(f"{option} {text}: give from {least:g}s to {most:g}s")
    return seconds


def read_factor(option: str, text: str, least: float, most: float) -> float:
    """The factor of 2x; a number alone is one, too."""
    found = re.fullmatch(NUMBER + r"\s*x?", text.strip().lower())
    if found is None:
        raise Refused(f"{option} {text}: write a factor as 2x")
    factor = float(found[1])
    if not least <= factor <= most:
        raise Refused(f"{option} {text}: give from {least:g}x to {most:g}x")
    return factor
