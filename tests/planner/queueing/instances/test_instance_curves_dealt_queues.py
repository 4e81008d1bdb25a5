from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.queueing.gain_curves import wait_or_inf
from planner.queueing.queueings import EmittedBatch, Inflow
from planner.queueing.stations import Stations
from tests.planner.queue_cases import MODELS
from tests.planner.queueing.instances.instance_cases import OWN, build


@st.composite
def dealt_stations(draw: st.DrawFn) -> Stations:
    """An operator whose instances are alike: any queueing, load, SCVs, batches and model."""
    queueing = draw(st.sampled_from(OWN))
    batches = draw(st.sampled_from([(), ((0.6, 1.3),), ((0.5, 2.0), (0.25, 7.3))]))
    inflow = Inflow(
        queueing,
        draw(st.sampled_from([1.0, 1.5, 200.0])),
        batches=tuple([EmittedBatch(*batch) for batch in batches]),
        root_batch=2.5 if queueing == "keyed" else 1.0,
    )
    scvs = draw(st.tuples(st.floats(0.0, 3.0), st.floats(0.0, 3.0)))
    load = draw(st.one_of(st.floats(0.0, 3.0), st.floats(0.9, 300.0)))
    return build(inflow, load, scvs=scvs, model=draw(st.sampled_from(MODELS)))


@given(dealt_stations(), st.integers(1, 400))
@settings(max_examples=300)
def test_floats_and_arrays_have_the_same_wait(stations: Stations, k: int):
    in_arrays = float(wait_or_inf(stations.prepare_general([0]), np.array([k]))[0])
    assert stations.curves[0].wait_seconds(k) == pytest.approx(in_arrays, rel=1e-11, abs=1e-300)


def test_an_instance_that_cannot_keep_up_has_no_end_of_its_wait():
    curve = build(Inflow("random"), 4.0).curves[0]
    assert curve.wait_seconds(4) == inf
    assert curve.wait_seconds(5) < inf
    assert curve.floor == 5


def test_an_operator_without_arrivals_has_no_wait():
    stations = build(Inflow("round-robin"), 0.0)
    assert stations.curves[0].wait_seconds(1) == 0.0
    assert not stations.curves[0].is_busy
