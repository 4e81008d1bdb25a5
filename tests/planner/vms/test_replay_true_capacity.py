"""The true capacity: interpolated between what was measured, and the fewest VMs above a rate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.vms.replay import interpolate_capacity
from planner.vms.throughput import MstSample
from planner.vms.timing import InvalidMstSamples
from tests.planner.imai import mst_samples


def test_truth_is_interpolated_in_mean_and_variance_and_ends_where_measurements_do() -> None:
    samples = [MstSample(2, 1.0), MstSample(2, 3.0), MstSample(6, 10.0), MstSample(6, 10.0)]
    capacity = interpolate_capacity([*samples, MstSample(4, 6.0)], 128)
    assert capacity.means.tolist() == [2.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    assert np.square(capacity.deviations) == pytest.approx([2.0, 2.0, 1.5, 1.0, 0.5, 0.0])
    with pytest.raises(InvalidMstSamples, match="variance of throughput is unknown"):
        interpolate_capacity([MstSample(1, 1.0)], 4)


@given(rates=st.lists(st.floats(0.0, 60.0), min_size=1, max_size=30))
def test_the_ground_truth_is_the_fewest_vms_whose_mean_is_above_the_rate(rates: list[float]) -> None:
    capacity = interpolate_capacity(mst_samples("rcount"), 128)

    def brute(rate: float) -> int:
        above = [m for m, mean in enumerate(capacity.means, 1) if mean > rate]
        return above[0] if above else int(np.argmax(capacity.means)) + 1

    assert capacity.covering_vms(np.array(rates)).tolist() == [brute(rate) for rate in rates]
