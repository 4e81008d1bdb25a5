"""By how much measured waits differ from modelled ones, and which intervals can tell."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.calibration.modelled_waits import Interval
from planner.calibration.wait_correction import (
    LARGEST_FACTOR,
    LEAST_WAIT,
    MODEL_ERROR,
    Correction,
    correct_sojourn,
    correct_waits,
)
from planner.decisions.policy import Policy
from planner.situations.situation import estimate, survey_load
from planner.topology.smoothing import smooth_window
from planner.values import Load, Model, Topology
from tests.planner.decisions.asked import decide
from tests.planner.decisions.measured_windows import (
    ONE,
    PAIR,
    SERVICE,
    SERVICE_SECONDS,
    codes,
    decide_on,
    observe,
    total,
)


def test_only_the_wait_is_scaled():
    # The wait must fall from 0.08 s to 0.04 s. With the service scaled too, 0.14 s would be out of reach.
    loads = [observe(36.0, 0.18, {"serve": 10.0}, (6,))] * 3
    decision = decide_on(ONE, loads, (6,), Policy(t_max_seconds=0.14))
    assert decision.action == "scale_up"
    assert total(decision) <= 9


CALM = [observe(18.0, 0.4, SERVICE, (9, 9))] * 3


def test_that_waiting_is_not_it_takes_an_interval_that_ran_so_and_hardly_waited():
    policy = Policy(t_max_seconds=0.16)
    calm = decide_on(PAIR, CALM, (9, 9), policy)
    assert (calm.action, codes(calm)) == ("hold", ["target-missed", "waiting-is-not-it"])
    # Measured with other processors, or with unknown ones, it is no evidence: more are tried.
    for split in ((12, 12), (None, 9)):
        elsewhere = decide_on(PAIR, [observe(18.0, 0.4, SERVICE, split)] * 3, (9, 9), policy)
        assert (elsewhere.action, total(elsewhere)) == ("scale_up", 19)
        assert "model-contradicted" in codes(elsewhere)
    # An interval that did wait asks for more, whatever the calm ones say.
    waited = decide_on(PAIR, [*CALM, observe(150.0, 1.5, SERVICE, (9, 9))], (9, 9), policy)
    assert waited.action == "scale_up"
    assert "waiting-is-not-it" not in codes(waited)


def test_what_an_interval_did_not_measure_of_an_operator_is_taken_from_the_others():
    loads = [observe(100.0, 0.35, SERVICE, (6, 5))] * 3
    gap = dict(loads[0].operators)
    gap["score"] = gap["score"]._replace(service_rate=None)
    partial = [replace(loads[0], operators=gap), *loads[1:]]
    policy = Policy(t_max_seconds=0.16)
    assert (
        decide_on(PAIR, partial, (6, 5), policy).recommended
        == decide_on(PAIR, loads, (6, 5), policy).recommended
    )


MODEL: Model = "ggk-whitt"


def correct(loads: Sequence[Load], running: Sequence[int], target: float = 0.16) -> Correction:
    load, _ = smooth_window(loads, len(loads))
    return correct_waits(PAIR, load, running, [Interval(one) for one in loads], MODEL, target)


@given(st.floats(40.0, 95.0), st.floats(0.0, 20.0))
def test_the_factor_that_made_the_measurements_comes_back(rate: float, factor: float):
    """M = S + c·W, with W by the estimate of a whole topology: another way through the planner."""
    load = observe(rate, None, SERVICE, (6, 5))
    expected = estimate(PAIR, load, model=MODEL).expected_sojourn_seconds
    assert expected is not None
    wait = expected - SERVICE_SECONDS
    found = correct([observe(rate, SERVICE_SECONDS + factor * wait, SERVICE, (6, 5))], (6, 5))
    if found.intervals:
        known = max(wait, LEAST_WAIT * SERVICE_SECONDS)  # a wait of next to nothing is no measure
        assert found.shared == pytest.approx(factor * wait / known, rel=1e-6, abs=1e-6)
        assert found.is_own == (found.shared is not None and found.shared > MODEL_ERROR)


@given(st.lists(st.floats(0.0, 2.0), min_size=2, max_size=4), st.integers(0, 3), st.floats(0.0, 2.0))
def test_a_longer_measurement_never_lowers_a_factor(measured: list[float], place: int, by: float):
    def find(values: Sequence[float]) -> Correction:
        return correct([observe(90.0, value, SERVICE, (6, 5)) for value in values], (6, 5))

    longer = [value + by * (at == place % len(measured)) for at, value in enumerate(measured)]
    before, after = find(measured), find(longer)
    assert (after.shared or 0.0) >= (before.shared or 0.0)
    assert (after.own or 0.0) >= (before.own or 0.0)
    assert after.intervals == before.intervals


def test_an_interval_without_a_sojourn_or_processors_or_that_could_not_keep_up_cannot_tell():
    for dumb in (
        observe(90.0, None, SERVICE, (6, 5)),
        observe(90.0, 0.3, SERVICE, (None, 5)),
        observe(150.0, 0.3, SERVICE, (6, 5)),
    ):
        assert correct([dumb], (6, 5)) == Correction()


def test_calm_intervals_are_those_with_the_processors_that_run_now():
    here = correct(CALM, (9, 9))
    assert (here.intervals, here.calm, here.calm_missed) == (0, 3, 3)
    assert correct(CALM, (9, 9), target=0.5).calm_missed == 0
    assert correct(CALM, (9, 8)).calm == 0


def calibrate_by(load: Load, *factors: float) -> Load:
    """The load with factors of single operators, as measured waits give them."""
    named = zip(load.operators.items(), factors, strict=True)
    return replace(load, operators={name: one._replace(wait_factor=factor) for (name, one), factor in named})


@pytest.mark.parametrize("queueing", [None, "shared", "round-robin"])
def test_what_single_operators_explain_is_not_corrected_again(queueing: str | None):
    topology = Topology(
        tuple([operator._replace(queueing=queueing) for operator in PAIR.operators]), PAIR.edges, PAIR.entries
    )
    load = calibrate_by(observe(90.0, None, SERVICE, (6, 5)), 2.0, 3.0)
    expected = estimate(topology, load, model=MODEL).expected_sojourn_seconds
    seen = Interval(observe(90.0, expected, SERVICE, (6, 5)))
    found = correct_waits(topology, load, (6, 5), [seen], MODEL, 0.16)
    assert found.shared == pytest.approx(1.0, rel=1e-9)
    # That the queues are not shared is seen without these factors; what is said is never doubted.
    assert 2.0 < (found.uncalibrated or 0.0) < 3.0
    assert found.is_own == (queueing is None)
    assert (found.own is None) == (queueing is not None)


def test_a_target_takes_as_many_processors_whether_one_factor_or_two_say_it():
    """Twice the wait at both operators: said by their factors, or left to the total time."""
    said = Topology(
        tuple([operator._replace(queueing="random") for operator in PAIR.operators]), PAIR.edges, PAIR.entries
    )
    plain = observe(90.0, None, SERVICE, (6, 5))
    doubled = calibrate_by(plain, 2.0, 2.0)
    measured = estimate(said, doubled, model=MODEL).expected_sojourn_seconds
    policy, seen = Policy(t_max_seconds=0.2), observe(90.0, measured, SERVICE, (6, 5))
    both = [
        decide(
            said, replace(load, measured_sojourn_seconds=measured), (6, 5), policy, intervals=[Interval(seen)]
        )
        for load in (plain, doubled)
    ]
    assert both[0].recommended.processors_total == both[1].recommended.processors_total > 11


def test_where_queueing_is_said_hardly_any_wait_is_that_of_the_model():
    said = Topology(
        tuple([operator._replace(queueing="shared") for operator in PAIR.operators]), PAIR.edges, PAIR.entries
    )
    load = observe(75.0, 0.4, SERVICE, (9, 9))  # with own queues tuples would wait
    found = [correct_waits(one, load, (9, 9), [Interval(load)], MODEL, 0.16) for one in (PAIR, said)]
    assert [(one.intervals, one.calm) for one in found] == [(1, 0), (0, 1)]


def test_a_wait_shorter_than_modelled_spares_nothing_and_a_long_one_is_capped():
    assert Correction(shared=0.4).least_shared == 1.0
    assert Correction(shared=1.7).least_shared == 1.7
    assert correct([observe(90.0, 1e12, SERVICE, (6, 5))], (6, 5)).shared == LARGEST_FACTOR


@given(st.floats(0.05, 40.0), st.sampled_from([None, "shared"]), st.integers(0, 4))
def test_e_t_with_the_waits_as_measured_is_the_measured_one_and_falls_with_more_processors(
    seconds: float, queueing: str | None, more: int
):
    topology = Topology(
        tuple([operator._replace(queueing=queueing) for operator in PAIR.operators]), PAIR.edges, PAIR.entries
    )
    load = observe(90.0, seconds, SERVICE, (6, 5))
    situation = survey_load(topology, load, MODEL)
    correction = correct_waits(topology, load, (6, 5), [Interval(load)], MODEL, 0.16)
    found = correct_sojourn(situation, (6, 5), correction)
    assert found == pytest.approx(max(seconds, situation.find_lower_bound()), rel=1e-9)
    wider = correct_sojourn(situation, (6 + more, 5), correction)
    assert wider is not None
    assert wider <= max(seconds, situation.find_lower_bound()) * (1.0 + 1e-9)


def test_e_t_with_the_waits_as_measured_is_unknown_without_an_interval_and_without_an_end():
    load = observe(90.0, 0.4, SERVICE, (6, 5))
    situation = survey_load(PAIR, load, MODEL)
    assert correct_sojourn(situation, (6, 5), Correction()) is None
    assert correct_sojourn(situation, (1, 5), Correction(shared=2.0)) is None


def test_the_scatter_of_measurements_keeps_no_processors_where_tuples_hardly_wait():
    """Many more run than are needed: the wait by the model is some nanoseconds, and 1% of the service is noise."""
    running = (22, 20)
    loads = [observe(100.0, 1.01 * SERVICE_SECONDS, SERVICE, running)] * 3
    assert (correct(loads, running).shared or 0.0) < 1.0
    policy = Policy(t_max_seconds=0.16, t_min_seconds=0.14)
    calm = [observe(100.0, SERVICE_SECONDS, SERVICE, running)] * 3
    assert (
        total(decide_on(PAIR, loads, running, policy)) == total(decide_on(PAIR, calm, running, policy)) < 20
    )


def test_an_interval_that_an_operator_hardly_kept_up_with_is_no_evidence():
    """Its queue has not settled: what was measured is how much had piled up, and not an error of the model."""
    alone = correct([observe(100.0, 0.35, SERVICE, (6, 5))], (6, 5))
    assert alone.intervals == 1
    full = (6, 5)
    most = 100.0 / max(
        survey_load(PAIR, observe(100.0, 0.35, SERVICE, full), MODEL).stations.find_utilisations(full)
    )
    for share, counted in ((0.97, 1), (0.985, 0), (0.999, 0)):
        assert correct([observe(share * most, 60.0, SERVICE, full)], full).intervals == counted


def test_intervals_that_work_off_a_backlog_ask_for_no_more_processors():
    # After an overload the processors are enough, and 3,000 tuples that gathered before are worked off.
    calm = observe(100.0, 0.13, SERVICE, (12, 10))

    def wait_for(seconds: float, backlog: float) -> Load:
        operators = {name: one._replace(backlog_tuples=backlog) for name, one in calm.operators.items()}
        return replace(calm, operators=operators, measured_sojourn_seconds=seconds)

    drained = [wait_for(15.0, 1500.0), wait_for(5.0, 5.0), *[wait_for(0.13, 2.0)] * 4]
    steady = correct(drained[2:], (12, 10))
    assert correct(drained, (12, 10)) == steady
    growing = [wait_for(2.0, 500.0), wait_for(5.0, 1000.0), *[wait_for(9.0, 1500.0)] * 2]
    factor, before = correct(growing, (12, 10)).shared, steady.shared
    assert factor is not None
    assert before is not None
    assert factor > 10.0 * before, "a backlog that grows tells of the processors that run now"
    queue = [wait_for(0.2, 3.0), wait_for(0.2, 2.0)]
    assert correct(queue, (12, 10)).intervals + correct(queue, (12, 10)).calm == 2, "an ordinary queue"
