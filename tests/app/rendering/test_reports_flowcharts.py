"""A flowchart of Mermaid: every operator and stream, and no name that ends a label, a line or the block."""

import re

from hypothesis import given
from hypothesis import strategies as st

from app.rendering.operator_graphs import DrawnOperator, DrawnStream, OperatorGraph
from app.rendering.reports import quote_mermaid, write_flowchart
from tests.app.rendering.pictures_to_draw import HOSTILE, chain

LINE = re.compile(
    r'  n\d+\["[^"]*"\](:::level\d)?|  n\d+ -->(\|"[^"]*"\|)? n\d+|  classDef level\d [\w:#,]+'
    r"|flowchart LR|```(mermaid)?"
)


def test_a_flowchart_has_what_the_picture_has():
    operators = [
        DrawnOperator("generator", 0.667, 320.0, 6, 6),
        DrawnOperator("detector", 1.2, 1422.2, 13, 17),
    ]
    graph = OperatorGraph("fpd", [], operators, [DrawnStream(0, 1, 4.0, 1280.0), DrawnStream(1, 1, 1.0)])
    written = write_flowchart(graph).splitlines()
    assert written[:6] == [
        "```mermaid",
        "flowchart LR",
        '  n0["generator<br/>67% busy · 320/s<br/>6 processors"]:::level1',
        '  n1["detector<br/>120% busy · 1,420/s<br/>13 → 17 processors"]:::level3',
        '  n0 -->|"1,280/s"| n1',
        "  n1 --> n1",
    ]
    assert written[-1] == "```"


@given(st.lists(st.text() | st.sampled_from(HOSTILE), min_size=1, max_size=5))
def test_no_name_ends_a_label_a_line_or_the_block(names: list[str]):
    for line in write_flowchart(chain(*names)).splitlines():
        assert LINE.fullmatch(line), line


@given(st.text())
def test_a_quoted_text_has_neither_markup_nor_a_sign_of_mermaid(text: str):
    quoted = quote_mermaid(text)
    assert not set("<>\"'`[](){}|;&\\\n$%") & set(re.sub(r"#\d+;", "", quoted).replace("%", ""))
    assert quote_mermaid("a#b") == "a#35;b"


def test_of_a_large_graph_a_part_is_written():
    assert write_flowchart(chain(*map(str, range(200)))).count("busy") == 60
