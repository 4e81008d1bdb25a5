"""The Helm chart: rendered by Helm, valid by the schemas of Kubernetes, and true to the settings and the image."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_group

from app.command_line import cli
from app.settings import PREFIX, Settings
from app.web.health import listener_router
from tests.app.engines.kubernetes_schemas import check, find_all

ROOT = Path(__file__).parents[2]
CHART = ROOT / "tools" / "helm" / "headgate"
SEARCHED = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
CLIENTS = [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "keda"}}}]
ALL_VALUES = {
    "image": {"repository": "registry.example/headgate", "digest": "sha256:" + 64 * "a"},
    "imagePullSecrets": [{"name": "registry"}],
    "replicas": 3,
    "workers": 4,
    "secret": {"name": "other", "databaseUrl": "url", "apiKeys": "keys", "readingKey": "reader"},
    "settings": {"HEADGATE_LOG_LEVEL": "warning", "HEADGATE_SHUTDOWN_GRACE_SECONDS": "90"},
    "service": {"type": "LoadBalancer", "port": 80},
    "podDisruptionBudget": {"minAvailable": "50%"},
    "networkPolicy": {
        "clients": CLIENTS,
        "database": {"peers": [{"ipBlock": {"cidr": "10.0.0.7/32"}}], "port": 6432},
    },
    "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
    "podAnnotations": {"a.example/b": "c"},
    "podLabels": {"team": "streams"},
    "nodeSelector": {"kubernetes.io/arch": "amd64"},
    "tolerations": [{"key": "dedicated", "operator": "Exists"}],
    "affinity": {"nodeAffinity": {}},
    "priorityClassName": "high",
}
FEWEST_VALUES = {
    "replicas": 1,
    "podDisruptionBudget": {"enabled": False},
    "networkPolicy": {"enabled": False},
    "podAnnotations": {},
}
Render = Callable[..., dict[str, dict[str, Any]]]


def run_helm(*words: str, values: dict[str, Any] | None = None) -> "subprocess.CompletedProcess[str]":
    helm = shutil.which("helm", path=SEARCHED)
    assert helm, "there is no helm on the PATH: only for Linux on x86-64 a package brings it; see helm.sh"
    return subprocess.run(
        [helm, *words, "--values", "-"],
        input=yaml.safe_dump(values or {}),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture(scope="module")
def render() -> Render:
    def render_chart(
        values: dict[str, Any] | None = None, release: str = "flow"
    ) -> dict[str, dict[str, Any]]:
        ended = run_helm("template", release, str(CHART), values=values)
        assert ended.returncode == 0, ended.stderr
        return {one["kind"]: one for one in yaml.safe_load_all(ended.stdout) if one}

    return render_chart


@pytest.fixture(scope="module")
def objects(render: Render) -> dict[str, dict[str, Any]]:
    return render(ALL_VALUES)


def find_pod(objects: dict[str, dict[str, Any]]) -> dict[str, Any]:
    pod: dict[str, Any] = objects["Deployment"]["spec"]["template"]
    return pod


def read_environment(container: dict[str, Any]) -> dict[str, str]:
    return {one["name"]: one["value"] for one in container["env"] if "value" in one}


def test_helm_finds_nothing_to_complain_of():
    ended = run_helm("lint", "--strict", str(CHART))
    assert ended.returncode == 0, ended.stdout


@pytest.mark.parametrize("values", [{}, FEWEST_VALUES, ALL_VALUES], ids=["default", "fewest", "all"])
def test_every_object_is_valid_by_the_schema_of_its_kind(render: Render, values: dict[str, Any]):
    for one in render(values).values():
        check(one)


def test_what_is_switched_off_is_not_there(render: Render, objects: dict[str, dict[str, Any]]):
    always = {"Deployment", "Service"}
    assert render(FEWEST_VALUES).keys() == always
    assert render().keys() == always | {"PodDisruptionBudget", "NetworkPolicy"}
    assert objects.keys() == always | {"PodDisruptionBudget", "NetworkPolicy", "ServiceMonitor"}
    assert "PodDisruptionBudget" not in render({"replicas": 1}), "it would keep its node from being drained"


def test_the_version_is_that_of_the_package_and_a_digest_counts_more(
    render: Render, objects: dict[str, dict[str, Any]]
):
    [image] = {one["image"] for one in find_all(render(), "containers") for one in one}
    assert image == f"headgate:{version('headgate')}"
    pod = find_pod(objects)["spec"]
    for container in (*pod["initContainers"], *pod["containers"]):
        assert container["image"] == "registry.example/headgate@sha256:" + 64 * "a"


def test_containers_have_no_privilege_and_write_to_two_folders(objects: dict[str, dict[str, Any]]):
    pod = find_pod(objects)["spec"]
    assert pod["securityContext"]["runAsNonRoot"]
    assert f"USER {pod['securityContext']['runAsUser']}\n" in (ROOT / "Dockerfile").read_text()
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert (pod["automountServiceAccountToken"], pod["enableServiceLinks"]) == (False, False)
    for container in (*pod["initContainers"], *pod["containers"]):
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert container["resources"]["limits"].keys() == {"memory"}, "a limit of cpu throttles in bursts"
        assert {one["mountPath"] for one in container["volumeMounts"]} == {"/tmp", "/var/lib/headgate/.cache"}
    assert all(one["emptyDir"]["sizeLimit"] for one in pod["volumes"])


def test_containers_call_commands_and_set_what_is_read(objects: dict[str, dict[str, Any]]):
    pod = find_pod(objects)["spec"]
    [migrate], [serve] = pod["initContainers"], pod["containers"]
    assert [migrate["command"], serve["command"]] == [["headgate", "migrate"], ["headgate", "serve"]]
    assert {"migrate", "serve"} <= get_group(cli).commands.keys()
    assert [one["name"] for one in migrate["env"]] == ["HEADGATE_DATABASE_URL"]
    names = [one["name"] for one in serve["env"]]
    assert len(names) == len(set(names))
    assert set(names) <= {PREFIX + field.upper() for field in Settings.model_fields}
    given = {name.removeprefix(PREFIX).lower(): value for name, value in read_environment(serve).items()}
    settings = Settings.model_validate(given)
    assert (settings.workers, settings.log_level) == (4, "warning")
    assert pod["terminationGracePeriodSeconds"] > settings.shutdown_grace_seconds + 5
    ports = {one["name"]: one["containerPort"] for one in serve["ports"]}
    assert ports == {"http": settings.port, "health": settings.health_port}


def test_probes_and_monitor_ask_the_health_port_for_what_it_answers(objects: dict[str, dict[str, Any]]):
    answered = {route.path for route in listener_router.routes}  # type: ignore[attr-defined]
    probes = list(find_all(objects["Deployment"], "httpGet"))
    assert [probe["port"] for probe in probes] == ["health"] * 3
    assert {probe["path"] for probe in probes} == answered
    service = {one["name"]: one for one in objects["Service"]["spec"]["ports"]}
    assert {name: one["targetPort"] for name, one in service.items()} == {"http": "http", "health": "health"}
    assert service["http"]["port"] == 80
    [endpoint] = objects["ServiceMonitor"]["spec"]["endpoints"]
    assert (endpoint["port"], endpoint["path"]) == ("health", "/metrics")


def test_every_secret_is_the_one_that_the_values_name(objects: dict[str, dict[str, Any]]):
    everything = list(objects.values())
    used = [*find_all(everything, "secretKeyRef"), *find_all(everything, "credentials")]
    assert {one["name"] for one in used} == {"other"}
    assert {one["key"] for one in used} == {"url", "keys", "reader"}


def test_selectors_find_the_pods_of_this_release_alone(render: Render, objects: dict[str, dict[str, Any]]):
    labels, others = (
        find_pod(one)["metadata"]["labels"].items() for one in (objects, render(release="other"))
    )
    selectors = [
        objects["Deployment"]["spec"]["selector"]["matchLabels"],
        objects["Service"]["spec"]["selector"],
        objects["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
        objects["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"],
    ]
    for selector in selectors:
        assert selector.items() <= labels
        assert not selector.items() <= others
    assert "app.kubernetes.io/version" not in selectors[0], "a selector cannot change with an upgrade"
    monitored = objects["ServiceMonitor"]["spec"]["selector"]["matchLabels"].items()
    assert monitored <= objects["Service"]["metadata"]["labels"].items()


def test_the_network_policy_lets_in_clients_and_lets_out_to_the_database(objects: dict[str, dict[str, Any]]):
    found = objects["NetworkPolicy"]["spec"]
    calls, checks = found["ingress"]
    assert calls == {"ports": [{"protocol": "TCP", "port": "http"}], "from": CLIENTS}
    assert checks["ports"] == [{"protocol": "TCP", "port": "health"}]
    names, database = found["egress"]
    assert {one["port"] for one in names["ports"]} == {53}
    assert database == {
        "ports": [{"protocol": "TCP", "port": 6432}],
        "to": [{"ipBlock": {"cidr": "10.0.0.7/32"}}],
    }


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"replica": 3}, "replica"),
        ({"settings": {"HEADGATE_PORT": "9"}}, "settings"),
        ({"settings": {"HEADGATE_API_KEYS": "a=secret"}}, "settings"),
        ({"image": {"digest": "latest"}}, "digest"),
        ({"workers": 0}, "workers"),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused(values: dict[str, Any], said: str):
    ended = run_helm("template", "flow", str(CHART), values=values)
    assert ended.returncode != 0
    assert said in ended.stderr


@pytest.mark.parametrize(
    ("release", "name"),
    [("headgate", "headgate"), ("flow", "flow-headgate"), ("a" * 53, "a" * 53 + "-headgate")],
)
def test_names_have_headgate_in_them_once_and_fit(render: Render, release: str, name: str):
    assert {one["metadata"]["name"] for one in render(release=release).values()} == {name}
    assert len(name) <= 63
