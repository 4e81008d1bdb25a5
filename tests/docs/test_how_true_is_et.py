"""docs/how-true-is-et.md and its readers take known errors from the generated table."""

import json
import re

from benchmarks.truth_known import OF_QUANTILES, OF_SOJOURN, draw_errors, replace_between
from planner.situations.known_errors import ENTRIES, EVERYWHERE, KNOWN_ERRORS, SCVS
from planner.wording import write_percent
from tests.docs.consoles import read_page

PAGE = read_page("docs/how-true-is-et.md")
BRIEF = " ".join(PAGE.partition("## In short")[2].partition("\n## ")[0].split())
MEASURED = (f"E[T], {EVERYWHERE}", f"E[T], {ENTRIES}")
OWN_QUEUES = ("round-robin", "random", "keyed")


def write_range(arrivals: str, *answers: str, queueings: tuple[str, ...] = ("shared", *OWN_QUEUES)) -> str:
    """The least and the largest known error, as the page has them."""
    errors = [KNOWN_ERRORS[queueing, arrivals][answer] for queueing in queueings for answer in answers]
    return f"{write_percent(min(errors))} to {write_percent(max(errors))}"


def test_the_tables_are_the_generated_ones():
    for begins in ((OF_SOJOURN,), OF_QUANTILES):
        assert f"\n{draw_errors(KNOWN_ERRORS, *begins)}\n\n" in PAGE


def test_the_numbers_in_short_are_those_of_the_tables():
    quantiles = [answer for answer in KNOWN_ERRORS["shared", "calm"] if answer.startswith(OF_QUANTILES)]
    p99 = [answer for answer in quantiles if answer.endswith("p99")]
    shared = "E[T], taken as shared queues, SCVs alone"
    for sentence in (
        f"E[T] comes out {write_range('calm', shared, queueings=OWN_QUEUES)} too short on calm input.",
        f"E[T] errs by {write_range('calm', *MEASURED)} on average. Trust it",
        f"E[T] errs by {write_range('bursty', *MEASURED)} on average, now and then by half",
        f"E[T] misses {write_range('bursty', f'E[T], {SCVS}')} of the truth.",
        f"**Quantiles** on calm input err by {write_range('calm', *quantiles)} on average",
        f"The p99 errs by {write_range('bursty', *p99)} under bursts",
    ):
        assert sentence in BRIEF


def test_the_example_of_an_evidence_has_the_known_error_of_its_kind():
    (written,) = re.findall(r"```json\n(\{\"kind\".*?)```", PAGE, re.DOTALL)
    example = json.loads(written)
    queueing, arrivals = example["kind"].split(", ")
    assert example["known_error"] == KNOWN_ERRORS[queueing, arrivals][MEASURED[1]]


def test_a_text_gets_another_middle():
    assert replace_between("a (b) c", "(", ")", "d") == "a (d) c"
