"""docs/examples/kubernetes: every object is valid, names what the others have, and calls commands that there are."""

from importlib.metadata import version
from typing import Any

import pytest
import yaml
from typer.main import get_group

from app.command_line import cli
from app.engines.kubernetes import KEY_NAME, KedaTerms, make_scaled_object
from app.main import ROUTERS
from app.settings import PREFIX, Settings
from tests.app.engines.kubernetes_schemas import check, find_all
from tests.docs.consoles import ROOT

FOLDER = ROOT / "docs/examples/kubernetes"
OBJECTS: dict[str, dict[str, Any]] = {
    f"{path.name} {document['kind']}": document
    for path in sorted(FOLDER.glob("*.yaml"))
    for document in yaml.safe_load_all(path.read_text())
}
SECRET_KEYS = {"database-url", "api-keys", "writing-key", "reading-key"}
KEY_VARIABLES = {"HEADGATE_API_KEY"}
"""What `headgate bridge` reads beside the settings."""


def find_pod(document: dict[str, Any]) -> dict[str, Any] | None:
    """The template of its pods."""
    spec = document["spec"].get("jobTemplate", document)["spec"]
    template: dict[str, Any] | None = spec.get("template")
    return template


PODS = {name: pod for name, document in OBJECTS.items() if (pod := find_pod(document))}
CONTAINERS = {name: pod["spec"]["containers"][0] for name, pod in PODS.items()}


def test_there_is_one_of_each_kind_that_the_guides_name():
    kinds = sorted(document["kind"] for document in OBJECTS.values())
    assert kinds == [
        "CronJob",
        "Deployment",
        "Deployment",
        "HorizontalPodAutoscaler",
        "ScaledObject",
        "Service",
        "ServiceMonitor",
        "TriggerAuthentication",
    ]


@pytest.mark.parametrize("name", OBJECTS)
def test_the_object_is_valid_by_the_schema_of_its_kind(name: str):
    check(OBJECTS[name])


@pytest.mark.parametrize("name", CONTAINERS)
def test_the_container_calls_a_command_with_options_that_it_has(name: str):
    program, command, *words = CONTAINERS[name]["command"] + CONTAINERS[name].get("args", [])
    assert program == "headgate"
    found = get_group(cli).get_command(None, command)  # type: ignore[arg-type]  # it needs no context
    assert found
    known = {option for parameter in found.params for option in (*parameter.opts, *parameter.secondary_opts)}
    assert {word for word in words if word.startswith("--")} <= known
    found.make_context(command, list(words))


@pytest.mark.parametrize("name", CONTAINERS)
def test_the_container_runs_this_version_as_no_root_and_sets_what_is_read(name: str):
    container = CONTAINERS[name]
    assert container["image"] == f"headgate:{version('headgate')}"
    settings = {PREFIX + field.upper() for field in Settings.model_fields}
    assert {one["name"] for one in container["env"]} <= settings | KEY_VARIABLES
    assert container["resources"]["limits"].keys() == {"memory"}, "a limit of cpu throttles in bursts"
    assert PODS[name]["spec"]["securityContext"]["runAsNonRoot"]
    assert PODS[name]["spec"]["enableServiceLinks"] is False, (
        "Kubernetes would set HEADGATE_PORT to tcp://..."
    )
    assert "USER 10001\n" in (ROOT / "Dockerfile").read_text(), (
        "Kubernetes knows a number only not to be root's"
    )


def test_selectors_find_what_they_should_and_no_more():
    service = OBJECTS["headgate.yaml Service"]
    labels = {name: pod["metadata"]["labels"] for name, pod in PODS.items()}
    for owner in ("headgate.yaml Deployment", "bridge.yaml Deployment"):
        wanted = OBJECTS[owner]["spec"]["selector"]["matchLabels"].items()
        assert [name for name, found in labels.items() if wanted <= found.items()] == [owner]
    selected = service["spec"]["selector"].items()
    assert [name for name, found in labels.items() if selected <= found.items()] == [
        "headgate.yaml Deployment"
    ]
    monitor = OBJECTS["monitoring.yaml ServiceMonitor"]["spec"]
    assert monitor["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
    assert monitor["endpoints"][0]["port"] == service["spec"]["ports"][0]["name"]


def test_ports_and_probes_are_those_of_the_container():
    addresses = {route.path for router in ROUTERS for route in router.routes}  # type: ignore[attr-defined]
    for container in CONTAINERS.values():
        ports = {port["name"] for port in container.get("ports", [])}
        for probe in find_all(container, "httpGet"):
            assert probe["port"] in ports
            assert probe["path"] in addresses
    assert OBJECTS["monitoring.yaml ServiceMonitor"]["spec"]["endpoints"][0]["path"] in addresses
    assert OBJECTS["headgate.yaml Service"]["spec"]["ports"][0]["targetPort"] in {
        port["name"] for port in CONTAINERS["headgate.yaml Deployment"]["ports"]
    }


def test_every_secret_is_one_that_the_first_file_makes():
    made = (FOLDER / "headgate.yaml").read_text()
    assert all(f"--from-literal={key}=" in made for key in SECRET_KEYS)
    documents = list(OBJECTS.values())
    used = [*find_all(documents, "secretKeyRef"), *find_all(documents, "credentials")]
    used += [one for listed in find_all(documents, "secretTargetRef") for one in listed]
    assert {one["name"] for one in used} == {"headgate"}
    assert {one["key"] for one in used} == SECRET_KEYS


def test_the_scaled_object_is_the_one_that_a_patch_gives():
    shown = OBJECTS["keda.yaml ScaledObject"]
    terms = KedaTerms("fpd", None, {"detector": (1, 40)}, needs_key=True)
    assert shown == make_scaled_object("detector", "detector", 13, terms)
    assert OBJECTS["keda.yaml TriggerAuthentication"]["metadata"]["name"] == KEY_NAME
    external = OBJECTS["hpa.yaml HorizontalPodAutoscaler"]["spec"]["metrics"][0]["external"]
    assert external["metric"]["selector"]["matchLabels"].keys() == {"topology", "operator", "kind"}
