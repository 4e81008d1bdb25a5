"""Backtests small enough for a test, and what the planner makes of them."""

import math
from typing import Any

import httpx

from planner.vms.backtest import BacktestSetup, run_backtest
from planner.vms.throughput import MstSample
from tests.app.processes import wait_until

# An hour of a rate that rises and falls, and samples of an application that serves about 0.8 per VM.
SMALL: dict[str, Any] = {
    "workload": [
        {
            "at": f"2026-11-18T{minute // 60:02}:{minute % 60:02}:00Z",
            "rate": round(8 + 4 * math.sin(minute / 20)),
        }
        for minute in range(101)
    ],
    "workload_name": "an-hour",
    "mst_samples": [
        {"vms": vms, "throughput": round(vms * each, 2)}
        for vms in (1, 2, 4, 8, 16, 24)
        for each in (0.78, 0.8, 0.83)
    ],
    "policies": ["mst", "mst+ua", "headgate"],
    "seeds": 2,
}
ODD_NAME = "a<b> & $x^2$ 日本"
# Hundreds of short runs: there is always one that is not done yet when the service is ended.
LONG = SMALL | {
    "workload": [
        {"at": f"2026-11-{1 + minute // 1440:02}T{minute // 60 % 24:02}:{minute % 60:02}:00Z", "rate": rate}
        for minute, rate in enumerate(
            8 + 4 * math.sin(minute / 50) + minute * 37 % 11 / 10 for minute in range(3000)
        )
    ],
    "policies": ["0", "1", "3", "headgate"],
    "seeds": 20,
}
LONG_RUNS = 4 * 20


def expect_rows(body: dict[str, Any]) -> list[dict[str, object]]:
    """The rows as the planner computes them, here and undisturbed."""
    samples = tuple(MstSample(one["vms"], one["throughput"]) for one in body["mst_samples"])
    setup = BacktestSetup(
        workload=body["workload_name"],
        app="app",
        rates=tuple(point["rate"] for point in body["workload"]),
        samples=samples,
        train_vms=tuple(sorted({sample.vms for sample in samples})),
        scale_peak=None,
    )
    numbers = [{"mst": "0", "mst+ua": "1"}.get(name, name) for name in body["policies"]]
    return [row.to_row() for row in run_backtest(setup, numbers, body["seeds"])]


def start_backtest(client: httpx.Client, body: dict[str, Any]) -> str:
    """Its address."""
    answer = client.post("/v1/backtests", json=body)
    assert answer.status_code == 202, answer.text
    return answer.headers["Location"]


def read(client: httpx.Client, address: str) -> dict[str, Any]:
    """The backtest at an address."""
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def wait_until_finished(client: httpx.Client, address: str) -> dict[str, Any]:
    """The backtest in its last state."""
    wait_until(lambda: read(client, address)["finished_at"], f"{address} is finished")
    return read(client, address)
