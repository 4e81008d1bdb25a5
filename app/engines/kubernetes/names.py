"""Names of operators in the spelling that Kubernetes asks of its objects (RFC 1123 labels)."""

import re
from collections.abc import Iterable

MOST_LETTERS = 54
"""A label has at most 63 letters, and KEDA puts `keda-hpa-` before the name of a ScaledObject."""
NAMESPACE = "<namespace>"
MERGE_PATCH = "application/merge-patch+json"


def spell_names(operators: Iterable[str]) -> dict[str, str]:
    """A name for each operator: small letters, digits and dashes; no two are the same."""
    spelt: dict[str, str] = {}
    taken: set[str] = set()
    for operator in operators:
        name = first = spell(operator)
        number = 1
        while name in taken:
            number += 1
            ending = f"-{number}"
            name = first[: MOST_LETTERS - len(ending)].rstrip("-") + ending
        taken.add(name)
        spelt[operator] = name
    return spelt


def spell(operator: str) -> str:
    """`Source: clicks -> Map` becomes `source-clicks-map`."""
    words = re.sub(r"[^a-z0-9]+", "-", operator.lower()).strip("-")
    return words[:MOST_LETTERS].rstrip("-") or "operator"


def describe_names(spelt: dict[str, str]) -> str:
    """What the names are taken from, and that they may be others."""
    respelt = [f"{operator!r} as {name!r}" for operator, name in spelt.items() if operator != name]
    said = "Each Deployment is taken to have the name of its operator: correct the names that differ."
    return f"{said} Spelt for Kubernetes: {', '.join(respelt)}." if respelt else said
