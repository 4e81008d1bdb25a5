"""app/engines/spouts_and_bolts/components.py: counts of components that compare."""

from dataclasses import replace

import pytest

from app.engines.spouts_and_bolts.components import cover_same_time
from tests.app.engines.spouts_and_bolts.storm.ui_pages import make_topology_page, read_components


@pytest.mark.parametrize(
    ("covered", "other", "same"),
    [
        (600.0, 600.0, True),
        (600.0, 571.0, True),
        (600.0, 569.0, False),
        (None, 600.0, False),
        (600.0, None, False),
    ],
)
def test_counts_compare_where_they_cover_the_same_time(
    covered: float | None, other: float | None, *, same: bool
):
    bolt = read_components(make_topology_page(301))["fileWrite"]
    source, target = replace(bolt, covered=covered), replace(bolt, covered=other)
    assert cover_same_time(source, target) == same
    assert cover_same_time(target, source) == same
