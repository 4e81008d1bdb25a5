"""PNG: of the right size, equal for equal pictures, described, small, and with every shape where it belongs."""

from io import BytesIO

import pytest
from PIL import Image

from app.drawing.png_writing import FINE, MOST_BYTES, write_png
from app.drawing.shapes import Box, Ink, Picture, Shape, Words
from tests.app.drawing.pictures_to_draw import EVERY_SHAPE, HOSTILE


def read(png: bytes) -> Image.Image:
    return Image.open(BytesIO(png))


def test_every_shape_is_where_it_belongs():
    image = read(write_png(EVERY_SHAPE)).convert("RGB")
    assert image.size == (180, 120)
    for (x, y), colour in {
        (2.0, 2.0): (255, 255, 255),
        (25.0, 15.0): (0, 114, 178),
        (70.0, 10.0): (127, 184, 216),
        (20.0, 50.0): (213, 94, 0),
        (108.0, 40.7): (0, 114, 178),
    }.items():
        found = image.getpixel((round(x * FINE), round(y * FINE)))
        assert isinstance(found, tuple)
        assert all(abs(one - other) <= 8 for one, other in zip(found, colour, strict=True)), (x, y, found)


def test_equal_pictures_have_equal_bytes_and_say_what_they_show():
    first, second = write_png(EVERY_SHAPE), write_png(EVERY_SHAPE)
    assert first == second
    said = read(first).info
    assert (said["Title"], said["Description"]) == ("all shapes", "one of each")


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_is_read_as_a_formula_or_ends_the_drawing(text: str):
    assert write_png(Picture(200.0, 40.0, text, text, [Words(5.0, 20.0, text)]))


def test_a_large_picture_is_drawn_coarser_until_it_is_small():
    spots: list[Shape] = [
        Box(x * 9.0, y * 9.0, (x * y) % 7 + 1.0, (x + y) % 5 + 1.0, Ink(f"#{x % 16:x}{y % 16:x}8"))
        for x in range(100)
        for y in range(75)
    ]
    png = write_png(Picture(900.0, 675.0, "spots", "", spots))
    assert len(png) <= MOST_BYTES or read(png).size[0] < 500
