"""app/engines/spouts_and_bolts/storm/executor_diagnostics.py: executors whose numbers do not fit, or stand out."""

import pytest
from pydantic import JsonValue

from app.engines.diagnostics import find_diagnostics
from app.engines.spouts_and_bolts.storm.components import StormComponent
from app.engines.spouts_and_bolts.storm.executor_diagnostics import RULES, fits
from planner.values import Diagnostic
from tests.app.engines.spouts_and_bolts.storm.ui_pages import BOLTS, make_component_page, read_components
from tests.app.engines.spouts_and_bolts.storm.wired_pages import make_pages


def check_rows(bolts: list[StormComponent]) -> tuple[Diagnostic, ...]:
    return find_diagnostics(RULES, bolts)


def read_bolts(*bolts: str) -> list[StormComponent]:
    pages = [make_component_page(bolt) for bolt in bolts]
    return list(read_components(*pages).values())


def edit_row(bolt: str, place: int, change: dict[str, JsonValue]) -> list[StormComponent]:
    """The bolt with one row changed."""
    page = make_component_page(bolt)
    rows = page["executorStats"]
    assert isinstance(rows, list)
    row = rows[place]
    assert isinstance(row, dict)
    rows[place] = row | change
    return list(read_components(page).values())


def test_every_row_of_the_real_run_fits():
    assert all(fits(row, bolt.window) for bolt in read_bolts(*BOLTS) for row in bolt.rows)


@pytest.mark.parametrize(
    ("change", "odd"),
    [
        ({"capacity": "0.500"}, "capacity"),
        ({"executeLatency": "19.133"}, "execute latency"),
        ({"executed": 6370}, "executed / uptime"),
        ({"uptimeSeconds": 258}, "executed / uptime"),
        ({"capacity": "0.500", "executeLatency": "19.133"}, "unknown which of the four"),
    ],
)
def test_a_row_that_does_not_fit_is_named_with_its_odd_number(change: dict[str, JsonValue], odd: str):
    said = [one for one in check_rows(edit_row("pi", 0, change)) if one.code == "numbers-disagree"]
    assert len(said) == 1
    assert said[0].operators == ("pi",)
    assert "pi [63-63]" in said[0].detail
    assert odd in said[0].detail


def test_the_only_executor_is_compared_with_the_totals():
    page = make_component_page("parse") | {
        "boltStats": [{"window": "600", "executed": 26600, "executeLatency": "1.026", "capacity": "0.183"}]
    }
    rows = page["executorStats"]
    assert isinstance(rows, list)
    assert isinstance(rows[0], dict)
    rows[0]["capacity"] = "0.400"
    bolts = list(read_components(page).values())
    assert "compared with the component's totals, capacity stands out" in check_rows(bolts)[0].detail


def test_counts_of_other_windows_are_not_compared_with_the_capacity_of_ten_minutes():
    page = make_pages()["parse"] | {"window": "10800"}
    rows = page["executorStats"]
    assert isinstance(rows, list)
    assert isinstance(rows[0], dict)
    rows[0]["capacity"] = "0.900"
    bolts = list(read_components(page).values())
    assert not check_rows(bolts)
    page["window"] = "600"
    bolts = list(read_components(page).values())
    assert [one.code for one in check_rows(bolts)] == ["numbers-disagree"]


def test_capacity_above_one_is_a_mean_of_few():
    said = {one.code: one for one in check_rows(read_bolts("table", "pi"))}["capacity-above-one"]
    assert said.operators == ("table",)
    assert "table [73-73] 1.15" in said.detail


def test_idle_and_slow_executors_are_named_with_their_worker():
    """All odd executors of the real run are in one worker, 10.3.0.35:6743."""
    said = {one.code: one for one in check_rows(read_bolts(*BOLTS))}
    assert "blob [35-35] on 10.3.0.35:6743, blob [55-55] on 10.3.0.35:6743" in said["executors-idle"].detail
    assert "table [75-75] on 10.3.0.35:6743 882 ms" in said["executors-slow"].detail
    assert (said["executors-idle"].operators, said["executors-slow"].operators) == (("blob",), ("table",))


def test_a_bolt_that_rests_has_no_idle_executors():
    assert not check_rows(edit_row("parse", 0, {"executed": 0, "executeLatency": "0", "capacity": "0"}))
