"""The parameters of a path that was asked."""

from collections.abc import Mapping
from urllib.parse import parse_qsl


def read_parameters(path: str) -> Mapping[str, str]:
    """The parameters after the path's question mark, decoded; of one that stands twice, the first."""
    listed = parse_qsl(path.partition("?")[2], keep_blank_values=True)
    return dict(reversed(listed))
