"""app/engines/spouts_and_bolts/storm/totals.py: whether a bolt's totals fit the capacity of its busiest executor."""

import pytest
from pydantic import JsonValue

from app.engines.spouts_and_bolts.storm.components import Component, read_components
from app.engines.spouts_and_bolts.storm.pages import sort_answers
from app.engines.spouts_and_bolts.storm.totals import explain_misfit, find_mean_utilisation, fits_capacity
from tests.app.engines.spouts_and_bolts.storm.ui_pages import answer, make_component_page, make_topology_page


def read(*bodies: JsonValue) -> dict[str, Component]:
    return read_components(sort_answers(answer(*bodies)).samples[0])


@pytest.mark.parametrize(
    ("uptime", "bolt", "fits"),
    [
        (149, "parse", True),  # its only executor was up for 149 s
        (301, "parse", False),
        (129, "pi", True),
        (301, "pi", False),
        (220, "blob", True),  # capacity 1.2 at the busiest, 0.9 in the mean
        (301, "fileWrite", True),
    ],
)
def test_totals_fit_over_the_uptime_of_the_executors(uptime: int, bolt: str, *, fits: bool):
    assert fits_capacity(read(make_topology_page(uptime))[bolt]) == fits


def test_executors_with_uptimes_need_no_totals():
    pi = read(make_topology_page(), make_component_page("pi"))["pi"]
    assert (find_mean_utilisation(pi), fits_capacity(pi)) == (None, True)


def test_a_mean_above_the_largest_cannot_be():
    pi = read(make_topology_page(129))["pi"]
    assert "cannot be" in (explain_misfit(pi, 0.9, 0.8) or "")
    assert explain_misfit(pi, 0.9, 0.88) is None
