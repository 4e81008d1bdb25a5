"""SCVs of services from histograms, beside the drawn services themselves."""

import numpy as np
import pytest

from planner.situations.situation import survey_load
from planner.topology.service_scvs import measure_buckets
from planner.values import DEFAULT_MODEL, Load, Operator, OperatorLoad, ServiceBucket, Topology


def draw_buckets(scv: float, number: int, seed: int) -> tuple[ServiceBucket, ...]:
    """The histogram of drawn gamma services of mean 0.02 s, in buckets of an eighth of an octave."""
    rng = np.random.default_rng(seed)
    times = rng.gamma(1.0 / scv, 0.02 * scv, number) if scv else np.full(number, 0.02)
    bounds = 1e-9 * 2.0 ** (np.arange(300) / 8)
    places = np.searchsorted(bounds, times)
    return tuple([ServiceBucket(float(bounds[at]), int(np.sum(places == at))) for at in range(300)])


@pytest.mark.parametrize("scv", [0.0, 0.3, 1.0, 4.0])
def test_many_services_give_their_scv_and_the_interval_holds_it(scv: float):
    found = [measure_buckets(draw_buckets(scv, 20_000, seed)) for seed in range(20)]
    assert all(one is not None and one.scv == pytest.approx(scv, rel=0.1, abs=0.01) for one in found)
    assert sum(one is not None and one.low <= scv <= one.high for one in found) >= 18


def test_few_services_tell_little():
    few, some, many = (measure_buckets(draw_buckets(0.1, number, 1)) for number in (1, 10, 1000))
    assert few
    assert some
    assert many
    assert many.scv < some.scv < few.scv < 1.0
    assert few.low <= 0.1 < few.high > many.high
    assert measure_buckets((ServiceBucket(1.0, 0),)) is None


def test_a_histogram_counts_where_no_scv_was_measured():
    topology = Topology((Operator("a", service_scv=3.0),))
    shaped = OperatorLoad(50.0, 30.0, processors=1, service_histogram=draw_buckets(0.3, 20_000, 1))
    taken = survey_load(topology, Load(30.0, {"a": shaped}), DEFAULT_MODEL).load.operators["a"]
    assert taken.service_scv == pytest.approx(0.3, rel=0.1)
    assert taken.scv_estimate is not None
    assert not taken.is_scv_configured
    said = survey_load(topology, Load(30.0, {"a": shaped._replace(service_scv=1.5)}), DEFAULT_MODEL)
    assert said.load.operators["a"].service_scv == 1.5
