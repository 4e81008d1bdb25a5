"""How many services are under way at once."""

import pytest

from tests.ingest import reference
from tests.ingest.stored import Found
from tests.ingest.window_logs import make_pool, rename


def test_a_name_that_serves_several_at_once_is_several(minutes: Found):
    """As many processors as were busy at once."""
    expected = reference.summarise_operators(rename(make_pool(), "pool"), 60)
    for row in minutes["pool"]["operator_summaries"]:
        most = expected["pool", "o", int(row["window_start"].timestamp()) // 60]["most_busy"]
        assert (row["instances"], row["processors_basis"]) == (1, "most-busy")
        assert row["processors"] == row["most_busy"] == most > 5
        assert row["mean_busy"] == pytest.approx(3.0, rel=0.2)
