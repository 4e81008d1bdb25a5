"""The text of openapi.yaml reads back as the document, in any shape, and keeps short parts on one line."""

from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from app.pages.openapi_document import render_yaml

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="ascii", categories=["L", "N", "P", "Zs"]), max_size=150)
)
DOCUMENTS = st.dictionaries(
    st.text("abc$_", min_size=1, max_size=9),
    st.recursive(
        LEAVES,
        lambda inner: (
            st.lists(inner, max_size=6) | st.dictionaries(st.text("abcXY-", max_size=30), inner, max_size=6)
        ),
        max_leaves=30,
    ),
    max_size=5,
)


@given(DOCUMENTS)
def test_the_text_reads_back_as_the_document(document: dict[str, Any]):
    assert yaml.load(render_yaml(document), yaml.CSafeLoader) == document


def test_what_stands_twice_is_written_twice_and_short_parts_take_one_line():
    shared = {"type": "number", "maximum": 1e15}
    text = render_yaml(
        {"first": shared, "second": shared, "names": [f"name{number}" for number in range(250)]}
    )
    line = "{type: number, maximum: 1.0e+15}"
    assert text.startswith(f"first: {line}\nsecond: {line}\nnames: [")
    assert "&" not in text


def test_bounds_are_written_with_an_exponent_and_a_list_of_flat_objects_fills_its_lines():
    text = render_yaml({"minimum": 1e-15, "rates": [{"at": minute, "rate": 8} for minute in range(100)]})
    assert text.startswith("minimum: 1.0e-15\nrates: [{at: 0, rate: 8}, {at: 1, rate: 8}, ")
