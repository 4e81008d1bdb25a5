"""Errors of placements: each says with its numbers what to change, in another process too."""

import pytest

from planner.placements.errors import (
    IdleTask,
    InvalidCatalogue,
    InvalidMapping,
    InvalidProfile,
    MissingProfile,
    NoStablePoint,
    NotEnoughSlots,
    PlacementError,
    PlacementTooLarge,
    ThreadTooLarge,
    TooManyRetries,
)
from tests.planner.pickled import send_across


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (InvalidProfile("blob", "cpu is 2.", threads=3, value=2.0), ["blob at threads = 3: cpu is 2."]),
        (NoStablePoint("blob", 4, 20.0, 0.5, 0.01), ["4 trials of blob", "20/s", "0.5 s/s", "lower rates"]),
        (NoStablePoint("blob", 4, 20.0, None, 0.01), ["4 trials", "Measure for longer"]),
        (MissingProfile("blob", 5.0), ["blob receives 5", "add one to profiles"]),
        (IdleTask("blob", 0.0), ["blob has a profile but receives 0", "remove it"]),
        (
            ThreadTooLarge("blob", 2, "cpu", 1.5, 1.0, "one slot"),
            ["a bundle of 2", "1.5 slots of cpu", "has 1:"],
        ),
        (PlacementTooLarge("blob", 1e9, 250_000), ["1e+9 threads", "blob", "250,000"]),
        (TooManyRetries("blob", 300.0, 200), ["300 threads", "200", "choose the mapping sam"]),
        (InvalidCatalogue("The catalogue has no VM sizes.", ("D1",), "/vm_sizes"), ["no VM sizes"]),
        (NotEnoughSlots(4, 2), ["4 slots", "have 2", "give vm_sizes"]),
        (NotEnoughSlots(4, 2, ("D1",)), ["more cpu than D1", "offer VM sizes with more slots"]),
        (InvalidMapping("No VM has the slot 3.", pointer="/vms/0/slots/3"), ["slot 3"]),
    ],
)
def test_it_says_what_to_change_and_crosses_processes(error: PlacementError, said: list[str]):
    assert all(part in str(error) for part in said)
    received = send_across(error)
    assert (type(received), received.args, str(received)) == (type(error), error.args, str(error))
