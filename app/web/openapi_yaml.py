"""The text of openapi.yaml: short lists and objects take one line, and nothing is an anchor."""

from typing import Any, TypeVar

import yaml

LONGEST_LINE = 140

Node = TypeVar("Node", bound=yaml.CollectionNode)


class _ShortDumper(yaml.SafeDumper):
    """Writes a short list or object, and every list of scalars, without line breaks of its own."""

    def ignore_aliases(self, _data: object) -> bool:
        return True

    def represent_sequence(self, *arguments: Any, **settings: Any) -> yaml.SequenceNode:
        return _on_one_line(super().represent_sequence(*arguments, **settings))

    def represent_mapping(self, *arguments: Any, **settings: Any) -> yaml.MappingNode:
        return _on_one_line(super().represent_mapping(*arguments, **settings))


def _represent_float(dumper: yaml.SafeDumper, value: float) -> yaml.Node:
    """A bound such as 1e15 without its zeros."""
    text = f"{value:.1e}" if abs(value) >= 1e6 and float(f"{value:.1e}") == value else repr(value)
    return dumper.represent_scalar("tag:yaml.org,2002:float", text)


_ShortDumper.add_representer(float, _represent_float)


def _on_one_line(node: Node) -> Node:
    node.flow_style = _holds_only_scalars(node) or _measure(node) <= LONGEST_LINE
    return node


def _holds_only_scalars(node: yaml.Node) -> bool:
    return isinstance(node, yaml.SequenceNode) and all(isinstance(one, yaml.ScalarNode) for one in node.value)


def _measure(node: yaml.Node) -> int:
    """About how many characters a node takes on one line."""
    if isinstance(node, yaml.ScalarNode):
        return len(node.value) + 2
    if isinstance(node, yaml.MappingNode):
        return sum(_measure(key) + _measure(value) for key, value in node.value)
    return sum(map(_measure, node.value))


def render_yaml(document: dict[str, Any]) -> str:
    """The document as YAML, in the order of the document."""
    return yaml.dump(document, Dumper=_ShortDumper, sort_keys=False, allow_unicode=True, width=150)
