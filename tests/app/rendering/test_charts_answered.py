"""Pictures of runs and forecasts: of the right kind and size, the same twice, and true to the numbers."""

import struct
from typing import Any
from xml.etree import ElementTree as ET

import httpx
import numpy as np
import pytest

from tests.app.backtest_examples import ODD_NAME, SMALL, read, start_backtest

SVG = "{http://www.w3.org/2000/svg}"


def draw(client: httpx.Client, address: str, form: str, **choice: Any) -> bytes:
    """The picture, which is the same when it is asked for again."""
    answers = [client.get(address, params=choice, headers={"Accept": form}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200], answers[0].text
    assert answers[0].headers["Content-Type"] == form
    assert answers[0].headers["Vary"] == "Accept"
    assert answers[0].content == answers[1].content
    return answers[0].content


def size_of_png(picture: bytes) -> tuple[int, int]:
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


def read_words(picture: bytes) -> str:
    return " ".join(element.text or "" for element in ET.fromstring(picture).iter(f"{SVG}text"))


def test_a_run_is_drawn_as_png_and_svg(client: httpx.Client, finished: str):
    assert size_of_png(draw(client, f"{finished}/plot", "image/png"))[0] == 1440
    words = read_words(draw(client, f"{finished}/plot", "image/svg+xml", policy="mst", seed=1))
    row = next(row for row in read(client, finished)["rows"] if (row["policy"], row["seed"]) == ("0", 1))
    assert f"0 on {ODD_NAME}, app, seed 1: QoS {row['qos_percent']:.2f}%" in words
    for word in ("workload", "capacity", "VMs", "Backlog", "ground truth", "UTC"):
        assert word in words


def test_the_numbers_behind_the_picture_are_those_of_the_row(client: httpx.Client, finished: str):
    for row in read(client, finished)["rows"]:
        choice = {"policy": row["policy"], "seed": row["seed"]}
        trace = client.get(f"{finished}/plot", params=choice, headers={"Accept": "application/json"}).json()
        rates, capacities = np.array(trace["workload_rates"]), np.array(trace["capacities"])
        assert len(rates) == len(trace["vms"]) == len(trace["backlogs"]) == len(SMALL["workload"])
        assert 100.0 * np.mean(capacities > rates) == row["qos_percent"]
        assert sum(trace["vms"]) / sum(trace["truth_vms"]) == row["cost_to_truth"]
        assert max(trace["backlogs"]) == row["max_backlog"]
        assert trace["start_at"] == "2026-11-18T00:00:00Z"


def test_without_a_wish_there_is_a_png_of_our_own_policy(client: httpx.Client, finished: str):
    plain = client.get(f"{finished}/plot")
    assert plain.headers["Content-Type"] == "image/png"
    assert plain.content == draw(client, f"{finished}/plot", "image/png", policy="headgate", seed=0)


@pytest.mark.parametrize(
    ("choice", "accept", "problem"),
    [
        ({"policy": "7"}, "image/png", (404, "unknown-run")),
        ({"seed": 2}, "image/png", (404, "unknown-run")),
        ({}, "text/html", (406, "not-acceptable")),
        ({"seed": -1}, "image/png", (422, "invalid-request")),
    ],
)
def test_what_there_is_no_picture_of_is_a_problem(
    client: httpx.Client, finished: str, choice: dict[str, Any], accept: str, problem: tuple[int, str]
):
    refused = client.get(f"{finished}/plot", params=choice, headers={"Accept": accept})
    assert (refused.status_code, refused.json()["type"]) == problem


def test_a_run_that_is_not_done_has_no_picture_yet(idle_client: httpx.Client):
    early = idle_client.get(f"{start_backtest(idle_client, SMALL)}/plot")
    assert (early.status_code, early.json()["type"]) == (409, "run-not-finished")
    assert early.json()["state"] == "queued"


def test_a_forecast_is_drawn_as_png_and_svg(client: httpx.Client, measured: str):
    address = f"/v1/topologies/{measured}/forecasts/workload"
    assert size_of_png(draw(client, address, "image/png", window_steps=100))[0] == 1440
    words = read_words(draw(client, address, "image/svg+xml", level=0.8, model="arma"))
    for word in (measured, "next 30 steps by ARMA(", "80% interval", "measured", "expected"):
        assert word in words
