from itertools import product

import numpy as np
import pytest

from planner.queueing.queueings import Batches, EmittedBatch

ONE = [[EmittedBatch(1.0, 7.3)]]
SIZES = ((7, 0.7), (8, 0.3))


def enumerate_dealt(k: int) -> float:
    """Σ over batches, first instances and tuples: how many of its batch a tuple shares an instance with, itself not."""
    together = total = 0.0
    for (size, chance), first in product(SIZES, range(k)):
        got = np.bincount((first + np.arange(size)) % k, minlength=k)
        together += chance / k * float(np.sum(got * (got - 1)))
        total += chance / k * size
    return together / total


def test_a_whole_batch_waits_for_itself():
    squares = sum([chance * size**2 for size, chance in SIZES])
    assert Batches.prepare(ONE).find_whole()[0] == pytest.approx(squares / 7.3 - 1.0)


@pytest.mark.parametrize("k", [1, 2, 3, 5, 7, 8, 20])
def test_dealt_batches_are_as_enumerated(k: int):
    assert Batches.prepare(ONE).find_dealt(np.array([float(k)]))[0] == pytest.approx(
        enumerate_dealt(k), abs=1e-12
    )


def test_each_stream_counts_by_its_part():
    both = Batches.prepare([[EmittedBatch(0.25, 2.0), EmittedBatch(0.5, 4.0)], []])
    assert both.find_whole().tolist() == pytest.approx([0.25 * 1.0 + 0.5 * 3.0, 0.0])
    assert both.select(np.array([1, 0, 0])).find_whole().tolist() == pytest.approx([0.0, 1.75, 1.75])


def test_none_are_none():
    assert not Batches.prepare([[], []]).is_any
    assert Batches.prepare([[], []]).find_dealt(np.array([1.0, 2.0])).tolist() == [0.0, 0.0]
