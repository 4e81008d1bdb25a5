"""Names of records become numbers."""

from ingest.measuring.columns import make_codes, number_names
from ingest.reading.records import TupleKind


def test_names_are_numbered_in_order_of_their_kinds():
    fields = [("o", "i", None, 1, False), ("o", "j", "p", 4, True), ("p", "i", "p", 4, False)]
    kinds = [TupleKind("t", *one) for one in fields]
    codes = make_codes(kinds)
    assert (codes.operators, codes.operator.tolist()) == ([("t", "o"), ("t", "p")], [0, 0, 1])
    assert (codes.instances, codes.instance.tolist()) == ([kind[:3] for kind in kinds], [0, 1, 2])
    assert codes.edges == [("t", "o", None), ("t", "o", "p"), ("t", "p", "p")]
    assert (codes.topologies, codes.topology.tolist()) == ([("t",)], [0, 0, 0])
    assert (codes.every.tolist(), codes.is_random.tolist()) == ([1, 4, 4], [0, 1, 0])
    assert codes.is_outside.tolist() == [True, False, False]
    assert number_names([], lambda kind: kind[:1])[0] == []
