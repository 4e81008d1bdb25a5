"""Processors are given up late and many at a time, and never where the target needs them."""

import math
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.decisions.compose import Decision
from planner.decisions.policy import Policy
from planner.wording import write_seconds
from tests.planner.decisions.measured_windows import PAIR, SERVICE, codes, decide_on, observe, total
from tests.planner.decisions.simulated_days import live_through

POLICY = Policy(t_max_seconds=0.16, t_min_seconds=0.14)
WINDOW = replace(POLICY, scale_down_window_seconds=1800.0)
COUNTS = st.tuples(st.integers(1, 20), st.integers(1, 20))
BEFORE = st.one_of(st.none(), st.integers(2, 50))
TERMS = st.builds(
    Policy,
    t_max_seconds=st.sampled_from((0.1, 0.16, 0.5)),
    t_min_seconds=st.sampled_from((None, 0.095)),
    k_max=st.sampled_from((None, 24)),
    bounds=st.sampled_from(({}, {"parse": (2, 9), "score": (1, 14)})),
    scale_down_window_seconds=st.just(600.0),
    least_saving=st.sampled_from((0.0, 0.1, 0.3)),
)


def ask(
    running: tuple[int, int],
    policy: Policy,
    before: int | None,
    rate: float = 100.0,
    measured: float = 0.0935,
) -> Decision:
    load = observe(rate, measured, SERVICE, running)
    return decide_on(PAIR, [load], running, policy, wanted_before=before)


def test_a_scale_down_goes_to_the_most_that_was_needed_in_the_window():
    at_once = ask((15, 12), POLICY, None)
    assert (at_once.action, at_once.needed) == ("scale_down", total(at_once))
    needed = at_once.needed
    assert needed < 20
    some = ask((15, 12), WINDOW, 20)
    assert (some.action, total(some), some.needed) == ("scale_down", 20, needed)
    assert some.reasons[-1].code == "scale-down-window"
    expected = write_seconds(at_once.recommended.expected_sojourn_seconds)
    assert some.reasons[-1].detail == (
        f"{needed} processors would be enough at 100/s (the estimated E[T]: {expected}). A decision in the last 30 min "
        "needed 20. The policy keeps processors for 30 min after they were needed, so at least 20 stay."
    )
    assert some.optimum == at_once.optimum
    none = ask((15, 12), WINDOW, 40)
    assert (none.action, codes(none)[-1], none.needed) == ("hold", "scale-down-window", needed)
    assert none.reasons[-1].detail.endswith("after they were needed, so 27 stay.")
    assert total(ask((15, 12), WINDOW, needed - 1)) == needed


def test_where_the_target_is_just_met_what_it_takes_is_remembered_and_not_what_runs():
    held = ask((15, 12), WINDOW, None, measured=0.15)
    assert held.action == "hold"
    assert held.needed < 27
    assert ask((15, 12), POLICY, None, measured=0.15).needed == 27, "not asked for: not computed"


def test_a_few_processors_are_not_worth_a_change():
    saved = 27 - ask((15, 12), POLICY, None).needed
    held = ask((15, 12), replace(POLICY, least_saving=(saved + 0.5) / 27), None)
    assert (held.action, codes(held)[-1]) == ("hold", "saving-too-small")
    assert held.reasons[-1].detail.startswith(f"At 100/s only {saved} of 27 processors could be taken away. ")
    kept = ask((15, 12), replace(WINDOW, least_saving=0.3), 25)
    assert codes(kept)[-2:] == ["scale-down-window", "saving-too-small"]
    assert kept.reasons[-1].detail.startswith("So only 2 of 27 processors could be taken away. ")
    assert ask((15, 12), replace(POLICY, least_saving=saved / 27), None).action == "scale_down"


def test_what_k_max_no_longer_allows_is_given_up_at_once():
    load = observe(60.0, None, SERVICE, (9, 8))
    policy = Policy(k_max=16, scale_down_window_seconds=1800.0, least_saving=0.5)
    assert decide_on(PAIR, [load], (9, 8), policy, wanted_before=17).action == "scale_down"


@settings(max_examples=60, deadline=None)
@given(
    COUNTS,
    TERMS,
    BEFORE,
    st.floats(0.0, 300.0),
    st.floats(0.0, 300.0),
    st.sampled_from(("rate_ahead", "newest_rate")),
)
def test_more_load_never_takes_fewer(  # noqa: PLR0917
    running: tuple[int, int], policy: Policy, before: int | None, rate: float, more: float, field: str
):
    load, unbounded = observe(60.0, 0.0935, SERVICE, running), replace(policy, bounds={}, k_max=None)
    fewer, many = (
        decide_on(PAIR, [load], running, unbounded, wanted_before=before, **{field: one})
        for one in (rate, rate + more)
    )
    assert total(many) >= total(fewer)


@settings(max_examples=60, deadline=None)
@given(COUNTS, TERMS, BEFORE, st.floats(0.0, 2.0), st.floats(0.0, 2.0))
def test_a_longer_measurement_never_takes_fewer(
    running: tuple[int, int], policy: Policy, before: int | None, measured: float, more: float
):
    short, long = (ask(running, policy, before, measured=one) for one in (measured, measured + more))
    assert total(long) >= total(short)


@settings(max_examples=60, deadline=None)
@given(COUNTS, TERMS, st.integers(2, 50), st.integers(0, 20), st.floats(1.0, 200.0), st.floats(0.0, 0.6))
def test_both_rules_only_keep_what_runs(  # noqa: PLR0917
    running: tuple[int, int], policy: Policy, before: int, more: int, rate: float, measured: float
):
    off = replace(policy, least_saving=0.0)
    plain, kept = ask(running, off, None, rate, measured), ask(running, policy, before, rate, measured)
    later = ask(running, policy, before + more, rate, measured)
    assert total(plain) <= total(kept) <= total(later) <= max(sum(running), total(plain))
    if plain.urgent or total(plain) >= sum(running):
        assert (kept.action, kept.recommended) == (plain.action, plain.recommended)


def make_day(minutes: int) -> list[float]:
    """A wave with a step, a spike of ten minutes, and noise that lasts some minutes."""
    generator = np.random.default_rng(4)
    rates, noise = [], 0.0
    for minute in range(minutes):
        noise = 0.8 * noise + generator.normal(0.0, 0.02)
        wave = 24.0 * (1.0 - 0.6 * math.cos(2.0 * math.pi * minute / minutes))
        step = 1.25 if minute > 0.55 * minutes else 1.0
        spike = 1.9 if 80 <= minute < 90 else 1.0
        rates.append(wave * step * spike * math.exp(noise))
    return rates


def test_a_day_with_noise_a_step_and_a_spike_changes_little_more_than_half_as_often():
    policy = Policy(t_max_seconds=0.7, t_min_seconds=0.55, cooldown_seconds=300.0)
    calm = replace(policy, scale_down_window_seconds=900.0, least_saving=0.1)
    rates = make_day(270)
    before, after = live_through(rates, policy), live_through(rates, calm)
    print(before, after, sep="\n")  # noqa: T201 -- for `pytest -rP`
    assert len(after.changes) <= 0.6 * len(before.changes)
    assert after.missed <= before.missed
    assert after.processors <= 1.2 * before.processors
