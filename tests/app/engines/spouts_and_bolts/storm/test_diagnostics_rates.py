"""app/engines/spouts_and_bolts/storm/diagnostics.py: rates and services that are missing, coarse or contradictory."""

import pytest
from pydantic import JsonValue

from planner.values import Diagnostic
from tests.app.engines.spouts_and_bolts.storm.ui_pages import (
    BOLTS,
    diagnose,
    make_component_page,
    make_topology_page,
)
from tests.app.engines.spouts_and_bolts.storm.wired_pages import make_pages

ROW: dict[str, JsonValue] = {"id": "[1-1]", "uptime": "1m 0s", "executed": 60_000, "executeLatency": "5.000"}


RATE_CODES = {
    "rate-unknown",
    "nothing-executed",
    "service-rate-unknown",
    "latency-below-resolution",
    "latency-coarse",
    "numbers-disagree",
    "uptime-assumed",
    "window-assumed",
    "window-long",
    "executors-missing",
    "pages-differ",
}


def check(*bodies: JsonValue) -> dict[str, Diagnostic]:
    """The diagnostics of rates and service times."""
    return {code: one for code, one in diagnose(*bodies).items() if code in RATE_CODES}


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
        (301, {}, "had run for only 2.49 min"),
        (149, {"capacity": "0.100"}, "which is impossible"),
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


@pytest.mark.parametrize(
    ("latency", "is_coarse"),
    [
        ("0.030", True),  # 3,000 samples × 0.03 ms: 90 ticks, ± 10.5%
        ("0.033", True),
        ("0.034", False),
        ("0.999", False),
        ("1.000", False),
    ],
)
def test_a_mean_is_coarse_where_its_error_is_above_a_tenth(latency: str, *, is_coarse: bool):
    said = check_row(ROW | {"executeLatency": latency}).get("latency-coarse")
    assert (said is not None) == is_coarse
    few = check_row(ROW | {"executed": 100, "executeLatency": "1.000"})
    assert "latency-coarse" not in few  # from 1 ms on the clock tells enough


@pytest.mark.parametrize(
    ("uptime", "window", "code"),
    [
        ("2h 0m 0s", ":all-time", "window-long"),
        ("2h 0m 0s", "10800", "window-long"),
        ("2h 0m 0s", "86400", "window-long"),
        ("20m 1s", ":all-time", "window-long"),
        ("20m 0s", ":all-time", None),  # twice ten minutes still tell the present
        ("2h 0m 0s", "600", None),
        ("2h 0m 0s", None, "window-assumed"),
        ("10m 1s", None, "window-assumed"),
        ("10m 0s", None, None),
    ],
)
def test_long_and_missing_windows_are_said(uptime: str, window: str | None, code: str | None):
    row = ROW | {"uptime": uptime, "executed": 720_000}
    assert set(check_row(row, window=window)) == ({code} if code else set())


def test_executors_that_did_not_report_are_said():
    assert set(check_row(ROW, executors=3)) == {"executors-missing"}
    assert not check_row(ROW, executors=1)


@pytest.mark.parametrize(
    ("total", "code"),
    [
        (63_158, "pages-differ"),  # the executors have 5.0003% fewer than the totals
        (63_157, None),
        (56_999, "pages-differ"),
        (57_000, None),
        (0, None),
        (None, None),
    ],
)
def test_totals_of_other_times_are_said(total: int | None, code: str | None):
    totals: JsonValue = {"window": "600", "executed": total}
    assert set(check_row(ROW, boltStats=[totals])) == ({code} if code else set())


def test_the_wired_pages_have_no_trouble_with_rates():
    assert not check(*[page for name, page in make_pages().items() if name != "spout"])
