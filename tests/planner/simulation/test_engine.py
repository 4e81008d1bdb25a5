"""Both ways to simulate agree, and everything is compiled before it is needed."""

import pytest

from planner.simulation.runs import event_kernel, station_kernels
from planner.simulation.simulate import simulate, warm_up
from tests.planner.simulation.systems import UNREACHED, build_mixed


def test_both_ways_give_the_same_means_within_their_intervals():
    """The scatter of a difference is √2 times that of one; 1.79 makes 99.9% of 95%."""
    topology, load, processors = build_mixed()
    by_station = simulate(topology, load, processors, roots=300_000)
    by_event = simulate(topology, load, processors, roots=300_000, capacities={"a": UNREACHED}, seed=2)
    pairs = [(by_station.total, by_event.total), (by_station.completion, by_event.completion)]
    for one, other in pairs:
        assert one.half_width_seconds is not None
        assert abs(one.mean_seconds - other.mean_seconds) < 1.79 * 2**0.5 * one.half_width_seconds
    for here, there in zip(by_station.operators, by_event.operators, strict=True):
        assert here.half_width_seconds is not None
        assert abs(here.wait_seconds - there.wait_seconds) < 1.79 * 2**0.5 * here.half_width_seconds
        assert here.utilisation == pytest.approx(there.utilisation, rel=0.01)


def test_a_warm_process_compiles_nothing_in_a_simulation():
    """Every compiled function has one signature, whatever is simulated."""
    warm_up()
    kernels = [
        event_kernel.run_events,
        *(getattr(station_kernels, name) for name in ("serve_shared", "serve_own")),
    ]
    kernels += [getattr(station_kernels, name) for name in ("deal", "choose_by_key", "multiply", "tally")]
    assert all(len(kernel.signatures) == 1 for kernel in kernels)
    topology, load, processors = build_mixed()
    for capacities in ({}, {"d": 2}):
        simulate(topology, load, processors, roots=100, capacities=capacities)
    assert all(len(kernel.signatures) == 1 for kernel in kernels)


@pytest.mark.parametrize("capacities", [{}, {"a": UNREACHED}], ids=["stations", "events"])
def test_progress_rises_to_the_end_and_changes_nothing(capacities: dict[str, int]):
    topology, load, processors = build_mixed()
    told: list[float] = []
    found = simulate(topology, load, processors, roots=200_000, capacities=capacities, report=told.append)
    assert len(told) >= 3
    assert told == sorted(told)
    assert 0.0 < told[0] < 0.5
    assert told[-1] == pytest.approx(1.0, abs=0.01)
    assert found == simulate(topology, load, processors, roots=200_000, capacities=capacities)
