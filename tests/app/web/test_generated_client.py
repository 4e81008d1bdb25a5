"""A client that openapi-python-client makes from openapi.yaml: readable names, and it calls the running service."""

import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from tests.app.processes import Service

DOCUMENT = Path(__file__).parents[3] / "openapi.yaml"
GENERATOR = Path(sys.executable).parent / "openapi-python-client"
PACKAGE = "headgate_client"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of the generated package, which can be imported."""
    folder = tmp_path_factory.mktemp("client")
    configuration = folder / "configuration.yaml"
    configuration.write_text("post_hooks: []\n")
    ended = subprocess.run(
        [
            *(GENERATOR, "generate", "--meta", "none", "--fail-on-warning", "--path", DOCUMENT),
            *("--output-path", folder / PACKAGE, "--config", configuration),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield folder / PACKAGE


def find_module(package: Path, pattern: str) -> ModuleType:
    [path] = package.glob(f"{pattern}.py")
    return importlib.import_module(".".join(path.relative_to(package.parent).with_suffix("").parts))


def make(package: Path, model: str, value: object) -> Any:
    """A body of the client from plain JSON."""
    module = re.sub(r"(?<!^)(?=[A-Z])", "_", model).lower()
    return getattr(find_module(package, f"models/{module}"), model).from_dict(value)


def call(package: Path, operation: str, client: object, **arguments: object) -> Any:
    """What the client's function for this operation returns, which must not be a problem."""
    answer = find_module(package, f"api/*/{operation}").sync(client=client, **arguments)
    assert answer is not None, operation
    assert type(answer).__name__ != "Problem", answer
    return answer


def test_the_functions_of_the_client_are_a_verb_and_few_words(package: Path):
    names = [path.stem for path in package.glob("api/*/*.py") if path.stem != "__init__"]
    assert len(names) == len(set(names)) >= 60
    for name in names:
        assert re.fullmatch(r"[a-z]+(_[a-z]+){0,4}", name), name
        assert not re.search(r"v1|_(get|post|put|delete)$", name), name


def test_the_models_of_the_client_are_named_as_the_document_says(package: Path):
    names = {path.stem for path in package.glob("models/*.py")}
    assert {
        "topology",
        "load",
        "estimate",
        "plan",
        "policy",
        "decision",
        "recommendation",
        "gate",
        "problem",
    } <= names
    assert not [name for name in names if re.search(r"^app_|_(input|output|answer)$", name)]


def test_the_client_creates_measures_estimates_plans_and_decides(package: Path, service: Service, name: str):
    described = {"topology": FPD, "load": FPD_LOAD}
    policy = {"goal": {"t_max_seconds": 0.08}, "max_snapshot_age_seconds": 1e9}
    with find_module(package, "client").Client(base_url=service.url, timeout=60) as client:

        def ask(operation: str, model: str, body: object, **arguments: object) -> Any:
            return call(package, operation, client, body=make(package, model, body), **arguments)

        created = ask("create_topology", "TopologyBody", FPD | {"name": name})
        assert (created.name, created.revision) == (name, 1)
        ask("store_snapshots", "SnapshotBody", FPD_LOAD, name=name)
        estimate = ask("estimate", "EstimateRequest", described)
        plan = ask("plan_min_latency", "MinLatencyRequest", described | {"k_max": 22})
        assert plan.expected_sojourn_seconds <= estimate.expected_sojourn_seconds
        ask("put_policy", "PolicyBody", policy, name=name)
        decision = ask("decide", "DecisionRequest", {}, name=name)
    assert decision.action in {"hold", "scale_up", "scale_down", "rebalance"}
    assert decision.processors.current.to_dict() == {"generator": 6, "detector": 13, "reporter": 3}
