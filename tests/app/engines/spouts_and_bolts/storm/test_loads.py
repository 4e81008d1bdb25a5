"""app/engines/spouts_and_bolts/storm/loads.py: the measured load of bolts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from app.engines.spouts_and_bolts.storm.components import read_components
from app.engines.spouts_and_bolts.storm.loads import build_operator_load, find_service_seconds, name_instance
from app.engines.spouts_and_bolts.storm.pages import sort_answers
from app.engines.spouts_and_bolts.storm.rates import Offered
from app.load.bodies.load import OperatorLoadBody
from tests.app.engines.spouts_and_bolts.storm.ui_pages import (
    BOLTS,
    JsonObject,
    answer,
    make_component_page,
    read_table,
)


def load_of(page: JsonObject) -> OperatorLoadBody:
    bolt = read_components(sort_answers(answer(page)).samples[0])[str(page["id"])]
    return build_operator_load(bolt, Offered(bolt.executed_rate, "executed"), 20.0)


@pytest.mark.parametrize("bolt", BOLTS)
def test_utilisation_is_the_mean_capacity_that_storm_printed(bolt: str):
    """Within 1% for every bolt of the real run; fileWrite prints one digit only."""
    load = load_of(make_component_page(bolt))
    capacities = [float(row["Capacity (last 10m)"]) for row in read_table(bolt)]
    assert load.arrival_rate is not None
    assert load.service_rate is not None
    assert load.processors == len(capacities)
    mean = sum(capacities) / len(capacities)
    assert load.arrival_rate / load.service_rate / load.processors == pytest.approx(
        mean, rel=0.01, abs=0.0005
    )


@st.composite
def draw_executors(draw: st.DrawFn) -> list[JsonObject]:
    """Executors with the capacity that Storm computes for them, StatsUtil.computeAggCapacity."""
    rows: list[JsonObject] = []
    for task in range(draw(st.integers(1, 8))):
        executed, uptime = 20 * draw(st.integers(0, 5000)), draw(st.integers(30, 100_000))
        latency = draw(st.integers(1000, 500_000)) / 1000.0
        rows.append(
            {
                "id": f"[{task}-{task}]",
                "uptimeSeconds": uptime,
                "executed": executed,
                "executeLatency": f"{latency:.3f}" if executed else "0",
                "capacity": f"{executed * latency / (1000 * min(uptime, 600)):.3f}",
            }
        )
    return rows


@given(rows=draw_executors())
def test_utilisation_is_storms_capacity_for_any_executors(rows: list[JsonObject]):
    load = load_of({"id": "x", "window": "600", "componentType": "bolt", "executorStats": list(rows)})
    capacities = [float(str(row["capacity"])) for row in rows]
    rates = [int(str(row["executed"])) / min(int(str(row["uptimeSeconds"])), 600) for row in rows]
    assert load.arrival_rate == pytest.approx(sum(rates))
    if any(rates):
        assert load.service_rate is not None
        counts = [int(str(row["executed"])) for row in rows]
        busy = [
            count * float(str(row["executeLatency"])) / 1000 for count, row in zip(counts, rows, strict=True)
        ]
        assert load.service_rate == pytest.approx(sum(counts) / sum(busy))
    if len({str(row["uptimeSeconds"]) for row in rows}) == 1 and any(rates):
        mean = sum(capacities) / len(rows)
        assert sum(rates) / (load.service_rate or 0.0) / len(rows) == pytest.approx(mean, abs=0.0006)
        assert sum(one.share for one in load.instances) == pytest.approx(1.0)


def test_shares_are_those_of_executed_tuples_and_idle_executors_have_none():
    blob = load_of(make_component_page("blob"))
    assert (blob.processors, len(blob.instances)) == (40, 38)
    assert sum(one.share for one in blob.instances) == pytest.approx(1.0)
    assert blob.instances[0].instance == "[26-26] 10.3.0.22:6711"


def test_an_executor_that_does_not_say_leaves_all_shares_unknown():
    page = make_component_page("pi")
    rows = page["executorStats"]
    assert isinstance(rows, list)
    page["executorStats"] = [*rows[1:], {"id": "[63-63]"}]
    load = load_of(page)
    assert (load.instances, load.arrival_rate, load.processors) == ([], None, 4)


def test_executors_of_one_name_or_too_many_for_a_load_have_no_shares():
    row: JsonObject = {"uptime": "1m 0s", "executed": 60, "executeLatency": "1.000"}
    page: JsonObject = {"id": "x", "window": "600", "componentType": "bolt"}
    twins: list[JsonValue] = [{**row, "id": "a\t"}, {**row, "id": "a\n"}]
    assert not load_of(page | {"executorStats": twins}).instances
    many: list[JsonValue] = [{**row, "id": f"[{task}-{task}]"} for task in range(10_001)]
    load = load_of(page | {"executorStats": many})
    assert (load.instances, load.processors) == ([], 10_001)


@pytest.mark.parametrize(
    ("executed", "latency", "seconds"),
    [
        (1000, "2.500", 0.0025),
        (60_000, "0.000", 0.001e-0 * 3 / 3000),  # 3,000 samples of 0 ms: the mean is below 3/3000 ms
        (20_000_000, "0.000", 0.0000005),  # what prints as 0.000 is below 0.0005 ms
        (400, "0.000", None),  # 20 samples say nothing
        (0, "0", None),
        (1000, None, None),
        (0, "5.000", 0.005),
    ],
)
def test_a_service_of_0_ms_is_bounded_by_its_samples(
    executed: int, latency: JsonValue, seconds: float | None
):
    row: JsonValue = {"id": "[1-1]", "uptime": "1m 0s"}
    totals: JsonValue = {"window": "600", "executed": executed, "executeLatency": latency}
    page: JsonObject = {"id": "x", "window": "600", "executorStats": [row], "boltStats": [totals]}
    bolt = read_components(sort_answers(answer(page)).samples[0])["x"]
    found = find_service_seconds(bolt, 20.0)
    assert found == (None if seconds is None else pytest.approx(seconds))


def test_the_name_of_an_instance_is_printable():
    assert name_instance(" [1-1]\n", "a:1") == "[1-1]? a:1"
    assert name_instance("", None) == "executor"
    assert len(name_instance("x" * 500, "y")) == 200
