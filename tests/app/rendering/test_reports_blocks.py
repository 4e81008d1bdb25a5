"""A report holds its data as text, whatever the data look like."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.rendering.reports import (
    Block,
    Bullets,
    Diagram,
    Heading,
    Paragraph,
    ReportTable,
    write_html,
    write_markdown,
)
from tests.app.rendering.pictures_to_draw import HOSTILE as HOSTILE_NAMES
from tests.app.rendering.pictures_to_draw import chain

HOSTILE = "<script>x</script> | **bold** [a](b) `c` & \\"


def report_of(text: str) -> list[Block]:
    return [Heading(text, 1), Paragraph(text), Bullets([text]), ReportTable(["a", text], [[text, "b"]])]


def test_html_has_no_markup_out_of_the_data():
    page = write_html(report_of(HOSTILE))
    assert "<script" not in page
    assert page.count("&lt;script&gt;") == 6
    assert "src=" not in page
    assert "href=" not in page


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1))
def test_a_cell_of_markdown_is_one_cell(text: str):
    table = write_markdown([ReportTable(["a", "b"], [[text, "c"]])]).splitlines()
    assert len(table) == 3
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", table[2])) == 3


@pytest.mark.parametrize("sign", ["*", "_", "`", "<", "[", "#", "|"])
def test_signs_of_markdown_in_the_data_stay_text(sign: str):
    assert f"\\{sign}" in write_markdown([Paragraph(f"a{sign}b")])


def test_two_graphs_in_one_page_share_no_id_and_a_graph_in_markdown_is_a_flowchart():
    report: list[Block] = [Diagram(chain(*HOSTILE_NAMES)), Diagram(chain(*HOSTILE_NAMES))]
    page = write_html(report)
    assert page.count("<svg ") == 4, "each for screens and for phones"
    assert not re.search(r"<[^>]* (id|href|src|style|on\w+)=", page)
    assert "<script" not in page
    text = write_markdown([Diagram(chain(*map(str, range(80))))])
    assert "\n\nShows 60 of 80 operators" in text
    assert "\n\n```mermaid\nflowchart LR\n" in text
