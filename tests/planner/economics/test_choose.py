"""The economic rule on situations whose answer is known."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from planner.economics.choose import EconomicTerms, WeighedChoice, choose
from tests.planner.economics.loads import TARGET, need_row, see_row, survey_row

TERMS = EconomicTerms(TARGET)


def decide(
    rates: list[float], counts: tuple[int, ...], terms: EconomicTerms = TERMS, **seen: Any
) -> WeighedChoice:
    history = see_row(rates[-300:], counts, **seen)
    made = choose(survey_row(rates[-1], counts), history, rates, terms)
    assert made is not None
    return made


def vary(rates: list[float], seed: int = 1) -> list[float]:
    noise = np.exp(0.03 * np.random.default_rng(seed).standard_normal(len(rates)))
    return [float(rate) for rate in np.array(rates) * noise]


def test_a_constant_load_with_enough_processors_is_left_alone():
    counts = need_row().find(22.0)
    for seed in range(5):
        assert decide(vary([20.0] * 300, seed), counts).counts == counts


def test_an_overload_is_left_at_once():
    made = decide([*vary([20.0] * 200), 40.0], (3, 4), seconds=2.0)
    assert made.is_overloaded
    assert made.why == "best"
    assert sum(made.counts) > 10


def test_one_processor_too_many_is_no_reason_to_change():
    first = need_row().find(22.0)
    more = (first[0] + 1, first[1])
    made = decide(vary([20.0] * 300), more)
    assert made.counts == more


def test_twice_the_processors_are_given_up_after_some_time():
    rates = vary([20.0] * 300)
    assert sum(decide(rates, (12, 18)).counts) < 15
    soon = decide(rates[-4:], (12, 18))
    assert soon.why in {"patience", "no-gain"}


def test_in_a_dip_of_some_minutes_no_more_is_given_up_than_before_it():
    wide, before, dipped = (14, 21), 0, 0
    for seed in range(6):
        calm = vary([40.0] * 300, seed)
        before += sum(decide(calm, wide).counts)
        made = decide([*calm[:-3], *vary([37.0] * 3, seed)], wide)
        assert all(one.total <= sum(wide) for one in made.offers)
        dipped += sum(made.counts)
    assert before < 6 * 16
    assert dipped >= before - 3


@pytest.mark.parametrize(("rate", "why"), [(25.0, "settling"), (40.0, "best")])
def test_a_change_settles_for_one_interval_but_not_in_an_overload(rate: float, why: str):
    rates = [*vary([20.0] * 100), rate]
    history = see_row(rates, (3, 4), 2.0)
    last = replace(history.intervals[-1], counts=(4, 4))
    history = replace(history, intervals=[*history.intervals[:-1], last])
    made = choose(survey_row(rate, (4, 4)), history, rates, TERMS)
    assert made is not None
    assert (made.why, made.is_overloaded) == (why, why == "best")
    assert (made.counts == (4, 4)) == (why == "settling")


def test_short_units_choose_as_minutes_do_and_tell_costs_in_minutes():
    rates = vary([20.0] * 200)
    minutes = decide(rates, (12, 18), replace(TERMS, pause_seconds=20.0))
    seconds = decide(rates, (12, 18), replace(TERMS, pause_seconds=2.0), unit_seconds=6.0)
    assert seconds.counts == minutes.counts
    assert seconds.price == pytest.approx(minutes.price)
    assert seconds.horizon_minutes == 6.0
    assert seconds.running.cost == pytest.approx(minutes.running.cost / 10.0, rel=1e-3)


def test_a_debt_raises_the_price_and_a_surplus_lowers_it():
    rates = [20.0] * 300
    calm, late = decide(rates, (4, 6)), decide(rates, (4, 6), seconds=0.9)
    assert calm.kept.debt < 0 < late.kept.debt
    assert calm.price < late.price


@pytest.mark.parametrize("rate", [10.0, 20.0, 40.0])
def test_a_stricter_promise_never_has_a_lower_price(rate: float):
    prices = [decide([rate] * 300, (4, 8), EconomicTerms(TARGET, q)).price for q in (0.9, 0.95, 0.97, 0.99)]
    assert prices == sorted(prices)


def test_more_load_never_needs_fewer_processors():
    totals = [sum(decide([rate] * 60, (1, 1), seconds=5.0).counts) for rate in (12.0, 20.0, 30.0, 45.0, 70.0)]
    assert totals == sorted(totals)


def test_a_backlog_is_worked_off_with_more_processors():
    counts = need_row().find(21.0)
    waiting = decide([20.0] * 200, counts, seconds=5.0, backlog=(20_000.0, 0.0))
    assert sum(waiting.counts) > sum(counts)


def test_an_ordinary_queue_changes_nothing():
    counts = need_row().find(22.0)
    assert decide([20.0] * 200, counts, backlog=(5.0, 5.0)).counts == counts


def test_a_budget_is_never_exceeded():
    made = decide([60.0] * 100, (4, 6), replace(TERMS, k_max=18), seconds=9.0)
    assert sum(made.counts) <= 18


def test_a_target_that_nothing_meets_has_no_choice():
    history = see_row([20.0] * 20)
    assert choose(survey_row(20.0), history, [20.0] * 20, EconomicTerms(0.2)) is None
