"""The demo's platform takes most changes at once, and shows what else can become of one."""

from app.demo.platform.made_day import keep_one_change


def test_of_a_change_in_part_one_operator_has_its_new_processors():
    assert keep_one_change({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 4, "c": 5}) == {"a": 1, "b": 4, "c": 3}
    assert keep_one_change({"a": 1}, {"a": 1}) == {"a": 1}
