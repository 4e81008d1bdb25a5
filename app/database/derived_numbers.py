"""Leaves numbers out of a document that follow exactly from the numbers beside them, and puts them back.

They are of operators: the utilisation, and the time that a tuple spends there. The formulas are part of the form in
which documents are stored: an answer of a later version for which they do not hold keeps its numbers, and what was
left out is put back with the same formulas for as long as it is stored.
"""

from collections.abc import Mapping
from math import copysign
from typing import Any

Json = Any
LEFT_OUT = True
"""What stands in a document instead of such a number, which is never a boolean."""
DERIVED = ("utilisation", "sojourn_seconds")


def leave_out(document: Json) -> Json:
    """Returns the document without the numbers that `put_back` finds."""
    if isinstance(document, list):
        return [leave_out(one) for one in document]
    if not isinstance(document, dict):
        return document
    found = {key: leave_out(one) for key, one in document.items()}
    for name in DERIVED:
        number = found.get(name)
        if isinstance(number, float) and is_same(number, derive(name, found)):
            found[name] = LEFT_OUT
    return found


def put_back(document: Json) -> Json:
    """Returns the document from which `leave_out` left numbers out."""
    if isinstance(document, list):
        return [put_back(one) for one in document]
    if not isinstance(document, dict):
        return document
    return fill_in({key: put_back(one) for key, one in document.items()})


def fill_in(found: dict[str, Json]) -> dict[str, Json]:
    """Puts the numbers back that were left out of an operator itself, and returns it."""
    for name in DERIVED:
        if found.get(name) is LEFT_OUT:
            found[name] = derive(name, found)
    return found


def is_same(number: float, other: float | None) -> bool:
    """Tells 0.0 from -0.0, which == does not."""
    return number == other and copysign(1.0, number) == copysign(1.0, other)


def derive(name: str, operator: Mapping[str, Json]) -> float | None:
    """Returns the number of this name that follows from the other numbers of an operator; None: it does not follow."""
    try:
        service_rate = operator["service_rate"]
        if name == "utilisation":
            return float(operator["arrival_rate"] / service_rate / operator["processors"])
        delay = operator.get("delay_seconds") or 0.0
        return float(operator["wait_seconds"] + 1.0 / service_rate + delay)
    except (KeyError, TypeError, ArithmeticError):
        return None
