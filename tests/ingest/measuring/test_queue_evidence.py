"""Counts of waits beside idle instances, beside those of a plain loop over the tuples of each window."""

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ingest.measuring.columns import Table, cut_segments
from ingest.measuring.queue_evidence import BLOCK, COUNTS, HAND_OVER, MOST_SAMPLED, measure_queues
from tests.ingest.in_memory import make_rows, slice_windows
from tests.ingest.logs import START_NS
from tests.ingest.queue_logs import simulate_queues
from tests.ingest.reference import NS, Event

WHOLE = slice_windows()
spans = st.tuples(st.integers(0, 30), st.integers(0, 12), st.integers(0, 9), st.integers(0, 2))


def make(arrived: int, wait: int, service: int, instance: int, number: int, **changes: int) -> Event:
    """Times in tenths of a second."""
    times = [START_NS + tenths * NS // 10 for tenths in (arrived, arrived + wait, arrived + wait + service)]
    return Event("t", "o", f"i{instance}", f"r{number}", None, *times, **changes)  # type: ignore[arg-type]


def measure(events: Sequence[Event]) -> Table:
    rows, codes, _ = make_rows(events, WHOLE)
    window = rows.slice // WHOLE.per_window
    return measure_queues(rows, window, cut_segments(rows.operator, rows.slice), codes)


def count_plainly(events: Sequence[Event]) -> dict[str, float]:
    """One window, whose events stand in order of arrival."""
    margin = int(HAND_OVER * np.mean([e.finished_ns - e.started_ns for e in events]))
    by_instance: defaultdict[str, list[Event]] = defaultdict(list)
    for e in events:
        by_instance[e.instance].append(e)
    times = Counter(e.arrived_ns for e in events)
    counted = dict.fromkeys(COUNTS, 0.0)
    for e in events:
        place = next(n for n, other in enumerate(by_instance[e.instance]) if other is e)
        if not place:
            continue
        late = e.started_ns - max(e.arrived_ns, by_instance[e.instance][place - 1].finished_ns)
        is_waiting = e.started_ns - e.arrived_ns > margin
        is_alone = times[e.arrived_ns] == 1
        counted["known"] += 1
        counted["explained"] += abs(late) <= margin
        counted["waiting"] += is_waiting
        counted["waiting_explained"] += is_waiting and abs(late) <= margin
        counted["untied"] += is_waiting and is_alone
        counted["halted_ns"] += late if late > margin else 0
        busy, present = count_others(e, by_instance, margin)
        if 1 <= busy < present:
            tied = "" if is_alone else "tied_"
            counted[tied + "beside_idle"] += is_waiting
            counted[tied + "expected"] += busy / present
    return counted


def count_others(e: Event, by_instance: dict[str, list[Event]], margin: int) -> tuple[int, int]:
    """Instances that serve another tuple when this one arrives, and those of which it is known what they do."""
    busy = present = 0
    for served in by_instance.values():
        present += served[0].started_ns <= e.arrived_ns <= served[-1].finished_ns
        for one, following in zip(served, [*served[1:], None], strict=True):
            freed = one.finished_ns
            if following is not None:
                late = following.started_ns - max(following.arrived_ns, one.finished_ns)
                freed = min(one.finished_ns + margin, following.started_ns)
                freed = following.started_ns if late > margin else freed
            busy += (one.started_ns <= e.arrived_ns) - (freed <= e.arrived_ns)
    return busy - (e.started_ns == e.arrived_ns), present


TIED = [(0, 0, 9, 0), (0, 0, 1, 2), (1, 0, 1, 1), (5, 4, 2, 0), (5, 0, 2, 1), (20, 0, 1, 2), (20, 0, 1, 1)]


@given(drawn=st.lists(spans, min_size=2, max_size=25))
@example(drawn=TIED)
def test_counts_are_those_of_a_plain_loop(drawn: list[tuple[int, int, int, int]]):
    events = sorted((make(*one, n) for n, one in enumerate(drawn)), key=lambda e: e.arrived_ns)
    rows, codes, repeated = make_rows(events, WHOLE)
    names = [codes.instances[one][2] for one in codes.instance[rows.kind].tolist()]
    ordered = [
        Event("t", "o", str(name), "r", None, at, at + wait, at + wait + service)
        for name, at, wait, service in zip(
            names, rows.arrived_ns.tolist(), rows.wait_ns.tolist(), rows.service_ns.tolist(), strict=True
        )
    ]
    found = measure(events)
    assert repeated == 0
    if len({e.instance for e in events}) == 1 or not sum(e.finished_ns - e.started_ns for e in events):
        assert not len(found["operator"])
        return
    expected = count_plainly(ordered)
    for name in COUNTS[:10]:
        assert found[name].tolist() == pytest.approx([expected[name]]), name
    assert found["instances"].tolist() == [len({e.instance for e in events})]


def test_what_is_sampled_or_has_one_instance_is_not_looked_at():
    two = [make(n, 0, 1, n % 2, n) for n in range(20)]
    assert len(measure(two)["operator"]) == 1
    assert len(measure([make(n, 0, 1, 0, n) for n in range(20)])["operator"]) == 0
    assert len(measure([*two, make(5, 1, 1, 0, 99, sample_every=2)])["operator"]) == 0
    assert len(measure([make(n, 1, 0, n % 2, n) for n in range(20)])["operator"]) == 0
    rows, codes, _ = make_rows(two, WHOLE)
    nothing = rows.take(np.zeros(0, dtype=np.int64))
    empty = measure_queues(nothing, nothing.slice, cut_segments(nothing.operator, nothing.slice), codes)
    assert all(len(column) == 0 for column in empty.values()), "a batch may hold finishes alone"


def test_each_window_is_counted_by_itself():
    first = [make(n, n % 3, 2, n % 3, n) for n in range(50)]
    second = [make(600 + n, n % 5, 3, n % 4, 100 + n) for n in range(70)]
    both, one, other = (measure(events) for events in ([*first, *second], first, second))
    for name, column in both.items():
        assert column.tolist() == [*one[name].tolist(), *other[name].tolist()], name


@pytest.mark.parametrize(
    ("kind", "low", "high"), [("round-robin", 0.0, 0.01), ("random", 0.7, 1.3), ("keyed", 1.5, 9)]
)
def test_unevenness_is_that_of_chance_where_instances_are_chosen_at_random(
    kind: str, low: float, high: float
):
    log = simulate_queues(kind, 4, 0.5, count=60 * BLOCK)
    times = (np.stack([log.arrived, log.started, log.finished]) * 1e7).astype(int).T.tolist()
    events = [
        Event("t", "o", f"i{one}", f"r{n}", None, *(START_NS + at * 100 for at in found))
        for n, (one, found) in enumerate(zip(log.instance.tolist(), times, strict=True))
    ]
    found = measure(events)
    assert found["freedom"].tolist() == [60 * 3]
    assert low <= found["unevenness"][0] / found["freedom"][0] <= high


def test_nothing_is_counted_of_blocks_where_an_instance_comes():
    late = [make(n, 0, 1, n % 2 if n < 200 else n % 3, n) for n in range(300)]
    assert measure(late)["freedom"].tolist() == [0.0]
    assert measure(late[:200])["freedom"].tolist() == [3.0]


def test_of_many_windows_some_are_looked_at():
    windows = MOST_SAMPLED // 512 + 6
    one = [make(n, 0, 1, n % 2, n) for n in range(600)]
    events = [e.moved(window * 60 * NS) for window in range(windows) for e in one]
    found = measure(events)
    assert len(found["operator"]) == windows // 2
    assert found["known"].tolist() == [510.0] * (windows // 2)
