"""The scale of Deployments: valid objects, and commands that hold nothing but names and numbers."""

import json
import shlex

from app.engines.kubernetes import make_scale_patch
from tests.app.engines.kubernetes_schemas import check

COUNTS = {"generator": 6, "$(reboot) 'detector'": 13}


def test_every_operator_has_a_scale_that_kubernetes_takes():
    patch = make_scale_patch(COUNTS)
    assert isinstance(patch.body, list)
    for scale in patch.body:
        check(scale)
    assert [(one["metadata"]["name"], one["spec"]["replicas"]) for one in patch.body] == [  # type: ignore[call-overload,index]
        ("generator", 6),
        ("reboot-detector", 13),
    ]
    assert (patch.method, patch.content_type) == ("PATCH", "application/merge-patch+json")
    assert patch.path == "/apis/apps/v1/namespaces/<namespace>/deployments/{metadata.name}/scale"


def test_the_commands_say_the_same():
    command = make_scale_patch(COUNTS).command
    assert command is not None
    words = [shlex.split(line) for line in command.splitlines()]
    assert [(line[3], json.loads(line[-1])) for line in words] == [
        ("generator", {"spec": {"replicas": 6}}),
        ("reboot-detector", {"spec": {"replicas": 13}}),
    ]
    assert all(line[:3] == ["kubectl", "patch", "deployment"] for line in words)
