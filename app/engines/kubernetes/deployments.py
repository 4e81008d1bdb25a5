"""The `scale` of one Deployment per operator: a merge patch on its subresource, which kubectl knows since 1.24."""

import shlex

from pydantic import JsonValue

from app.engines.kubernetes.names import MERGE_PATCH, NAMESPACE, describe_names, spell_names
from app.engines.patches import Counts, EnginePatch

NOTES = (
    (
        "One request, or one command, for each operator: none scales all of them at once. What the decision promises "
        "holds when all are sent and the pods serve."
    ),
    "A HorizontalPodAutoscaler or a ScaledObject on the same Deployment would undo this: use one of them only.",
)


def make_patch(counts: Counts) -> EnginePatch:
    """A Scale for each operator, with the commands that send it."""
    names = spell_names(counts)
    path = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/{{metadata.name}}/scale"
    scales: list[JsonValue] = [make_scale(names[operator], count) for operator, count in counts.items()]
    commands = [write_command(names[operator], count) for operator, count in counts.items()]
    return EnginePatch(
        format="kubernetes",
        method="PATCH",
        path=path,
        content_type=MERGE_PATCH,
        body=scales,
        command="\n".join(commands),
        notes=(describe_names(names), *NOTES),
        placeholders=(NAMESPACE, "{metadata.name}"),
    )


def make_scale(name: str, replicas: int) -> dict[str, JsonValue]:
    """The Scale of a Deployment (autoscaling/v1), which is also a merge patch of it."""
    return {
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": {"name": name},
        "spec": {"replicas": replicas},
    }


def write_command(name: str, replicas: int) -> str:
    """The same with kubectl, in its current namespace."""
    patch = shlex.quote(f'{{"spec":{{"replicas":{replicas}}}}}')
    return f"kubectl patch deployment {shlex.quote(name)} --subresource=scale --type=merge -p {patch}"
