"""The verdict says what to do in a person's words."""

from dataclasses import replace

import pytest

from planner.decisions.wording import (
    DecidedNumber,
    Outlook,
    describe_change,
    describe_difference,
    describe_other_terms,
    describe_verdict,
)
from planner.values import TimeTarget

RUNS = {"parse": 5, "score": 15, "join": 8, "store": 4}
FEWER = {"parse": 4, "score": 13, "join": 7, "store": 4}
TARGET = TimeTarget("total", 0.35)
RUN_28 = "Run 28 processors instead of 32: parse 4, score 13, join 7."
SPLIT = "Split the 32 processors another way: parse 6, join 7."
RUN_33 = "Run 33 processors instead of 32: score 16."


@pytest.mark.parametrize(
    ("recommended", "outlook", "said"),
    [
        (
            FEWER,
            Outlook(0.17994, 0.2084, TARGET, 158.2),
            f"{RUN_28} E[T] would go from 180 to 208 ms (both estimated, at 158/s); the target is 350 ms.",
        ),
        (
            FEWER,
            Outlook(0.17994, 0.2084, TARGET, 158.2, is_measured=True),
            f"{RUN_28} E[T] is 180 ms (measured) and would be 208 ms (expected), both at 158/s; the target is 350 ms.",
        ),
        (
            RUNS,
            Outlook(0.18, 0.18, TARGET, 158.2),
            "Keep the 32 processors that run. E[T] is 180 ms (estimated, at 158/s); the target is 350 ms.",
        ),
        (
            RUNS | {"parse": 6, "join": 7},
            Outlook(0.9, 1.2, None, 158.2),
            f"{SPLIT} E[T] would go from 900 ms to 1.2 s (both estimated, at 158/s).",
        ),
        (
            RUNS | {"score": 16},
            Outlook(None, 0.3, TARGET, 158.2),
            f"{RUN_33} Those that run cannot keep up with 158/s; E[T] would be 300 ms; the target is 350 ms.",
        ),
        (
            RUNS,
            Outlook(None, None, None, 158.2),
            "Keep the 32 processors that run. They cannot keep up with 158/s.",
        ),
        (
            RUNS | {"score": 16},
            Outlook(None, None, TimeTarget("completion", 1.0, 0.99), 158.2),
            f"{RUN_33} They cannot keep up with 158/s either; the target is 1 s for p99 of the time to completion.",
        ),
        (
            RUNS,
            Outlook(0.1, 0.1, TimeTarget("total", 1.0, 0.9), 158.2),
            "Keep the 32 processors that run. E[T] is 100 ms (estimated, at 158/s); the target is 1 s for p90.",
        ),
    ],
)
def test_a_verdict_is_what_to_do_and_what_becomes_of_the_time(
    recommended: dict[str, int], outlook: Outlook, said: str
):
    assert describe_verdict(RUNS, recommended, outlook) == said


def test_of_many_operators_ten_are_named():
    runs = {f"o{place}": 1 for place in range(30)}
    said = describe_change(runs, dict.fromkeys(runs, 2))
    assert said.startswith("Run 60 processors instead of 30: o0 2, ")
    assert said.endswith("o9 2 and 20 more.")


def test_a_difference_has_its_reasons_in_order_and_a_rate_only_where_it_differs():
    codes = ("forecast", "below-t-min", "scale-down-window")
    said = describe_difference(22, 158.2, DecidedNumber(28, 185.3, codes, 26))
    assert said == (
        "The 22 processors planned here are the fewest for 158/s. The decision recommends 28: it is made for 185/s, to "
        "which the rate may rise before the next change is possible, and it keeps processors for some time after they "
        "were needed. At 185/s 26 would be enough."
    )
    assert describe_difference(28, 158.2, DecidedNumber(28, 185.3, codes)) == ""
    alike = describe_difference(22, 158.2, DecidedNumber(28, 158.4, ("smoothed", "at-optimum")))
    assert alike.endswith("recommends 28: it rests on earlier measurements.")


def test_other_terms_name_both_targets_and_what_the_decision_does_besides():
    codes = ("forecast", "below-t-min", "scale-down-window")
    decided = DecidedNumber(28, 185.3, codes, 26, TARGET)
    assert describe_other_terms(185.1, 0.25, decided) == (
        "The decision recommends 28 processors for a target of 350 ms at 185/s, to which the measured rate may rise "
        "before the next change is possible, and it keeps processors for some time after they were needed. This "
        "what-if is for a target of 250 ms at 185/s: nothing else counts in it."
    )
    plain = DecidedNumber(28, 158.2, ("smoothed", "at-optimum"))
    assert describe_other_terms(774.0, None, plain) == (
        "The decision recommends 28 processors for the measured 158/s. This what-if is for 774/s."
    )
    both = replace(decided, codes=("smoothed", "within-target", "gain-too-small"))
    assert describe_other_terms(185.1, 0.35, both).endswith("at 185/s: nothing else counts in it.")
