"""Evidence of keys: how often two tuples of one operator that derive from the same root go to the same instance.

Of tuples with a common key all pairs do. Of tuples with keys of their own, as of words of a line, about as many as two
tuples of any roots: Σ pₓ², with the parts pₓ of the tuples that the instances get.
"""

import numpy as np

from ingest.measuring.columns import Codes, Table, TupleRows, cut_segments

MOST_SAMPLED = 65_536
"""About as many tuples of a batch are looked at, always all tuples of a root."""


def measure_keys(rows: TupleRows, codes: Codes) -> Table:
    """For each operator of a completely logged batch: pairs of tuples of one root, those at one instance, and how many
    of them chance would bring together.
    """
    step = np.uint64(max(1, -(-len(rows.root) // MOST_SAMPLED)))
    chosen = np.flatnonzero((rows.root % step == 0) & (codes.every[rows.kind] == 1))
    operator, root, instance = rows.operator[chosen], rows.root[chosen], codes.instance[rows.kind[chosen]]
    order = np.lexsort((instance, root, operator))
    operator, root, instance = operator[order], root[order], instance[order]
    cells = cut_segments(operator, root, instance)
    roots = cut_segments(operator[cells.begins], root[cells.begins])
    owner = operator[cells.begins][roots.begins]
    tuples = roots.sum(cells.sizes)
    operators, place = np.unique(owner, return_inverse=True)
    count = len(operators)
    pairs = np.bincount(place, tuples * (tuples - 1.0), count)
    same = np.bincount(place, roots.sum(cells.sizes * (cells.sizes - 1.0)), count)
    held = cut_segments(*(column[np.lexsort((instance, operator))] for column in (operator, instance)))
    of_operator = np.searchsorted(operators, np.sort(operator)[held.begins])
    each, total = held.sizes.astype(float), np.bincount(of_operator, held.sizes, count)
    together = np.bincount(of_operator, (each / total[of_operator]) ** 2, count)
    return {"operator": operators, "pairs": pairs, "same": same, "expected": pairs * together}
