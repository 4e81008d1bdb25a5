"""Pieces of many batches under common numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.measuring.columns import Name, Table
from ingest.measuring.pieces import Pieces, find_spots, group_by, join_pieces, sort_names


def make_piece(names: list[str], values: list[int], duplicates: int = 0) -> Pieces:
    """A row for each operator, with one instance and one edge."""
    places = np.arange(len(names))
    table: Table = {"operator": places, "instance": places, "edge": places, "value": np.array(values)}
    operators: list[Name] = [("t", name) for name in names]
    instances: list[Name] = [("t", name, f"{name}-0") for name in names]
    edges: list[Name] = [("t", name, None if name == "a" else "a") for name in names]
    return Pieces(operators, instances, edges, {"operators": table, "tails": {"at_ns": places}}, duplicates)


PIECES = [make_piece(["b", "a"], [1, 2], 3), make_piece(["c", "b"], [4, 8]), make_piece(["a"], [16], 2)]


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1]])
def test_joined_pieces_have_the_same_numbers_in_any_order(order: list[int]):
    joined = join_pieces([PIECES[place] for place in order])
    table = joined.tables["operators"]
    assert joined.operators == [("t", "a"), ("t", "b"), ("t", "c")]
    assert joined.edges == [("t", "a", None), ("t", "b", "a"), ("t", "c", "a")]
    assert joined.duplicates == 5
    for key in ("operator", "instance", "edge"):
        names = getattr(joined, f"{key}s")
        found = {(names[place][1], value) for place, value in zip(table[key], table["value"], strict=True)}
        assert found == {("b", 1), ("a", 2), ("c", 4), ("b", 8), ("a", 16)}, key
    assert len(joined.tables["tails"]["at_ns"]) == 5, "a table without names is stacked"


def test_an_absent_name_sorts_before_an_empty_one():
    names: set[Name] = {("t", "o", "x"), ("t", "o", ""), ("t", "o", None), ("s", "o", None)}
    assert sort_names(names) == [("s", "o", None), ("t", "o", None), ("t", "o", ""), ("t", "o", "x")]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(-5, 9)), min_size=1, max_size=10, unique=True).map(
        sorted
    ),
    st.tuples(st.integers(0, 3), st.integers(-30, 30)),
)
def test_spots_are_found_by_operator_and_window(pairs: list[tuple[int, int]], other: tuple[int, int]):
    """Windows before or after all of an operator are numbered between it and its neighbour."""
    columns = np.array(pairs).T
    spots = find_spots({"operator": columns[0], "window": columns[1]})
    assert list(zip(spots.operator.tolist(), spots.window.tolist(), strict=True)) == pairs
    (key,) = spots.find(*(np.array([one]) for one in other)).tolist()
    assert (key in spots.key.tolist()) == (other in pairs)
    assert int(np.searchsorted(spots.key, key)) == sum(pair < other for pair in pairs)


def test_several_pieces_of_a_window_are_one_spot():
    spots = find_spots({"operator": np.array([0, 0, 1]), "window": np.array([7, 7, 7])})
    assert (spots.operator.tolist(), spots.window.tolist()) == ([0, 1], [7, 7])


def test_a_table_is_grouped_by_names():
    table = {"a": np.array([2, 1, 2]), "b": np.array([1, 1, 0]), "n": np.array([10, 20, 40])}
    for names, sums in ((("a",), [20, 50]), (("a", "b"), [20, 40, 10]), (("b", "a"), [40, 20, 10])):
        grouped, segments = group_by(table, *names)
        assert segments.sum(grouped["n"]).tolist() == sums
