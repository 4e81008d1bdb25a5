"""The measures of each batch as tables, called pieces, and their join into the tables of a run."""

import pickle
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ingest.measuring.columns import Integers, Name, Segments, Table, cut_segments, sort_by, stack


class Pieces(NamedTuple):
    """Tables of measures, whose columns `operator`, `instance` and `edge` are places in the lists of names.

    `operators`, `instances` and `edges` have a row per window and operator, instance or edge; `services` a row per
    bucket of a histogram; `levels` a row per window with a start or a finish; `tails` a row per start or finish after
    the last arrival; `spans` a row per kept wait and sojourn.
    """

    operators: list[Name]
    instances: list[Name]
    edges: list[Name]
    tables: dict[str, Table]
    duplicates: int


class Packed(NamedTuple):
    """The compressed result of a task: uncompressed, a day of many operators would fill Java's memory."""

    size: int
    data: bytes


def pack(results: Any) -> Packed:
    data = pickle.dumps(results, pickle.HIGHEST_PROTOCOL)
    return Packed(len(data), pa.compress(data, "zstd", asbytes=True))


def unpack(packed: Packed) -> Any:
    return pickle.loads(pa.decompress(packed.data, packed.size, "zstd", asbytes=True))  # noqa: S301  # ours


def join_pieces(pieces: Sequence[Pieces]) -> Pieces:
    """Joins the tables of all batches of a run; names are sorted, so that equal runs have equal numbers."""
    tables: dict[str, list[Table]] = {name: [] for name in pieces[0].tables}
    picks: dict[str, Callable[[Pieces], list[Name]]] = {
        "operator": lambda one: one.operators,
        "instance": lambda one: one.instances,
        "edge": lambda one: one.edges,
    }
    names = {key: sort_names({name for one in pieces for name in pick(one)}) for key, pick in picks.items()}
    places = {key: {name: place for place, name in enumerate(known)} for key, known in names.items()}
    for one in pieces:
        codes = {
            key: np.array([places[key][name] for name in pick(one)], dtype=np.int64)
            for key, pick in picks.items()
        }
        for name, table in one.tables.items():
            tables[name].append(table | {key: codes[key][table[key]] for key in codes.keys() & table.keys()})
    joined = {name: stack(held) for name, held in tables.items()}
    return Pieces(
        names["operator"], names["instance"], names["edge"], joined, sum(one.duplicates for one in pieces)
    )


def sort_names(names: set[Name]) -> list[Name]:
    return sorted(names, key=lambda name: tuple((part is not None, part or "") for part in name))


class Spots(NamedTuple):
    """The pairs of operator and window that have tuples, called spots, in order; `key` numbers them."""

    operator: Integers
    window: Integers
    key: Integers
    width: int
    least: int

    def find(self, operator: Integers, window: Integers) -> Integers:
        """The key of each pair of operator and window; all windows before the first share a key, and so do all
        after the last.
        """
        return operator * self.width + np.clip(window - self.least, 0, self.width - 1)


def find_spots(table: Table) -> Spots:
    segments = cut_segments(table["operator"], table["window"])
    operator, window = segments.first(table["operator"]), segments.first(table["window"])
    least = int(window.min()) - 1
    spots = Spots(operator, window, operator, int(window.max()) - least + 2, least)
    return spots._replace(key=spots.find(operator, window))


def group_by(table: Table, *names: str) -> tuple[Table, Segments]:
    """Sorts a table by these columns, and returns it with the segments of its equal rows."""
    table = sort_by(table, *names)
    return table, cut_segments(*(table[name] for name in names))
