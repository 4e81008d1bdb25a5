"""app/engines/spark/asking.py: the cores and the application."""

from pydantic import JsonValue

from app.engines.spark.asking import count_cores, find_application
from tests.app.engines.mutating import load_golden

EXECUTORS = load_golden("spark/ui-executors.json")
APPLICATIONS = load_golden("spark/ui-applications.json")


def executor(name: str, cores: JsonValue, *, active: JsonValue = True) -> dict[str, JsonValue]:
    """One of the list of executors."""
    return {"id": name, "totalCores": cores, "isActive": active}


def test_a_local_driver_has_the_cores():
    assert count_cores([EXECUTORS]) == 2
    assert count_cores(EXECUTORS) == 2  # a list sent bare comes as one answer for each of its items


def test_cores_of_lost_executors_do_not_count():
    listed: JsonValue = [
        executor("driver", 0),
        executor("1", 4),
        executor("2", 4, active=False),
        executor("3", 4),
    ]
    assert count_cores([listed, listed]) == 8


def test_cores_that_nobody_counts_are_unknown():
    assert count_cores([APPLICATIONS, None, [executor("1", "NaN")], [executor("1", 0)]]) is None


def test_the_application_that_runs_is_found():
    assert find_application([EXECUTORS, APPLICATIONS]) == "local-1795041679421"
    ended: JsonValue = [{"id": "old", "attempts": [{"completed": True}]}]
    assert find_application([ended, None]) is None
