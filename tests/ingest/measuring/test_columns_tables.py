"""Tables are columns under names."""

import numpy as np

from ingest.measuring.columns import sort_by, stack, take

TABLE = {"a": np.array([2, 1, 2, 1]), "b": np.array([5.0, 9.0, 4.0, 8.0])}


def test_rows_are_taken_by_place_or_where_true():
    assert {name: column.tolist() for name, column in take(TABLE, np.array([3, 0])).items()} == {
        "a": [1, 2],
        "b": [8.0, 5.0],
    }
    assert take(TABLE, TABLE["a"] == 2)["b"].tolist() == [5.0, 4.0]


def test_tables_are_stacked_by_name():
    turned = {name: TABLE[name][:1] for name in ("b", "a")}
    stacked = stack(one for one in (TABLE, turned))
    assert stacked["a"].tolist() == [2, 1, 2, 1, 2]
    assert stacked["b"].tolist() == [5.0, 9.0, 4.0, 8.0, 5.0]


def test_the_first_name_sorts_first():
    assert sort_by(TABLE, "a", "b")["b"].tolist() == [8.0, 9.0, 4.0, 5.0]
    assert sort_by(TABLE, "b", "a")["a"].tolist() == [2, 2, 1, 1]
