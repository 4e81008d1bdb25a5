"""The processors that an answer is asked for: those given, or those that the load says are running."""

from collections.abc import Mapping

from planner.errors import InvalidAllocation, escape_pointer, suggest_name
from planner.topology.load_checks import MOST_PROCESSORS
from planner.values import Load, Topology
from planner.wording import join_names


def find_counts(topology: Topology, load: Load, processors: Mapping[str, int] | None) -> list[int]:
    """Processors per operator in topology order: `processors` if given, else those measured."""
    names = [operator.name for operator in topology.operators]
    if processors is None:
        found = {name: measured.processors for name, measured in load.operators.items()}
    else:
        found = dict(processors)
        for name in found.keys() - set(names):
            raise InvalidAllocation(
                f"Processors are given for {name!r}, which the topology does not have: remove it or "
                f"correct the name.{suggest_name(name, names)}",
                f"/{escape_pointer(name)}",
            )
    missing = [name for name in names if found.get(name) is None]
    if missing:
        raise InvalidAllocation(
            f"No processors are given for {join_names(missing)}: give them, or a load that says what runs."
        )
    return [check_count(name, found[name]) for name in names]


def check_count(name: str, count: int | None) -> int:
    """Raise InvalidAllocation unless 1 ≤ count ≤ MOST_PROCESSORS, up to which the formulas are exact."""
    if count is None or not 1 <= count <= MOST_PROCESSORS:
        raise InvalidAllocation(
            f"Operator {name!r} is given {count} processors: give between 1 and {MOST_PROCESSORS}.",
            f"/{escape_pointer(name)}",
        )
    return count
