"""The slots of processors, by the profiles of tasks."""

from hypothesis import given
from hypothesis import strategies as st

from planner.fleet.footprint import Footprint
from planner.placements.profiles import Profile, ProfilePoint

FIVE = Profile("five", tuple(ProfilePoint(k, 10.0 * k, 0.2 * k, 0.1 * k) for k in range(1, 6)))
"""Five threads fill a slot."""
NAMES = ["plain", "one", "other"]
SHARING = Footprint(NAMES, {"one": FIVE, "other": FIVE})


def test_without_profiles_each_processor_takes_a_slot():
    assert Footprint(NAMES).count_slots([2, 3, 4]) == 9
    assert len(Footprint(NAMES).pack([2, 3, 4])) == 9


def test_threads_share_slots_by_their_profile():
    assert SHARING.count_slots([1, 5, 5]) == 3
    assert SHARING.count_slots([1, 2, 3]) == 2, "two and three threads fill one slot together"
    assert SHARING.count_slots([0, 3, 3]) == 2
    assert SHARING.pack([1, 7, 3]) == [{"plain": 1}, {"one": 5}, {"other": 3, "one": 2}]


@given(counts=st.tuples(*[st.integers(0, 40)] * 3))
def test_every_thread_has_a_slot_and_no_slot_is_overfull(*, counts: tuple[int, ...]):
    slots = SHARING.pack(counts)
    assert len(slots) == SHARING.count_slots(counts)
    for name, count in zip(NAMES, counts, strict=True):
        assert sum(slot.get(name, 0) for slot in slots) == count
    assert all("plain" in slot or sum(slot.values()) <= 5 for slot in slots)
    assert len(slots) <= counts[0] + -(-counts[1] // 5) + -(-counts[2] // 5)
