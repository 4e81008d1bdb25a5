"""app/engines/topologies.py: operators that were measured under the labels of Prometheus."""

import pytest

from app.engines.topologies import name_as_stored
from app.load.bodies.load import LoadBody, OperatorLoadBody


def rename(measured: list[str], known: list[str]) -> list[str]:
    """The names of a load after renaming."""
    load = LoadBody(external_rate=1.0, operators={name: OperatorLoadBody() for name in measured})
    return list(name_as_stored([load], known)[0].operators)


@pytest.mark.parametrize(
    ("measured", "known", "names"),
    [
        (["Source:_clicks", "parse"], ["Source: clicks", "parse"], ["Source: clicks", "parse"]),
        (["a_b"], ["a b", "a-b"], ["a_b"]),  # either may be meant
        (["a_b"], ["a_b", "a b"], ["a_b"]),
        (["x" * 80], ["x" * 100], ["x" * 100]),
        (["x" * 79], ["x" * 100], ["x" * 79]),
        (["other"], ["parse"], ["other"]),
    ],
)
def test_a_label_stands_for_the_one_name_that_it_fits(
    measured: list[str], known: list[str], names: list[str]
):
    assert rename(measured, known) == names
