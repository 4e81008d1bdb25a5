"""VMs that are there before VMs that are bought, and sizes too narrow to buy."""

import pytest

from planner.placements.errors import NotEnoughSlots, ThreadTooLarge
from planner.placements.mappers.mapping import Vm
from planner.placements.vm_acquisition import Market
from tests.planner.placements.examples import RSM, SIZES, flat_profile, pipeline, place


def test_existing_vms_are_filled_before_any_is_bought() -> None:
    market = Market(existing=(Vm("old", 2),), sizes=SIZES)
    placed = place(pipeline("work"), 35.0, market, flat_profile("work"))
    assert [(vm.vm.name, vm.vm.size) for vm in placed.mapping.vms] == [("old", None), ("vm-1", "D3")]
    assert placed.hourly_price == 0.4


def test_a_bought_vm_takes_no_name_that_is_taken() -> None:
    market = Market(existing=(Vm("vm-1", 1),), sizes=SIZES[1:])
    placed = place(pipeline("work"), 25.0, market, flat_profile("work"))
    assert [vm.vm.name for vm in placed.mapping.vms] == ["vm-1", "vm-2", "vm-3"]


def test_too_few_vms_and_nothing_to_buy_is_an_error_with_both_numbers() -> None:
    with pytest.raises(NotEnoughSlots) as refused:
        place(pipeline("work"), 35.0, Market(existing=(Vm("old", 2),)), flat_profile("work"))
    assert (refused.value.needed, refused.value.available) == (4, 2)


def test_a_vm_too_small_for_one_thread_is_refused_by_task_and_number() -> None:
    wide = flat_profile("work", cpu=5.0)
    with pytest.raises(ThreadTooLarge, match=r"work: one thread takes 5 slots of cpu") as refused:
        place(pipeline("work"), 5.0, Market(sizes=SIZES), wide, rules=RSM)
    assert (refused.value.needed, refused.value.capacity) == (5.0, 4)


def test_sizes_too_small_for_a_thread_are_not_bought() -> None:
    wide = flat_profile("work", cpu=1.5)
    placed = place(pipeline("work"), 5.0, Market(sizes=SIZES), wide, rules=RSM)
    assert [vm.vm.size for vm in placed.mapping.vms] == ["D3"]


def test_sizes_that_are_left_out_are_named() -> None:
    placed = place(pipeline("work"), 5.0, Market(sizes=SIZES), flat_profile("work", cpu=1.5), rules=RSM)
    (said,) = (one for one in placed.diagnostics if one.code == "sizes-left-out")
    assert said.operators == ("work",)
    assert "takes 1.5 slots of cpu: VMs of D1 have fewer" in said.detail
    roomy = place(pipeline("work"), 5.0, Market(sizes=SIZES), flat_profile("work"), rules=RSM)
    assert "sizes-left-out" not in [one.code for one in roomy.diagnostics]


def test_a_refusal_names_the_sizes_that_were_too_narrow_to_buy() -> None:
    market = Market(existing=(Vm("old", 2),), sizes=SIZES[1:])
    with pytest.raises(NotEnoughSlots, match="a thread needs more cpu than D1 can give") as refused:
        place(pipeline("work"), 35.0, market, flat_profile("work", cpu=1.5), rules=RSM)
    assert refused.value.left_out == ("D1",)
    assert "give vm_sizes" not in str(refused.value)
