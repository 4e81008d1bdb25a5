"""app/engines/spouts_and_bolts/storm/components.py: whether totals fit the capacity of the busiest executor."""

from dataclasses import replace

import pytest

from tests.app.engines.spouts_and_bolts.storm.ui_pages import (
    make_component_page,
    make_topology_page,
    read_components,
)


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
    assert read_components(make_topology_page(uptime))[bolt].fits_capacity == fits


def test_executors_with_uptimes_need_no_totals():
    pi = read_components(make_topology_page(), make_component_page("pi"))["pi"]
    assert (pi.mean_utilisation, pi.fits_capacity) == (None, True)


@pytest.mark.parametrize(
    ("capacity", "misfit"),
    [
        ("0.800", "impossible"),
        ("0.947", None),
        ("0.860", None),
        ("1.600", "far more than the mean"),
        ("1.300", None),
    ],
)
def test_the_capacity_of_the_busiest_is_the_mean_or_somewhat_more(capacity: str, misfit: str | None):
    """Executors of pi were busy for 0.906 of 129 s."""
    pi = read_components(make_topology_page(129))["pi"]
    found = replace(pi, totals={**pi.totals, "capacity": capacity}).misfit
    assert (found is None) == (misfit is None)
    assert misfit is None or misfit in (found or "")
