"""The formulas and the worked examples of docs/models are what the planner computes."""

import re
from math import exp, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.allocation.allocate import EvenSplit
from planner.queueing.erlang import wait_seconds
from planner.queueing.stations import Stations
from planner.queueing.waiting_models import FLOATS, evaluate_variability, weigh_operator
from tests.docs.consoles import read_page

EXTERNAL_RATE = 200.0
RATES = {"parse": (200.0, 100.0), "score": (200.0, 40.0), "alert": (20.0, 50.0)}
"""Arrival and service rates of the topology of docs/getting-started.md."""
ROWS = re.findall(
    r"^\| (\w+) \| (\d+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) ms \|$",
    read_page("docs/models/allocation.md"),
    re.MULTILINE,
)


@pytest.mark.parametrize(("name", "count", "wait_ms", "gain", "shorter_ms"), ROWS)
def test_the_gains_of_the_allocation_page(name: str, count: str, wait_ms: str, gain: str, shorter_ms: str):
    arrival_rate, service_rate = RATES[name]
    before, after = (
        wait_seconds(arrival_rate, service_rate, k, 1.0, 1.0, "ggk-whitt")
        for k in (int(count), int(count) + 1)
    )
    assert float(wait_ms) == pytest.approx(1e3 * before, abs=6e-4)
    assert float(gain) == pytest.approx(arrival_rate * (before - after), abs=6e-4)
    assert float(shorter_ms) == pytest.approx(1e3 * arrival_rate * (before - after) / EXTERNAL_RATE, abs=6e-3)


def test_the_allocation_page_has_its_rows():
    assert [row[0] for row in ROWS] == ["parse", "parse", "score", "score", "alert"]


def test_the_worked_example_of_the_queueing_page():
    [shown] = re.findall(r"= ([\d.]+) ms\. The sojourn is [\d.]+ \+ 10", read_page("docs/models/queueing.md"))
    assert float(shown) == pytest.approx(1e3 * wait_seconds(200.0, 100.0, 3, 1.0, 1.0, "mmk"), abs=5e-4)


@given(
    st.floats(0.05, 0.99), st.floats(0.01, 4.0), st.floats(0.01, 4.0), st.integers(min_value=1, max_value=60)
)
def test_whitts_factor_as_the_queueing_page_writes_it(rho: float, a: float, s: float, k: int):
    spare = (1 - rho) / rho
    gamma = min(0.24, spare * (k - 1) * (sqrt(4 + 5 * k) - 2) / (16 * k))
    phi1, phi3 = 1 + gamma, (1 - 4 * gamma) * exp(-2 * spare / 3)
    psi = min(1, (phi1 + phi3) / 2) ** max(0, 2 - a - s)
    if a >= s:
        phi = 4 * (a - s) / (4 * a - 3 * s) * phi1 + s / (4 * a - 3 * s) * psi
    else:
        phi = (s - a) / (2 * (a + s)) * phi3 + (s + 3 * a) / (2 * (a + s)) * psi
    v = evaluate_variability(weigh_operator("ggk-whitt", a, s), (1.0 - rho) / rho, k, FLOATS)
    assert v == pytest.approx(phi * (a + s) / 2, rel=1e-9)


def test_the_wait_of_own_queues_as_the_queueing_page_writes_it():
    stations = Stations([100.0], [30.0], [1.0], [3.0], [1], [50])
    offered = 100.0 / 30.0
    expected = 100.0 * (1 + 3.0) / 2 * offered / (30.0 * (5 - offered))
    assert EvenSplit.prepare(stations).waiting([5]) == pytest.approx(expected, rel=1e-12)
