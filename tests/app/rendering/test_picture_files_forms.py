"""A picture is written in the form that is accepted."""

from app.rendering.picture_files import write_picture
from app.web.negotiation import PNG, SVG
from tests.app.rendering.pictures_to_draw import EVERY_SHAPE


def test_png_and_svg():
    assert write_picture(EVERY_SHAPE, PNG).startswith(b"\x89PNG\r\n\x1a\n")
    assert write_picture(EVERY_SHAPE, SVG).startswith(b"<svg ")
