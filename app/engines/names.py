"""Names of operators out of an engine's JSON."""

from pydantic import JsonValue

from app.engines.numbers import read_text

LONGEST = 200


def read_name(value: JsonValue) -> str | None:
    """The text as the name of an operator: printable, without white space at its ends, at most 200 characters."""
    text = read_text(value)
    if text is None:
        return None
    printable = "".join(character if character.isprintable() else " " for character in text)
    return printable.strip()[:LONGEST].strip() or None
