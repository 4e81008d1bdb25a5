"""Options of a target become the field of a request."""

from typing import Any

import pytest

from app.terminal.commands import Refused
from app.terminal.options import fold_target


@pytest.mark.parametrize(
    ("options", "terms"),
    [
        ({"t_max_seconds": 0.5}, {"t_max_seconds": 0.5}),
        ({"k_max": 3, "target_quantile": None, "target_of": None}, {"k_max": 3}),
        (
            {"t_max_seconds": 0.5, "target_quantile": 0.9},
            {"target": {"of": "completion", "quantile": 0.9, "seconds": 0.5}},
        ),
        (
            {"t_max_seconds": 0.5, "target_quantile": 0.9, "target_of": "total"},
            {"target": {"of": "total", "quantile": 0.9, "seconds": 0.5}},
        ),
        (
            {"t_max_seconds": 0.5, "target_of": "completion"},
            {"target": {"of": "completion", "quantile": None, "seconds": 0.5}},
        ),
    ],
)
def test_options_become_a_target(options: dict[str, Any], terms: dict[str, Any]):
    assert fold_target(options) == terms


def test_a_quantile_without_seconds_is_refused():
    with pytest.raises(Refused, match="need a limit: add --t-max"):
        fold_target({"t_max_seconds": None, "target_quantile": 0.9})
