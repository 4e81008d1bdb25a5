"""Only steady intervals speak of the load and of waits."""

from dataclasses import replace

import pytest

from planner.calibration.modelled_waits import Interval
from planner.calibration.wait_correction import UNCORRECTED
from planner.economics.history import History, SeenInterval
from planner.economics.steady import MOST, find_correction, smooth_seen, smooth_steady, take_slower
from planner.values import InstanceLoad
from tests.planner.economics.loads import ROW, TARGET, load_row, need_row, see_row


def slow_down(rate: float, counts: tuple[int, int], service_rate: float):
    load = load_row(rate, counts)
    parse = load.operators["parse"]._replace(service_rate=service_rate)
    return replace(load, operators={**load.operators, "parse": parse})


def test_intervals_of_a_change_do_not_speak_of_the_load():
    loads = [load_row(20.0)] * 5 + [slow_down(20.0, (5, 6), 1.0)] * 2 + [load_row(20.0, (5, 6))] * 5
    seen = [SeenInterval(20.0, (4, 6), 0.4)] * 5 + [SeenInterval(20.0, (5, 6), 9.0)] * 2
    seen += [SeenInterval(20.0, (5, 6), 0.4)] * 5
    load = smooth_steady(loads, replace(see_row([]), intervals=seen))
    assert load.operators["parse"].service_rate == pytest.approx(10.0)
    assert load.operators["parse"].processors == 5


def test_short_intervals_are_smoothed_one_by_one_without_those_of_a_change():
    """Four intervals of 15 s make a unit: the whole unit of the change is left out."""
    loads = [load_row(20.0)] * 8 + [slow_down(20.0, (5, 6), 1.0)] * 4 + [slow_down(20.0, (5, 6), 8.0)] * 4
    counts = [(4, 6)] * 8 + [(5, 6)] * 8
    intervals = [SeenInterval(20.0, one, 0.4) for one in counts]
    history = History.gather(intervals, 15.0, TARGET, pause_seconds=20.0)
    assert (history.size, len(history.intervals)) == (4, 4)
    load = smooth_seen(ROW, loads[-1], [Interval(one) for one in loads], 15.0, history)
    assert load.operators["parse"].service_rate == pytest.approx(8.0)
    assert load.operators["parse"].processors == 5
    newest = smooth_seen(ROW, loads[-1], [Interval(one) for one in loads[-6:]], 15.0, history)
    assert newest.operators["parse"].service_rate == pytest.approx(8.0)


def test_an_operator_that_became_slower_is_seen_at_once_and_chance_is_not():
    usual = load_row(20.0)
    for newest, found in ((5.0, 5.0), (8.5, 10.0), (12.0, 10.0)):
        load = take_slower(usual, slow_down(20.0, (4, 6), newest), 60.0)
        assert load.operators["parse"].service_rate == found
    few = take_slower(usual, slow_down(20.0, (4, 6), 5.0), 1.0)
    assert few.operators["parse"].service_rate == 10.0


def test_newer_intervals_weigh_more():
    loads = [slow_down(20.0, (4, 6), mu) for mu in [5.0] * 13 + [10.0] * 13]
    load = smooth_steady(loads, see_row([20.0] * 26))
    assert load.operators["parse"].service_rate == pytest.approx(10.0 - 5.0 / 3.0, rel=0.02)


def test_shares_come_from_intervals_with_the_same_processors():
    def share(count: int, hottest: float):
        load = load_row(20.0, (4, count))
        rest = (1.0 - hottest) / (count - 1)
        instances = tuple(InstanceLoad(str(i), hottest if i == 0 else rest) for i in range(count))
        score = load.operators["score"]._replace(instances=instances)
        return replace(load, operators={**load.operators, "score": score})

    loads = [share(6, 0.5)] * 4 + [share(7, 0.2)] * 4
    seen = [SeenInterval(20.0, (4, 6), 0.4)] * 4 + [SeenInterval(20.0, (4, 7), 0.4)] * 4
    load = smooth_steady(loads, replace(see_row([]), intervals=seen))
    assert len(load.operators["score"].instances) == 7
    assert load.operators["score"].instances[0].share == pytest.approx(0.2)


def test_without_a_steady_interval_the_newest_speaks():
    load = smooth_steady([load_row(20.0), load_row(22.0)], see_row([22.0]))
    assert load.external_rate > 0


@pytest.mark.parametrize("factor", [0.8, 1.0, 1.4])
def test_the_correction_is_the_ratio_of_waits(factor: float):
    needs = need_row()
    service = needs.situation.find_lower_bound()
    modelled = 1.0 / needs.find_speed((3, 4), 20.0)
    seconds = service + factor * (modelled - service)
    found = find_correction(needs, see_row([20.0] * 30, (3, 4), seconds))
    assert found.intervals == 30
    assert found.factor == pytest.approx((30 * factor + 5) / 35)


def test_the_correction_is_bounded():
    assert find_correction(need_row(), see_row([20.0] * 300, (3, 4), 30.0)).factor == MOST


def test_nothing_measured_corrects_nothing():
    assert find_correction(need_row(), see_row([20.0] * 30, seconds=None)) == UNCORRECTED
