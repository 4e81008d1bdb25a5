"""SVG: valid, described, without anything that runs or loads, equal for equal pictures."""

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from app.rendering.picture_files import write_svg
from app.rendering.picture_shapes import Group, Picture, Words
from tests.app.rendering.pictures_to_draw import EVERY_SHAPE, HOSTILE

NAMESPACE = "{http://www.w3.org/2000/svg}"
DRAWN = {"svg", "title", "desc", "rect", "circle", "path", "text", "g"}
GOLDEN = (
    '<rect x="5" y="5" width="40" height="20" rx="4" fill="#0072B2" stroke="#000000" stroke-width="2"/>'
    '<rect x="60" y="5" width="20" height="10" fill="#0072B2" opacity="0.5"/>'
    '<circle cx="20" cy="50" r="8" fill="#D55E00"/>'
    '<path d="M50 40 70 60M80 40" fill="none" stroke="#000000" stroke-dasharray="4 2"/>'
    '<path d="M80 70C90 70 90 40 110 40" fill="none" stroke="#0072B2" stroke-width="3"/>'
    '<g><title>said</title><text x="60" y="75" font-size="10" fill="#16191D" text-anchor="middle" '
    'font-weight="bold">middle</text></g>'
    '<text x="118" y="75" font-size="10" fill="#16191D" text-anchor="end">end</text></svg>\n'
)


def test_every_shape_is_written():
    assert write_svg(EVERY_SHAPE).endswith(GOLDEN)


def test_the_picture_says_what_it_is():
    root = ET.fromstring(write_svg(EVERY_SHAPE))
    assert root.attrib["role"] == "img"
    assert root.findtext(f"{NAMESPACE}title") == "all shapes"
    assert root.findtext(f"{NAMESPACE}desc") == "one of each"


@given(st.text() | st.sampled_from(HOSTILE))
def test_text_stays_text_whatever_it_holds(text: str):
    root = ET.fromstring(write_svg(Picture(10.0, 10.0, text, text, [Group(text, [Words(0, 0, text)])])))
    assert {element.tag.removeprefix(NAMESPACE) for element in root.iter()} <= DRAWN
    for element in root.iter():
        assert not {
            name
            for name in element.attrib
            if name.startswith("on") or "href" in name or name in {"id", "style"}
        }
