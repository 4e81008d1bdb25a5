"""app/engines/diagnostics.py: tables of diagnostics."""

import pytest

from app.engines.diagnostics import Facts, Finding, Rule, Rules, find_diagnostics
from planner.values import Diagnostic


@pytest.mark.parametrize(
    ("finding", "sentence", "diagnostic"),
    [
        (True, "It is {{odd}}.", Diagnostic("a", "It is {odd}.")),
        (["x", "y", "x"], "Look at {names}.", Diagnostic("a", "Look at x, y.", ("x", "y"))),
        ({"x": "x {1}"}, "{names}: {texts}.", Diagnostic("a", "x: x {1}.", ("x",))),
        (Facts(["x"], seconds=3.14159), "{names} {seconds:.2f}", Diagnostic("a", "x 3.14", ("x",))),
        (Facts(count=0), "{count} of them", Diagnostic("a", "0 of them")),
    ],
)
def test_what_a_condition_finds_fills_the_sentence(finding: Finding, sentence: str, diagnostic: Diagnostic):
    assert find_diagnostics({"a": Rule(lambda _: finding, sentence)}, None) == (diagnostic,)


@pytest.mark.parametrize("nothing", [None, False, [], {}])
def test_a_condition_that_finds_nothing_raises_nothing(nothing: Finding):
    assert find_diagnostics({"a": Rule(lambda _: nothing, "{names}")}, None) == ()


def test_long_lists_of_texts_end_with_how_many_more_there_are():
    rules: Rules[None] = {"a": Rule(lambda _: {name: name for name in "abcdefg"}, "{texts}")}
    assert find_diagnostics(rules, None)[0].detail == "a, b, c, d, e and 2 more"


def test_several_facts_are_several_diagnostics():
    rules: Rules[None] = {"a": Rule(lambda _: [Facts(["x"], odd=1), Facts(["y"], odd=3)], "{names}: {odd}")}
    assert [one.detail for one in find_diagnostics(rules, None)] == ["x: 1", "y: 3"]
