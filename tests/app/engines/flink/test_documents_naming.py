"""app/engines/flink/documents.py: names that are unique, printable, and the same at every reading."""

from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from app.engines.flink.counters import VertexCounters
from app.engines.flink.documents import VertexState, clean, name_operators, to_line
from app.web.fields import OperatorName
from tests.app.engines.flink.recorded import load, read


def make(vertex: str, name: str) -> VertexState:
    return VertexState(vertex, name, 1, None, "RUNNING", None, VertexCounters())


def test_two_vertices_of_one_name_get_the_start_of_their_id():
    """In the recorded job two operators are called c."""
    reading = read(load("exchanges"))
    assert reading.topology is not None
    names = [one.name for one in reading.topology.operators]
    assert names == ["a", "b", "c (3d9231)", "c (5c51e5)", "Sink: out"]


@given(
    st.lists(
        st.tuples(st.text(max_size=8), st.text(max_size=300)), min_size=1, unique_by=lambda pair: pair[0]
    )
)
def test_names_are_unique_and_valid(vertices: list[tuple[str, str]]):
    names = name_operators(make(*pair) for pair in vertices)
    assert len(set(names.values())) == len(vertices)
    for name in names.values():
        TypeAdapter(OperatorName).validate_python(name)


def test_a_name_is_cut_and_put_on_one_line():
    assert clean("  Map\n->\tSink: out ") == "Map -> Sink: out"
    assert len(clean("x" * 1000)) == 180
    assert to_line("a\x00b") == "a b"
