"""Texts in pictures: made safe, measured and shortened."""

import unicodedata
from collections.abc import Iterator

MOST_MARKS = 2
"""Accents on one letter; a name with more of them would run over the lines above it."""
NARROW, WIDE = frozenset("iljtfrI.,:;'|!()[]{}/\\ "), frozenset("mwMW@%&→…—<>=+~#^_")


def clean(text: str) -> str:
    """The text in one line, without characters that XML forbids or that turn the direction of what follows."""
    return " ".join("".join(_keep(unicodedata.normalize("NFC", text))).split())


def _keep(text: str) -> Iterator[str]:
    marks = 0
    for sign in text:
        kind = unicodedata.category(sign)
        marks = marks + 1 if kind.startswith("M") else 0
        if kind[0] in "CZ":  # control, format, surrogate, private, unassigned; every kind of space
            yield " "
        elif marks <= MOST_MARKS:
            yield sign


def measure(text: str, size: float, *, is_bold: bool = False) -> float:
    """The width in pixels, rather more than less, in DejaVu Sans or Verdana."""
    return sum(map(_measure_sign, text)) * size * (1.1 if is_bold else 1.0)


def _measure_sign(sign: str) -> float:
    """The width as a part of the size."""
    if unicodedata.east_asian_width(sign) in "WF":
        return 1.3  # emoji of the common fonts are wider than the letters of East Asia
    if unicodedata.combining(sign):
        return 0.0
    if sign in NARROW:
        return 0.4
    return 1.0 if sign in WIDE else 0.72 if sign.isupper() else 0.64


def shorten(text: str, width: float, size: float, *, is_bold: bool = False) -> str:
    """The clean text, cut with … where it is wider than that."""
    text = clean(text)
    if measure(text, size, is_bold=is_bold) <= width:
        return text
    left = width - measure("…", size, is_bold=is_bold)
    kept = 0
    for sign in text:
        left -= measure(sign, size, is_bold=is_bold)
        if left < 0.0:
            break
        kept += 1
    return text[:kept].rstrip() + "…"


def wrap(text: str, width: float, size: float, *, is_bold: bool = False) -> list[str]:
    """The clean text in lines of at most that width, broken between words; a word wider than that is cut."""
    lines: list[str] = []
    for word in clean(text).split(" "):
        joined = f"{lines[-1]} {word}" if lines else word
        if lines and measure(joined, size, is_bold=is_bold) <= width:
            lines[-1] = joined
        else:
            lines.append(shorten(word, width, size, is_bold=is_bold))
    return lines
