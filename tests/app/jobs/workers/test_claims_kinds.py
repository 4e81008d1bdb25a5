"""Every kind of job has a table, a module and slots of its own."""

from importlib.util import find_spec

from app.jobs.workers.claims import KINDS
from app.settings import Settings


def test_kinds_share_nothing():
    for names in (
        [kind.name for kind in KINDS],
        [kind.row.__name__ for kind in KINDS],
        [kind.module for kind in KINDS],
        [kind.slots_key for kind in KINDS],
    ):
        assert len(set(names)) == len(KINDS)


def test_a_kinds_module_can_be_run_and_its_setting_counts_slots():
    settings = Settings(backtest_processes=3, simulation_processes=2)
    assert [kind.count_slots(settings) for kind in KINDS] == [3, 2]
    assert all(find_spec(kind.module) for kind in KINDS if kind.name == "backtest")
