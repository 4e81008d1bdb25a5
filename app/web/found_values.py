"""How a validation error shows the value that was found, and its hint at how to write the value."""

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

LONGEST_SHOWN = 60
EXPONENT = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+")
YAML_TRUTHS = {True: "yes, on and true", False: "no, off and false"}


def show(value: object) -> str:
    """The value as in JSON, cut at 60 characters, with its type: `the text "1e3"`, `the number 7`, `a list`."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int) and value.bit_length() > 4 * LONGEST_SHOWN:
        return "a number of more digits than are shown here"
    if isinstance(value, int | float):
        return f"the number {value!r}"
    if isinstance(value, str):
        text = value if len(value) <= LONGEST_SHOWN else value[:LONGEST_SHOWN] + "…"
        return f"the text {json.dumps(text, ensure_ascii=not text.isprintable())}"
    if isinstance(value, Mapping):
        return "an object"
    return "a list" if isinstance(value, Sequence) else f"a {type(value).__name__}"


def hint(kind: str, value: object, *, is_yaml: bool) -> str:
    """What to write instead, where the value shows what was meant; else empty."""
    if kind in {"float_type", "int_type"}:
        return _hint_at_number(kind, value, is_yaml=is_yaml)
    if kind == "bool_type":
        return " Write true or false, without quotes."
    if kind == "string_type" and (value is None or isinstance(value, bool | int | float)):
        return _hint_at_text(value, is_yaml=is_yaml)
    return ""


def _hint_at_number(kind: str, value: object, *, is_yaml: bool) -> str:
    if isinstance(value, float) and kind == "int_type" and value.is_integer():
        return f" Write it without a decimal point: {value:.0f}."
    number = _read_number(value) if isinstance(value, str) else None
    if number is None:
        return ""
    if is_yaml and EXPONENT.fullmatch(str(value).strip()):
        spelled = spell_number(number, is_whole=kind == "int_type")
        return (
            " YAML takes an exponent for text unless the number has a point and the exponent a sign: "
            f"write {spelled}."
        )
    return f" Write the number without quotes: {str(value).strip()[:LONGEST_SHOWN]}."


def spell_number(number: float, *, is_whole: bool) -> str:
    """The number as YAML 1.1 reads it: `1000.0 or 1.0e+3`; a whole number in digits alone."""
    if is_whole and number.is_integer():
        return f"{number:.0f}"
    mantissa, _, exponent = f"{Decimal(repr(number)).normalize():e}".partition("e")
    scientific = f"{mantissa}{'' if '.' in mantissa else '.0'}e{int(exponent):+d}"
    plain = repr(number)
    return scientific if "e" in plain else f"{plain} or {scientific}"


def _hint_at_text(value: bool | float | None, *, is_yaml: bool) -> str:  # noqa: FBT001  # a value, no switch
    if not is_yaml:
        return "" if value is None else f' Write it in quotes: "{str(value).lower()}".'
    if isinstance(value, bool):
        example = "yes" if value else "no"
        return f" YAML reads {YAML_TRUTHS[value]} without quotes as {str(value).lower()}: quote it, as '{example}'."
    if value is None:
        return " YAML reads null, ~ and an empty place as null: quote the text."
    return f" YAML reads this as a number: quote the text, as '{value}'."


def _read_number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None
