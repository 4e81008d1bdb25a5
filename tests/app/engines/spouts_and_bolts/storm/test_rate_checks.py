"""app/engines/spouts_and_bolts/storm/rate_checks.py: rates and services that are missing or coarse."""

import pytest
from pydantic import JsonValue

from app.engines.spouts_and_bolts.storm.components import read_components
from app.engines.spouts_and_bolts.storm.pages import sort_answers
from app.engines.spouts_and_bolts.storm.rate_checks import check_rates
from planner.values import Diagnostic
from tests.app.engines.spouts_and_bolts.storm.ui_pages import (
    BOLTS,
    answer,
    make_component_page,
    make_topology_page,
)
from tests.app.engines.spouts_and_bolts.storm.wired_pages import make_pages

ROW: dict[str, JsonValue] = {"id": "[1-1]", "uptime": "1m 0s", "executed": 60_000, "executeLatency": "5.000"}


def check(*bodies: JsonValue) -> dict[str, Diagnostic]:
    components = read_components(sort_answers(answer(*bodies)).samples[0])
    return {one.code: one for one in check_rates(list(components.values()), 20.0)}


def check_row(row: dict[str, JsonValue], **page: JsonValue) -> dict[str, Diagnostic]:
    body: dict[str, JsonValue] = {"id": "x", "componentType": "bolt", "window": "600", "executorStats": [row]}
    return check(body | page)


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        ({}, set()),
        ({"executed": 0}, {"nothing-executed"}),
        ({"executed": None}, {"rate-unknown", "service-rate-unknown"}),
        ({"executeLatency": None}, {"service-rate-unknown"}),
        ({"executeLatency": "0.000"}, {"latency-below-resolution"}),
        ({"executeLatency": "0.000", "executed": 40}, {"service-rate-unknown"}),
        ({"executeLatency": "0.010"}, {"latency-coarse"}),  # 3,000 samples × 0.01 ms: 30 ticks, ± 18%
        ({"executeLatency": "0.500"}, set()),
        ({"uptime": None}, {"rate-unknown"}),
        ({"uptime": None, "capacity": "0.500"}, {"uptime-assumed"}),
    ],
)
def test_each_trouble_is_said_once(change: dict[str, JsonValue], codes: set[str]):
    assert set(check_row(ROW | change)) == codes


def test_the_real_run_has_one_coarse_service():
    assert set(check(*[make_component_page(bolt) for bolt in BOLTS])) == {"latency-coarse"}


@pytest.mark.parametrize(
    ("uptime", "change", "why"),
    [
        (149, {}, None),
        (301, {}, "up for 149 s only"),
        (149, {"capacity": "0.100"}, "which cannot be"),
        (149, {"executors": 2, "capacity": "0.183"}, "far more than the mean"),
        (149, {"executors": 2, "capacity": "0.110"}, None),
        (7200, {"window": ":all-time"}, None),
    ],
)
def test_totals_of_the_topologys_page_are_compared_with_the_busiest_executor(
    uptime: int, change: dict[str, JsonValue], why: str | None
):
    page = make_topology_page(uptime) | {"window": change.get("window", "600")}
    bolts = page["bolts"]
    assert isinstance(bolts, list)
    assert isinstance(bolts[0], dict)
    page["bolts"] = [bolts[0] | change]
    said = check(page).get("numbers-disagree")
    assert (said is None) == (why is None)
    assert why is None or (said is not None and why in said.detail)


def test_long_and_unsaid_windows_are_said():
    long = ROW | {"uptime": "2h 0m 0s", "executed": 720_000}
    assert set(check_row(long, window=":all-time")) == {"window-long"}
    assert set(check_row(long, window=None)) == {"window-assumed"}
    assert not check_row(long, window="600")


def test_executors_that_did_not_report_and_pages_of_other_times_are_said():
    assert set(check_row(ROW, executors=3)) == {"executors-missing"}
    page = make_topology_page(149)
    pages = make_component_page("parse")
    rows = pages["executorStats"]
    assert isinstance(rows, list)
    assert isinstance(rows[0], dict)
    rows[0]["executed"] = 20_000
    assert check(page, pages)["pages-differ"].operators == ("parse",)
    assert not check(*[page for name, page in make_pages().items() if name != "spout"])
