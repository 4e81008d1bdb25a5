"""What a simulation says agrees with itself."""

import pytest

from planner.simulation.simulate import simulate
from tests.planner.simulation.systems import UNREACHED, build_mixed


@pytest.mark.parametrize("capacities", [{}, {"a": UNREACHED}], ids=["by station", "by event"])
def test_the_parts_add_up_to_the_whole(capacities: dict[str, int]):
    topology, load, processors = build_mixed()
    answer = simulate(topology, load, processors, roots=60_000, capacities=capacities)
    assert answer.total.mean_seconds == pytest.approx(
        sum(one.visits * one.sojourn_seconds for one in answer.operators)
    )
    assert answer.completion.mean_seconds < answer.total.mean_seconds
    assert (answer.roots, answer.warm_up_roots, answer.seed) == (60_000, 6_000, 1)
    for one in answer.operators:
        measured = load.operators[one.name]
        assert measured.service_rate is not None
        assert one.sojourn_seconds - one.wait_seconds == pytest.approx(1.0 / measured.service_rate, rel=0.02)
        assert one.arrival_rate == pytest.approx(10.0 * one.visits, rel=0.02)
        assert one.utilisation == pytest.approx(0.75, rel=0.02)
        assert one.processors == processors[one.name]
    for spread in (answer.total, answer.completion):
        seconds = [one.seconds for one in spread.quantiles]
        assert seconds == sorted(seconds)
