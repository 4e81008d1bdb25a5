"""The cases that the DRS paper itself shows, from the files that the documentation uses."""

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from planner.plans.optimal import min_latency
from planner.situations.situation import estimate
from planner.values import Edge, Entry, Load, Model, Operator, OperatorLoad, Topology
from planner.wording import write_seconds

ROOT = Path(__file__).parents[3]
CASES = json.loads((ROOT / "tests/golden/drs_figures.json").read_text())["cases"]


def read_example(name: str) -> Any:
    return yaml.safe_load((ROOT / "docs/examples" / name).read_text())  # JSON is YAML


def read_topology(name: str) -> Topology:
    body = read_example(name)
    return Topology(
        tuple(Operator(**row) for row in body["operators"]),
        tuple(Edge(**row) for row in body["edges"]),
        tuple(Entry(**row) for row in body["entries"]),
    )


def read_load(name: str) -> Load:
    body = read_example(name)
    return Load(body["external_rate"], {key: OperatorLoad(**row) for key, row in body["operators"].items()})


def search_all(
    topology: Topology, load: Load, k_max: int, model: Model
) -> list[tuple[float, tuple[int, ...]]]:
    """Every stable way to give all k_max processors away, best first."""
    names = [operator.name for operator in topology.operators]
    found = []
    for counts in product(range(1, k_max + 1), repeat=len(names)):
        if sum(counts) == k_max:
            answer = estimate(topology, load, dict(zip(names, counts, strict=True)), model)
            if answer.expected_sojourn_seconds is not None:
                found.append((answer.expected_sojourn_seconds, counts))
    return sorted(found)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['figure']} {case['model']}")
def test_the_paper_s_allocation_is_the_best_of_all_and_is_found(case: dict[str, Any]) -> None:
    topology, load = read_topology(case["topology"]), read_load(case["load"])
    (best, counts), *_ = search_all(topology, load, case["k_max"], case["model"])
    assert list(counts) == case["processors"]
    plan = min_latency(topology, load, case["k_max"], case["model"])
    assert list(plan.processors.values()) == case["processors"]
    assert plan.estimate.expected_sojourn_seconds == pytest.approx(best, rel=1e-14)


@pytest.mark.parametrize("external_rate", [5.0, 6.0])
@pytest.mark.parametrize(
    ("model", "order"), [("mmk", [(3, 3, 1), (2, 4, 1)]), ("ggk", [(2, 4, 1), (3, 3, 1)])]
)
def test_the_two_models_order_the_two_best_allocations_of_seven_differently(
    external_rate: float, model: Model, order: list[tuple[int, ...]]
) -> None:
    load = replace(read_load("vld/bursty-load.json"), external_rate=external_rate)
    best_two = search_all(read_topology("vld/topology.json"), load, 7, model)[:2]
    assert [counts for _, counts in best_two] == order


@pytest.mark.parametrize("counts", [(8, 12, 2), (11, 9, 2)])
def test_vld_s_other_starting_points_in_fig_8_are_stable_and_slower(counts: tuple[int, ...]) -> None:
    topology, load = read_topology("vld/topology.json"), read_load("vld/load.json")
    found = {counts: expected for expected, counts in search_all(topology, load, 22, "mmk")}
    assert found[counts] > found[10, 11, 1]


def read_table() -> list[tuple[float, Model, str, str]]:
    """The rows of the documentation's table of two models."""
    page = (ROOT / "docs/models/two-models-two-answers.md").read_text()
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if "|" in line
    ]
    return [(float(rate), model, *cells) for rate, model, *cells in rows if rate in {"5", "6"}]  # type: ignore[misc]  # a table of text


@pytest.mark.parametrize(("external_rate", "model", "even", "skewed"), read_table())
def test_the_documentation_s_table_is_what_the_models_say(
    external_rate: float, model: Model, even: str, skewed: str
) -> None:
    load = replace(read_load("vld/bursty-load.json"), external_rate=external_rate)
    best_two = search_all(read_topology("vld/topology.json"), load, 7, model)[:2]
    written: dict[tuple[int, ...], str] = {(3, 3, 1): even, (2, 4, 1): skewed}
    for place, (expected, counts) in enumerate(best_two):
        digits = f"{expected:.4f}"
        assert written[counts] == (f"**{digits}**" if place == 0 else digits)


def test_the_documentation_s_load_is_the_one_in_the_file() -> None:
    page = (ROOT / "docs/models/two-models-two-answers.md").read_text()
    shown = page.split("```json\n")[1].split("```")[0]
    assert json.loads(shown) == read_example("vld/bursty-load.json")


@pytest.mark.parametrize("model", ["mmk", "ggk"])
def test_the_documentation_s_commands_print_what_the_planner_says(model: Model) -> None:
    page = (ROOT / "docs/models/two-models-two-answers.md").read_text()
    plan = min_latency(read_topology("vld/topology.json"), read_load("vld/bursty-load.json"), 7, model)
    assert plan.estimate.expected_sojourn_seconds is not None
    sojourn = write_seconds(plan.estimate.expected_sojourn_seconds)
    assert f"--model {model}\nE[T] {sojourn} with 7 processors at 6 tuples/s ({model})" in page
